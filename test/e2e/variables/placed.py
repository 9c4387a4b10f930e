#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tool's code is loaded onto a device where a hook needs an address that the loader gives, and only there: of a
variable that is not managed, or of the cell that leads to a managed one, which then holds the right address."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness

# Of vector-add: 391 workgroups of 256.
WORK_ITEMS = 391 * 256


def run(arguments, directory, tool, is_placed, **variables):
    result = harness.run(
        [arguments.luthier, "run", "--device", "emulated", "--output", directory, "--tool", tool, "--",
         *arguments.program],
        {"LUTHIER_LOG": "debug", **variables})
    result.digest_line()
    result.expect(result.code == 0, "the program fails")
    times = result.stderr.count("loaded the device code of")
    result.expect(times == int(is_placed), f"the tool's code was loaded {times} times")
    return result


def test(arguments, directory):
    for hook, is_placed in (("none", False), ("empty", False), ("atomic", False), ("store", True)):
        result = run(arguments, directory, arguments.tool, is_placed, LUTHIER_COST_HOOK=hook)
        result.expect(("instrumented " in result.stderr) == (hook in ("atomic", "store")), f"{hook} is not inserted")
    run(arguments, directory, arguments.chosen, True).expect_in_stderr(
        f"chosen: {WORK_ITEMS // 2} and {WORK_ITEMS // 2}\n")


harness.main(
    [
        (["--tool"], {"required": True, "help": "the library cost-hooks"}),
        (["--chosen"], {"required": True, "help": "the library chosen"}),
        (["program"], {"nargs": "+"}),
    ],
    test,
)
