#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of several processes, or with libraries that might get into Luthier's way,
under tools that count and trace together: they compute what they compute, and
what is counted is what the emulator executed."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness


def test(arguments, directory):
    tools = ["instr-count", arguments.launch_tool]
    result = harness.run(
        [arguments.luthier, "run", "--device", "emulated", "--output", directory,
         "--stats", f"{directory}/executed-%p.json", *[text for tool in tools for text in ("--tool", tool)],
         "--", *arguments.program])
    result.expect(result.code == 0 and arguments.says in result.stdout, "the program fails")
    result.expect("without the hooks" not in result.stderr, "a tool is left out")
    counted = harness.kernel_counts(f"{directory}/instr-count*.json")
    plain = harness.run(
        [arguments.luthier, "run", "--device", "emulated", "--stats", f"{directory}/plain-%p.json",
         "--", *arguments.program])
    plain.expect(plain.code == 0 and plain.stdout == result.stdout, "the program fails without tools")
    harness.expect_same_counts(counted, harness.kernel_counts(f"{directory}/plain-*.json"))
    traced = {}
    for count, name in re.findall(r"^(\d+) instructions by a launch of (\S+)$", result.stderr, re.M):
        row = traced.setdefault(name, [0, 0])
        row[0] += 1
        row[1] += int(count)
    wanted = {name: [row["dispatches"], row["wave_instructions"]] for name, row in counted.items()}
    result.expect(traced == wanted, f"traced: {traced}, counted: {wanted}")


harness.main(
    [
        (["--launch-tool"], {"help": "library of launch-count"}),
        (["--says"], {"help": "what the program prints if it is right"}),
        (["program"], {"nargs": "+"}),
    ],
    test,
)
