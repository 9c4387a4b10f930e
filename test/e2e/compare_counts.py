#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program on the emulated GPU, then again under the tool instr-count, and
compares: what it prints, bit for bit, and what the tool counted with what the
emulator counted in the first run, exactly."""

import os

import harness


def expect_refusals(result, reported, expected):
    """Exactly the expected kernels, each for one of its reasons, and each named
    on stderr with the reason it was refused for."""
    actual = {kernel["name"]: kernel["reason"] for kernel in reported}
    if actual.keys() != expected.keys():
        result.fail(f"refused {sorted(actual)}, expected {sorted(expected)}")
    for name, reason in actual.items():
        if reason not in expected[name]:
            result.fail(f"{name} refused for {reason}, expected {' or '.join(expected[name])}")
        lines = [line for line in result.stderr.splitlines() if name in line and reason in line]
        result.expect(len(lines) == 1, f"{len(lines)} lines on stderr name {name} and {reason}")


def test(arguments, directory):
    plain = harness.run_on_emulator(
        arguments.program, arguments.emulator, arguments.device, f"{directory}/executed.%p.json"
    )
    plain.expect(plain.code == 0, "the program fails without luthier")
    digest = plain.digest_line()
    executed = harness.kernel_counts(f"{directory}/executed.*.json")
    # A comparison of nothing with nothing would always succeed.
    plain.expect(any(c["wave_instructions"] for c in executed.values()), "no kernel was executed")
    if not arguments.luthier:
        return

    expected = {}
    for refusal in arguments.refused:
        name, reasons = refusal.split("=")
        expected[name] = reasons.split(",")
        plain.expect(executed.pop(name, None), f"{name} was not executed")
    output = f"{directory}/output"
    os.mkdir(output)
    result = harness.run(
        [arguments.luthier, "run", "--tool", "instr-count"]
        + ["--device", f"emulated:{arguments.device}", "--output", output, "--"]
        + arguments.program
    )
    result.expect(result.code == 0, "the program fails under the tool")
    result.expect(result.digest_line() == digest, f"results differ; without the tool:\n{digest}")
    # Processes that the program forks may add a file each.
    counted = harness.kernel_counts(f"{output}/instr-count*.json")
    harness.expect_same_counts(counted, executed)
    result.expect("without hooks" not in result.stderr, "code that was counted is said to have no hooks")
    report = harness.read_json(f"{output}/instr-count.json")
    expect_refusals(result, report.get("refused", []), expected)


harness.main(
    [
        (["--device"], {"default": "gfx90a", "help": "what is emulated"}),
        (
            ["--refused"],
            {
                "action": "append",
                "default": [],
                "metavar": "KERNEL=REASON[,REASON]",
                "help": "a kernel that must run unchanged, for one of these reasons",
            },
        ),
        (["program"], {"nargs": "+", "help": "the program and its arguments"}),
    ],
    test,
)
