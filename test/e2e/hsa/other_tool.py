#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Another HSA tool beside Luthier, loaded before or after: both see every launch,
and the program computes the same. What cannot work is said."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness
from harness import Failure

LAUNCHES = 40
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "OtherTool.cpp")


def build(directory):
    """The other tool for the version of ROCm that the programs run in: each has tables of its own."""
    tool = f"{directory}/libother-tool.so"
    made = harness.run(["hipcc", "-w", "-O2", "-fPIC", "-shared", "-DAMD_INTERNAL_BUILD", "-I/usr/include/hsa", "-x", "c++", SOURCE, "-o", tool])
    made.expect(made.code == 0, "the other tool cannot be built")
    return tool


def test(arguments, directory):
    def run(libraries, *options):
        variables = {"HSA_TOOLS_LIB": " ".join(libraries)} | dict.fromkeys(arguments.set, "1")
        return harness.run(
            [arguments.luthier, "run", "--device", "emulated", "--output", directory, *options]
            + ["--", arguments.program, arguments.code, str(LAUNCHES), str(arguments.queues), "wait"],
            variables,
        )

    both = [arguments.other or build(directory)]
    # Without it, luthier run names its library behind the others.
    if arguments.order == "after":
        both.insert(0, arguments.library)
    plain = run([])
    result = run(both, "--tool", "instr-count")
    result.expect(result.code == plain.code == 0 and result.stdout == plain.stdout, f"without a tool:\n{plain.stdout}")
    for text in arguments.says:
        result.expect_in_stderr(text)
    if arguments.sees_nothing:
        return
    kernels = harness.read_json(f"{directory}/instr-count.json")["kernels"]
    if [kernel["dispatches"] for kernel in kernels] != [LAUNCHES * arguments.queues]:
        raise Failure(f"counted: {kernels}")
    if not any("replaces" in text or "has made queues since" in text for text in arguments.says):
        result.expect("luthier: " not in result.stderr, "Luthier has nothing to say")


harness.main(
    [
        (["--program"], {"help": "the program launches"}),
        (["--code"], {"help": "its code object"}),
        (["--other"], {"help": "the other tool; without it, it is built within"}),
        (["--library"], {"help": "libluthier.so"}),
        (["--set"], {"action": "append", "default": [], "help": "a variable of the environment"}),
        (["--queues"], {"type": int, "default": 2}),
        (["--sees-nothing"], {"action": "store_true", "help": "Luthier cannot"}),
        (["--says"], {"action": "append", "default": [], "help": "on stderr"}),
        (["order"], {"choices": ["before", "after"]}),
    ],
    test,
)
