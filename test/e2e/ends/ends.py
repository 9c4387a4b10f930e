#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program that ends in some way, with and without a tool: the parent sees
the same, and nothing that was counted is lost."""

import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness
from harness import Failure

KERNEL = "_Z6addOnePj"


def reports(directory):
    """Of each process: launches counted, and how it ended."""
    found = []
    for path in glob.glob(f"{directory}/instr-count*.json"):
        report = harness.read_json(path)
        launches = [kernel["dispatches"] for kernel in report["kernels"] if kernel["name"] == KERNEL]
        found.append((sum(launches), report.get("ended", "exit").split(":")[0]))
    return sorted(found)


def test(arguments, directory):
    variables = dict(setting.split("=", 1) for setting in arguments.set)

    def run(*options):
        return harness.run(
            [arguments.luthier, "run", "--device", "emulated", "--output", directory, *options]
            + ["--", arguments.program, arguments.code, arguments.mode],
            variables,
        )

    plain = run()
    plain.expect(plain.code == arguments.code_is, f"it does not end with {arguments.code_is} without a tool")
    result = run("--tool", arguments.tool)
    code = plain.code if arguments.with_tool_code_is is None else arguments.with_tool_code_is
    result.expect(result.code == code, f"it does not end with {code}")
    result.expect("wrong" not in result.stdout, "the program notices something")
    if code == plain.code:
        result.expect(result.stdout == plain.stdout, f"without a tool:\n{plain.stdout}")
    gave_up = any(text.startswith("gave up") for text in arguments.says)
    result.expect(gave_up or "gave up" not in result.stderr, "something was waited for in vain")
    for text in arguments.says:
        result.expect_in_stderr(text)
    expected = sorted((arguments.launches, how) for how in arguments.ended)
    if reports(directory) != expected:
        raise Failure(f"reported: {reports(directory)}, not {expected}\n{result.stderr}")


harness.main(
    [
        (["--program"], {"help": "the program ends"}),
        (["--code"], {"help": "its code object"}),
        (["--tool"], {"default": "instr-count"}),
        (["--code-is"], {"type": int, "default": 0, "help": "exit code, or minus a signal"}),
        (["--with-tool-code-is"], {"type": int, "help": "where that is another: what comes while Luthier waits"}),
        (["--launches"], {"type": int, "default": 3, "help": "that each process is to report"}),
        (["--ended"], {"action": "append", "default": [], "help": "what a process is to report"}),
        (["--says"], {"action": "append", "default": [], "help": "on stderr"}),
        (["--set"], {"action": "append", "default": [], "help": "NAME=VALUE of the environment"}),
        (["mode"], {}),
    ],
    test,
)
