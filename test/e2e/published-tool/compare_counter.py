#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program on the emulated GPU, then again under the published tool, and
compares the tool's one number with what the emulator counted in the first run."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import harness  # noqa: E402


def run_tool(arguments, output, lanes):
    os.environ.pop("COUNT_LANES", None)
    if lanes:
        os.environ["COUNT_LANES"] = "1"
    result = harness.run(
        [arguments.luthier, "run", "--tool", arguments.tool, "--device", "emulated:gfx90a"]
        + ["--output", output, "--"]
        + arguments.program
    )
    result.expect(result.code == 0, "the program fails under the tool")
    return result, int(pathlib.Path(f"{output}/counter.txt").read_text())


def test(arguments, directory):
    plain = harness.run_on_emulator(
        arguments.program, arguments.emulator, "gfx90a", f"{directory}/executed.%p.json"
    )
    plain.expect(plain.code == 0, "the program fails without luthier")
    executed = harness.kernel_counts(f"{directory}/executed.*.json").values()
    waves = sum(kernel["wave_instructions"] for kernel in executed)
    lanes = sum(kernel["lane_instructions"] for kernel in executed)
    plain.expect(waves, "no kernel was executed")

    result, counted = run_tool(arguments, f"{directory}/lanes", lanes=True)
    result.expect(result.digest_line() == plain.digest_line(), "results differ")
    result.expect(counted == lanes, f"counted {counted} by lanes, executed {lanes}")
    # Its vector hook leaves out instructions that no lane executes.
    result, counted = run_tool(arguments, f"{directory}/waves", lanes=False)
    result.expect(result.digest_line() == plain.digest_line(), "results differ")
    result.expect(0 < counted <= waves, f"counted {counted} by waves, executed {waves}")


harness.main(
    [
        (["--tool"], {"required": True, "help": "the tool's library"}),
        (["program"], {"nargs": "+", "help": "the program and its arguments"}),
    ],
    test,
)
