#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs on the emulated GPU under a number of schedules. Each compares its
results with the host's; here, no schedule may change a bit of them."""

import harness
from harness import Failure


def test(arguments, directory):
    for program in arguments.programs:
        digests = {}
        for seed in range(1, arguments.seeds + 1):
            statistics = f"{directory}/executed.json"
            result = harness.run_on_emulator(
                [program], arguments.emulator, "gfx90a", statistics, LUTHIER_EMULATOR_SEED=str(seed)
            )
            result.expect(result.code == 0, f"the program fails under seed {seed}")
            digests.setdefault(result.digest_line(), seed)
        if len(digests) != 1:
            raise Failure(f"{program}: results depend on the schedule (first seeds): {digests}")


if __name__ == "__main__":
    harness.main(
        [
            (["--seeds"], {"type": int, "default": 1, "help": "run under the seeds 1 to this"}),
            (["programs"], {"nargs": "+", "help": "paths of the programs"}),
        ],
        test,
    )
