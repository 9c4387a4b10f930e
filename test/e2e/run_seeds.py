#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs on the emulated GPU in strict mode, under a number of schedules and
load timings. Each compares its results with the host's; here, no schedule may change
a bit of them, and none may break a rule."""

import harness
from harness import Failure


def test(arguments, directory):
    for program in arguments.programs:
        digests = {}
        for seed in range(1, arguments.seeds + 1):
            for loads in arguments.loads.split(","):
                strict = f"loads={loads},seed={seed}"
                result = harness.run_on_emulator(
                    [program],
                    arguments.emulator,
                    "gfx90a",
                    f"{directory}/executed.json",
                    LUTHIER_EMULATOR_STRICT=strict,
                )
                result.expect(result.code == 0, f"the program fails with {strict}")
                digests.setdefault(result.digest_line(), strict)
        if len(digests) != 1:
            raise Failure(f"{program}: results depend on the schedule: {digests}")


if __name__ == "__main__":
    harness.main(
        [
            (["--seeds"], {"type": int, "default": 1, "help": "run under the seeds 1 to this"}),
            (["--loads"], {"default": "earliest,latest,random", "help": "load timings"}),
            (["programs"], {"nargs": "+", "help": "paths of the programs"}),
        ],
        test,
    )
