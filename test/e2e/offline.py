#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`luthier instrument`: what it writes runs through the GPU runtime, without
luthier. One function per case."""

import re

import harness


def instrument(arguments, file, out):
    result = harness.run([arguments.luthier, "instrument", file, "--tool", "instr-count", "-o", out])
    result.expect(result.code == 0, "instrument fails")
    result.expect(re.search(r"^[1-9]\d* kernels? instrumented, 0 unchanged$", result.stdout, re.M),
                  "not all kernels are instrumented")


def run(arguments, command, statistics):
    return harness.run_on_emulator(
        command, arguments.emulator, "gfx90a", statistics, LUTHIER_EMULATOR_STRICT="1"
    )


def wave_instructions(statistics):
    return {name: counts["wave_instructions"] for name, counts in harness.kernel_counts(statistics).items()}


def program_runs_as_before(arguments, directory):
    """With its bundle in another place of the file. That hooks run shows in what
    the device executes."""
    out = f"{directory}/instrumented"
    instrument(arguments, arguments.program, out)
    before = run(arguments, [arguments.program], f"{directory}/before.json")
    after = run(arguments, [out], f"{directory}/after.json")
    after.expect(after.code == 0, "the instrumented program fails")
    after.expect(after.digest_line() == before.digest_line(), "results differ")
    plain = wave_instructions(f"{directory}/before.json")
    hooked = wave_instructions(f"{directory}/after.json")
    after.expect(plain.keys() == hooked.keys(), "other kernels ran")
    for name, count in plain.items():
        after.expect(hooked[name] > 2 * count, f"{name} executes {hooked[name]} instructions, before {count}")


def variables_are_found_by_name(arguments, directory):
    """A program reads, through HIP, what the tool's hooks counted: exactly what
    the emulator counts without them."""
    out = f"{directory}/instrumented.co"
    instrument(arguments, arguments.code_object, out)
    before = run(arguments, [arguments.loader, arguments.code_object], f"{directory}/before.json")
    after = run(arguments, [arguments.loader, out], f"{directory}/after.json")
    after.expect(after.code == 0, "the program fails")
    before.expect("counted" not in before.stdout, "the original has the tool's variable")
    count = wave_instructions(f"{directory}/before.json")["collatzSteps"]
    after.expect(after.stdout == before.stdout + f"counted {count}\n", f"not {before.stdout}counted {count}")


CASES = {case.__name__.replace("_", "-"): case for case in (program_runs_as_before, variables_are_found_by_name)}

harness.main(
    [
        (["--program"], {"help": "an example that passes"}),
        (["--code-object"], {"help": "with kernel collatzSteps"}),
        (["--loader"], {"help": "a program that runs it"}),
        (["case"], {"choices": CASES}),
    ],
    lambda arguments, directory: CASES[arguments.case](arguments, directory),
)
