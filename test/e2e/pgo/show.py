#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `luthier pgo show` says about the example calls: 5003 work-items in waves
of 64, of which functions are called through pointers by lanes that disagree."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import harness  # noqa: E402


def test(arguments, directory):
    result = harness.run([arguments.luthier, "pgo", "show", "--kernel", "Pointer", "--", arguments.program])
    result.expect(result.code == 0, "luthier pgo show fails")
    for text in (
        "callThroughPointer(unsigned int*, unsigned int), gfx90a\n",
        "  0 of 11 blocks never executed, 0.0 % of the code\n",
        "  9 lines of 64 bytes hold what was executed, 8 would do; 0 of 13532 instructions are jumps, 554 taken branches, of which "
        "0 could be spared at most\n",
        " calls scramble(unsigned int, unsigned int): 79 waves, 3335 lanes\n",
        " calls count(unsigned int, unsigned int): 79 waves, 1668 lanes\n",
        "158        50.0  divergent       s_and_saveexec_b64",
    ):
        result.expect(text in result.stdout, f"'{text}' is not said")
    result.expect("callByName" not in result.stdout, "a kernel that nobody asked for is shown")
    result = harness.run([arguments.luthier, "pgo", "collect", "-o", f"{directory}/none", "--", arguments.program])
    result.expect(result.code == 1, "a release without marks has a profile")
    result.expect_in_stderr(": it has no counters, and no pseudo probes or line tables; luthier pgo flags collect says how")
    result.expect(not os.path.exists(f"{directory}/none"), "a profile is written")


if __name__ == "__main__":
    harness.main([(["program"], {})], test)
