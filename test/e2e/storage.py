#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program on the emulated GPU, then again in strict mode with hooks that need launch
state and a stack before every instruction, in as few registers as the policy says, once per
storage form of the state. Results and counts must stay, and costs be told for every kernel.
Only kernels that have no registers for a form may be refused, and only where --may-refuse
says so. Waves that wait for each other (--waits) execute what timing wants, so that counts say
nothing: their kernels run in lockstep with the originals instead. Prints what each form
executed, for comparing them."""

import json
import re

import harness
from harness import Failure

FORMS = ["vgpr", "agpr", "two-agprs", "agpr-3sgprs", "spilled-3sgprs", "spilled-1sgpr"]


def statistics(path):
    """By kernel, without ROCr's own."""
    kernels = harness.read_json(path)["kernels"]
    return {kernel["name"]: kernel for kernel in kernels if not kernel["name"].startswith("rocr.")}


def expect_counts(result, executed, report, arguments):
    for name, kernel in executed.items():
        if name in report["refused"] or (arguments.waits and re.search(arguments.waits, name)):
            continue
        counted = report["kernels"].get(name)
        if counted != kernel["wave_instructions"]:
            result.fail(f"{name}: counted {counted}, executed {kernel['wave_instructions']}")


def expect_refusals(result, executed, report, form, arguments):
    for name, reason in report["refused"].items():
        if reason != "register-budget" or form not in arguments.may_refuse:
            result.fail(f"{name} refused for {reason} with {form or 'no form'}")
    if form not in arguments.may_refuse and len(report["refused"]) == len(executed):
        result.fail("no kernel was instrumented")


def expect_costs(result, executed, report, form, text):
    for name in executed.keys() - report["refused"].keys():
        found = re.search(rf"^kernel {re.escape(name)}.*:.*\n(  .*\n)+", text, re.M)
        result.expect(found, f"no costs of {name}")
        if form:
            result.expect(f"  state      {form}\n" in found[0], f"{name} is not in {form}:\n{found[0]}")


def expect_lockstep(form, arguments):
    variables = {"LUTHIER_REGISTERS": arguments.registers}
    if form:
        variables["LUTHIER_STATE_STORAGE"] = form
    result = harness.run(
        [arguments.luthier, "verify", "--tool", arguments.tool, "--device", f"emulated:{arguments.device}", "--strict", "--"]
        + arguments.program,
        variables,
    )
    result.expect(result.code == 0, f"lockstep fails with {form}")
    match = re.search(r"no difference: (\d+) kernel", result.stderr)
    result.expect(match and int(match[1]) > 0, f"nothing was compared with {form}")


def test(arguments, directory):
    path = f"{directory}/statistics.json"
    plain = harness.run_on_emulator(arguments.program, arguments.emulator, arguments.device, path)
    plain.expect(plain.code == 0, "the program fails without luthier")
    digest, executed = plain.digest_line(), statistics(path)
    if not executed:
        raise Failure("no kernel was executed")
    for form in arguments.form or ["", *FORMS]:
        costs = f"{directory}/costs-{form}.txt"
        result = harness.run(
            [arguments.luthier, "run", "--tool", arguments.tool, "--device", f"emulated:{arguments.device}"]
            + ["--strict", "--registers", arguments.registers, "--output", directory, "--stats", path]
            + ["--costs", costs]
            + (["--state-storage", form] if form else [])
            + ["--"]
            + arguments.program
        )
        result.expect(result.code == 0, f"the program fails with {form}")
        result.expect(result.digest_line() == digest, f"results differ; without the tool:\n{digest}")
        report = harness.read_json(f"{directory}/state-count.json")
        expect_refusals(result, executed, report, form, arguments)
        expect_counts(result, executed, report, arguments)
        if arguments.waits:
            expect_lockstep(form, arguments)
        with open(costs, "a+") as file:
            file.seek(0)
            expect_costs(result, executed, report, form, file.read())
        after = statistics(path)
        figures = {
            "form": form or "chosen",
            "kernels": len(executed),
            "refused": len(report["refused"]),
            "wave_instructions": sum(kernel["wave_instructions"] for kernel in after.values()),
            "cycles": sum(kernel["cycles"] for kernel in after.values()),
        }
        print(json.dumps(figures))


harness.main(
    [
        (["--device"], {"default": "gfx90a", "help": "what is emulated"}),
        (["--registers"], {"default": "no-grow", "help": "the policy"}),
        (["--form"], {"action": "append", "default": [], "help": "only this one; empty: not forced"}),
        (["--may-refuse"], {"action": "append", "default": [], "help": "a form that kernels may not fit"}),
        (["--tool"], {"required": True, "help": "the library state-count"}),
        (["--waits"], {"help": "kernels whose waves wait for each other: a regular expression"}),
        (["program"], {"nargs": "+", "help": "the program and its arguments"}),
    ],
    test,
)
