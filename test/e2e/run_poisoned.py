#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs under the poison tool on the emulated GPU in strict mode: what Luthier
calls free is overwritten everywhere, and nothing may change. Prints how many kernels
took part and what they executed."""

import harness

DEVICE = "gfx90a"


def totals(statistics):
    kernels = [k for k in harness.read_json(statistics)["kernels"] if not k["name"].startswith("rocr.")]
    return len(kernels), sum(kernel["wave_instructions"] for kernel in kernels)


def test(arguments, directory):
    for program in arguments.programs:
        command = program.split()
        plain = harness.run_on_emulator(command, arguments.emulator, DEVICE, f"{directory}/plain.json")
        plain.expect(plain.code == 0, "the program fails without luthier")
        kernels, executed = totals(f"{directory}/plain.json")
        for seed in range(1, arguments.seeds + 1):
            statistics = f"{directory}/poisoned.json"
            result = harness.run(
                ["env", f"LUTHIER_POISON_SEED={seed}", arguments.luthier, "run", "--tool", arguments.tool]
                + ["--device", f"emulated:{DEVICE}", "--strict", "--stats", statistics]
                + ["--output", directory, "--"]
                + command
            )
            result.expect(result.code == 0, f"the program fails with poison seed {seed}")
            result.expect("runs unchanged" not in result.stderr, "a kernel was not poisoned")
            result.expect(result.digest_line() == plain.digest_line(), f"results differ with poison seed {seed}")
            _, poisoned = totals(statistics)
            result.expect(poisoned > executed, f"nothing was poisoned: {poisoned} instructions, {executed} without")
        print(f"{program}: {kernels} kernels, {executed} wave instructions, {poisoned} with poison")


if __name__ == "__main__":
    harness.main(
        [
            (["--seeds"], {"type": int, "default": 1, "help": "run under the seeds 1 to this"}),
            (["--tool"], {"required": True, "help": "the poison tool"}),
            (["programs"], {"nargs": "+", "help": "programs with their arguments"}),
        ],
        test,
    )
