#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that report at a time: each report is in one piece, below a line that
names its process."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness

LINES = 10000


def test(arguments, directory):
    def run(tool, mode, variables=None):
        return harness.run([arguments.luthier, "run", "--device", "emulated", "--output", directory, "--tool", tool]
                           + ["--", arguments.program, arguments.code, mode], variables)

    result = run(arguments.tool, "children-use")
    lines = [line for line in result.stderr.splitlines() if " ends by " not in line]
    result.expect(len(lines) == 3 * (LINES + 1), f"there are {len(lines)} lines")
    for first in range(0, len(lines), LINES + 1):
        named = re.fullmatch(r"luthier: process (\d+) \(ends\):", lines[first])
        result.expect(named, f"no process is named in line {first}: {lines[first]}")
        expected = [f"line {number} of {named.group(1)}" for number in range(LINES)]
        result.expect(lines[first + 1 : first + 1 + LINES] == expected, f"the report after line {first} is not whole")

    alone = run("instr-count", "exit")
    alone.expect("process" not in alone.stderr, "the only process is named")
    rank = run("instr-count", "exit", {"PMI_RANK": "2"})
    rank.expect(re.search(r"process \d+ \(ends\), rank 2:", rank.stderr), "the rank is not named")
    if harness.read_json(f"{directory}/instr-count.json").get("rank") != "2":
        raise harness.Failure("the file has no rank")


harness.main(
    [
        (["--program"], {"help": "the program ends"}),
        (["--code"], {"help": "its code object"}),
        (["--tool"], {"help": "the tool tells-much"}),
    ],
    test,
)
