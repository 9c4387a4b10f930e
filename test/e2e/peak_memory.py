#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs small programs on the emulated GPU, with and without strict mode, and holds
what any of them keeps in the host's memory at a time against a limit."""

import resource

import harness
from harness import Failure

# A process that the runtime is loaded into cannot have less; a figure below means
# that something else was measured.
LEAST_MIB = 20


def test(arguments, directory):
    for program in arguments.programs:
        for strict in ["0", "1"]:
            result = harness.run_on_emulator(
                [program], arguments.emulator, "gfx90a", f"{directory}/executed.json", LUTHIER_EMULATOR_STRICT=strict
            )
            result.expect(result.code == 0, f"the program fails with LUTHIER_EMULATOR_STRICT={strict}")
            result.digest_line()
            # Of all processes so far, the largest; in KiB.
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            print(f"{program}, strict={strict}: {peak:.0f} MiB at most so far")
            if not LEAST_MIB < peak <= arguments.mib:
                raise Failure(f"{program} with LUTHIER_EMULATOR_STRICT={strict} took {peak:.0f} MiB")


if __name__ == "__main__":
    harness.main(
        [
            (["--mib"], {"type": int, "required": True, "help": "the limit"}),
            (["programs"], {"nargs": "+", "help": "paths of the programs"}),
        ],
        test,
    )
