# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a GoogleTest program has."""
import subprocess


def cases_by_suite(program):
    """The names of its tests, by their suites, in the program's order."""
    command = [program, "--gtest_list_tests"]
    shown = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout
    cases = {}
    for line in shown.splitlines():
        # What follows the hash is the value of a parameter.
        name = line.split("#")[0].rstrip()
        if line.startswith("  "):
            cases[suite].append(name.strip())
        elif name.endswith("."):
            suite = name[:-1]
            cases[suite] = []
    return cases
