#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `luthier pgo show` says about loads: the lines of Loads.hip say where each
loads from, and which lanes have the same address."""

import re

from builds import ARGUMENTS, Builds, Failure, harness

WORDS = {"always": "always uniform", "so far": "uniform so far"}
ROW = re.compile(r"\s+[0-9a-f]+ +(\d+) +(\S+)  (\w+(?: \w+)*?)  +(\w+) +(\S*load\S*|\S*read\S*) +Loads.hip:(\d+)$")


def test(arguments, directory):
    builds = Builds(arguments, directory)
    # As descriptors of buffers of 32 bits have it.
    resource = "0x00024fac" if arguments.device == "gfx90a" else "0x31016fac"
    program = builds.compile("loads", ["-gline-tables-only", f"-DRESOURCE_FLAGS={resource}"])
    result = builds.show("--no-branches", "--no-source", "--", program)
    result.expect(result.code == 0, "luthier pgo show fails")
    expected = {}
    # Other targets' loads may have the line of a neighbour.
    has_lines = arguments.device == "gfx90a"
    with open(arguments.source) as file:
        for number, line in enumerate(file, 1):
            if match := re.search(r"// (scalar|global|flat|LDS|buffer): (.*)$", line):
                expected[number] = (match[1], WORDS.get(match[2], match[2]))
    rows = sorted((number if has_lines else 0, *row) for number, row in expected.items())
    # Of 1024 work-items 968 go on: of the waves, one has fewer, and what is behind it none (EXEC is zero, or it is skipped).
    waves = -(-968 // (64 if has_lines else 32))
    found = []
    for line in result.stdout.splitlines():
        if match := ROW.match(line):
            executed, diverged, kind, space, _, number = match.groups()
            if int(number) not in expected:
                continue
            found.append((int(number), space, kind))
            unused = kind == "not executed"
            share = {"divergent": "100.0", "not executed": "-"}.get(kind, "0.0")
            if diverged != share or space != "scalar" and int(executed) != (0 if unused else waves):
                raise Failure(f"expected {waves} waves, {share} % of them divergent: {line}")
    found = sorted((number if has_lines else 0, *row) for number, *row in found)
    if found != rows:
        raise Failure(f"expected {rows}, found {found} in\n{result.stdout}")


if __name__ == "__main__":
    harness.main(ARGUMENTS, test)
