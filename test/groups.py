#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the registered tests by group, unit tests one by one, and compares with test/groups.json: groups.py BUILD.
Fails where a group has fewer tests than it is known to have; a group that cannot run on this machine, which is
registered as cannot-run/GROUP, is told and not expected. With --renew the present counts become the expected ones."""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

from gtest_program import cases_by_suite

EXPECTED = pathlib.Path(__file__).resolve().parent / "groups.json"


def program_of(test):
    """Of a unit test; None for others."""
    path = pathlib.Path(test.get("command", [""])[0])
    return path if path.name.endswith(("-test", "-tests")) and not test["name"].startswith("sweep/") else None


def group_of(test):
    """A unit test's program; elsewhere the first word of the name, with what stands before it."""
    if program := program_of(test):
        return program.name
    prefix, slash, name = test["name"].rpartition("/")
    return prefix + slash + re.split(r"[-.]", name)[0]


def registered(ctest, build):
    shown = subprocess.run([ctest, "--test-dir", str(build), "-C", "sweep", "--show-only=json-v1"],
                           check=True, capture_output=True, text=True).stdout
    return json.loads(shown)["tests"]


def count(tests):
    """By group. A registered test of a unit test's program is a suite of it, of which each case counts."""
    cases = {program: cases_by_suite(program) for program in set(map(program_of, tests)) if program}
    counts = collections.Counter()
    for test in tests:
        program = program_of(test)
        suite = test["name"].removeprefix(program.name + "/") if program else None
        counts[group_of(test)] += len(cases[program].get(suite, [])) if program else 1
    return counts


def compare(tests, counts, expected):
    """Lines about groups that have lost tests, and about those that cannot run."""
    unable = [test["name"].removeprefix("cannot-run/") for test in tests if test["name"].startswith("cannot-run/")]
    lost = [f"{group}: {counts[group]} tests, expected at least {number}" for group, number in expected.items()
            if counts[group] < number and not any(name in group for name in unable)]
    lost += [f"{test['name']}: is not built" for test in tests if test["name"].endswith("_NOT_BUILT")]
    return lost, unable


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ctest", default="ctest")
    parser.add_argument("--renew", action="store_true")
    parser.add_argument("build", type=pathlib.Path)
    arguments = parser.parse_args()
    tests = registered(arguments.ctest, arguments.build)
    counts = count(tests)
    if arguments.renew:
        EXPECTED.write_text(json.dumps(dict(sorted(counts.items())), indent=1) + "\n")
    lost, unable = compare(tests, counts, json.loads(EXPECTED.read_text()))
    for group in unable:
        print(f"{group}: cannot run on this machine")
    if lost:
        print("\n".join(lost))
        print("Where that is meant: python3 test/groups.py --renew BUILD")
        return 1
    print(f"{counts.total()} tests in {len(counts)} groups, {len(unable)} groups cannot run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
