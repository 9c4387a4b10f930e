#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of tools on the command line, of programs and of files. One function per
case."""

import os

import harness


def run(arguments, tool, *program, command=("run", "--device", "emulated"), **variables):
    return harness.run([arguments.luthier, *command, "--tool", tool, "--", *program], variables)


def reach_the_tool(arguments, directory):
    """Counting by waves writes a file, in which all waves together have the numbers of the other."""
    for tool in ("branch-divergence", "branch-divergence:by-wave"):
        result = run(arguments, tool, arguments.program, command=("run", "--device", "emulated", "--output", directory))
        result.expect(result.code == 0, "the program fails")
        result.digest_line()
        is_written = os.path.exists(f"{directory}/branch-divergence-waves.csv")
        result.expect(is_written == tool.endswith("by-wave"), "the option is not obeyed")
    with open(f"{directory}/branch-divergence-waves.csv") as file:
        executed = sum(int(line.split(",")[4]) for line in file.readlines()[1:])
    kernels = harness.read_json(f"{directory}/branch-divergence.json")["kernels"]
    wanted = sum(branch["executed"] for kernel in kernels for branch in kernel["branches"])
    result.expect(executed == wanted > 0, f"{executed} instead of {wanted}")


def belong_to_one_tool_each(arguments, directory):
    """The first takes nothing, so that the second has the kernels."""
    result = harness.run(
        [arguments.luthier, "run", "--device", "emulated", "--output", directory]
        + ["--tool", "scramble:kernel=nothing", "--tool", "branch-divergence:in-memory", "--", arguments.program]
    )
    result.expect(result.code == 0, "the program fails")
    kernels = harness.read_json(f"{directory}/branch-divergence.json")["kernels"]
    result.expect(kernels and all(kernel["counted_in"] == "memory" for kernel in kernels), "the option is not obeyed")


def are_stronger_than_variables(arguments, directory):
    result = run(arguments, "scramble:kernel=nothing", arguments.program, command=("verify",),
                 LUTHIER_SCRAMBLE_KERNEL="collatz")
    result.expect_in_stderr("NOTHING COMPARED")
    result = run(arguments, "scramble", arguments.program, command=("verify",), LUTHIER_SCRAMBLE_KERNEL="nothing")
    result.expect_in_stderr("NOTHING COMPARED")
    result = run(arguments, "scramble:kernel=collatz,seed=3", arguments.program, command=("verify",))
    result.expect_in_stderr("no difference: 1 kernel")


def are_checked_before_the_program_runs(arguments, directory):
    for tool, why in [
        ("branch-divergence:by-wav", "has no option 'by-wav'; it has: by-wave, clocks, in-lds, in-memory"),
        ("scramble:seed=x", "option seed=x is not a whole number from 0 on"),
        ("mem-trace:kib=99999999999", "option kib=99999999999 is not a whole number from 0 to 4294967295"),
        ("mem-trace:kib=16,kib=32", "option kib has two values"),
        ("scramble:stack=maybe", "is not one of auto|0|1"),
        ("instr-count:runtime-kernels=", "is not one of yes|no"),
        ("load-range:x=1", "has no option 'x' nor any other"),
    ]:
        for command in [("run",), ("verify",)]:
            result = run(arguments, tool, "echo", "started", command=command)
            result.expect(result.code == 2, "the request is not refused")
            result.expect("started" not in result.stdout, "the program ran nevertheless")
            result.expect_in_stderr(why)
            result.expect_in_stderr(":help explains its options")
        result = harness.run([arguments.luthier, "instrument", arguments.program, "--tool", tool,
                              "-o", f"{directory}/out"])
        result.expect(result.code == 2 and not os.path.exists(f"{directory}/out"), "the request is not refused")
        result.expect_in_stderr(why)


def are_explained(arguments, directory):
    result = harness.run([arguments.luthier, "run", "--tool", "scramble:help"])
    result.expect(result.code == 0, "no help")
    for text in ("seed=whole number from 0 on", "stack=auto|0|1", "kernel=text", "other garbage (0)"):
        result.expect(text in result.stdout, f"{text} is missing")
    result = harness.run([arguments.luthier, "run", "--tool", "load-range:help"])
    result.expect(result.code == 0 and "load-range has no options" in result.stdout, "not said")
    result = harness.run([arguments.luthier, "run", "--tool", "no-such-tool:help"])
    result.expect(result.code == 2, "the request is not refused")


def reach_tools_that_instrument_files(arguments, directory):
    for pattern, said in [("collatz", "1 kernel instrumented, 0 unchanged"), ("nothing", "0 kernels instrumented")]:
        result = harness.run([arguments.luthier, "instrument", arguments.program, "-o", f"{directory}/out",
                              "--tool", f"scramble:stack=0,kernel={pattern}"])
        result.expect(said in result.stdout, f"not said: {said}")


CASES = {
    case.__name__.replace("_", "-"): case
    for case in (
        reach_the_tool,
        belong_to_one_tool_each,
        are_stronger_than_variables,
        are_checked_before_the_program_runs,
        are_explained,
        reach_tools_that_instrument_files,
    )
}

harness.main(
    [(["--program"], {"help": "collatz"}), (["case"], {"choices": CASES})],
    lambda arguments, directory: CASES[arguments.case](arguments, directory),
)
