#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program that gets into trouble, with and without a tool: it ends in the
same way and as soon, says the same, and what it launched is counted."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness
from harness import Failure

KERNEL = "_Z6addOnePj"


def run(arguments, directory, tool):
    return harness.run(
        [arguments.luthier, "run", "--device", "emulated", "--output", directory]
        + tool + ["--", arguments.program, arguments.code, arguments.mode]
    )


def test(arguments, directory):
    plain = run(arguments, directory, [])
    plain.expect(plain.code == arguments.ends, "the program ends otherwise without a tool")
    for _ in range(arguments.times):
        result = run(arguments, directory, ["--tool", arguments.tool])
        result.expect(result.code == arguments.ends, f"the program does not end with {arguments.ends}")
        result.expect(result.stdout == plain.stdout, f"without a tool it says\n{plain.stdout}")
        for text in arguments.says:
            result.expect_in_stderr(text)
        result.expect("gave up" not in result.stderr, "something was waited for in vain")
        if arguments.dispatches:
            report = harness.read_json(f"{directory}/instr-count.json")
            counted = [k["dispatches"] for k in report["kernels"] if k["name"] == KERNEL]
            if counted != [arguments.dispatches]:
                raise Failure(f"dispatches counted: {counted}, not {arguments.dispatches}")


harness.main(
    [
        (["--program"], {"help": "the program error-paths"}),
        (["--code"], {"help": "its code object"}),
        (["--tool"], {"default": "instr-count"}),
        (["--ends"], {"type": int, "default": 0, "help": "exit code, or minus a signal"}),
        (["--says"], {"action": "append", "default": [], "help": "on stderr"}),
        (["--dispatches"], {"type": int, "help": "that the tool counts"}),
        (["--times"], {"type": int, "default": 1}),
        (["mode"], {}),
    ],
    test,
)
