#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program that launches kernels without HIP, faster than the GPU takes
them and in several threads, and ends it in different ways. Whatever it does,
the tool counts every launch once: what one launch executes is taken from a
plain run in which the program waits. With "reload", code is unloaded and other
code takes its place, and its address; what was made of the first is forgotten."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness
from harness import Failure

KERNEL = "_Z6addOnePj"


def counts_of_one_launch(arguments, directory, code):
    statistics = f"{directory}/executed.json"
    command = [arguments.program, code, "1", "1", "finish"]
    plain = harness.run_on_emulator(command, arguments.emulator, "gfx90a", statistics)
    plain.expect(plain.code == 0, "the program fails without luthier")
    return harness.kernel_counts(statistics)[KERNEL]


def test(arguments, directory):
    launches, queues = str(arguments.launches), str(arguments.queues)
    reloads = arguments.end == "reload"
    result = harness.run(
        [arguments.luthier, "run", "--tool", "instr-count", "--device", "emulated"]
        + ["--output", directory, "--"]
        + [arguments.program, arguments.code, launches, queues, arguments.end]
        + [arguments.other_code] * reloads,
        # Others need only not to be stuck, on a busy machine, too.
        {"LUTHIER_EXIT_TIMEOUT": "2"} if arguments.end == "stuck" else {},
    )
    result.expect(result.code == 0, "the program fails under the tool")
    if arguments.end == "stuck":
        result.expect_in_stderr("gave up waiting")
    elif "gave up" in result.stderr:
        result.fail("kernels did not complete")
    total = arguments.launches * arguments.queues
    once = counts_of_one_launch(arguments, directory, arguments.code)
    expected = {field: count * total for field, count in once.items()}
    if reloads:
        # Where ROCr puts the third file is up to what else has been freed meanwhile.
        result.expect("same address" in result.stdout, "no address was used again")
        other = counts_of_one_launch(arguments, directory, arguments.other_code)
        if other["wave_instructions"] == once["wave_instructions"]:
            raise Failure("both files execute the same")
        expected = {field: total * (2 * once[field] + other[field]) for field in once}
    counted = harness.kernel_counts(f"{directory}/instr-count.json").get(KERNEL)
    if counted != expected:
        raise Failure(f"counted {counted}, expected {expected}")


harness.main(
    [
        (["--program"], {"help": "the program launches"}),
        (["--code"], {"help": "its code object"}),
        (["--other-code"], {"help": "another one with that kernel, for reload"}),
        (["--launches"], {"type": int, "help": "in each queue"}),
        (["--queues"], {"type": int}),
        (["end"], {"choices": ["wait", "exit", "destroy", "shut-down", "stuck", "probe", "gate", "reload"]}),
    ],
    test,
)
