#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program with one kernel under the tool branch-divergence, with counters in LDS. Launches that leave
no room there are counted in memory, which is said once, and the sums are those of registers."""

import harness


def run_tool(arguments, output, settings):
    result = harness.run(
        [arguments.luthier, "run", "--tool", "branch-divergence", "--device", "emulated:gfx90a", "--output", output, "--",
         arguments.program],
        settings,
    )
    result.expect(result.code == 0, "the program fails under the tool")
    kernel, = harness.read_json(f"{output}/branch-divergence.json")["kernels"]
    return result, kernel


def test(arguments, directory):
    _, expected = run_tool(arguments, f"{directory}/registers", {})
    expected["counted_in"] = arguments.places
    for settings in ({}, {"LUTHIER_BRANCHES_BY_WAVE": "1"}):
        result, told = run_tool(arguments, f"{directory}/lds", {"LUTHIER_BRANCHES_IN_LDS": "1", **settings})
        result.expect(result.stderr.count("where LDS does not suffice") == 1, "it is not said once")
        result.expect(told == expected, f"{told}, registers say {expected}")


if __name__ == "__main__":
    harness.main([(["--places"], {"help": "where launches are counted"}), (["program"], {"help": "the program"})], test)
