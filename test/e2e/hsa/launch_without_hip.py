#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program that launches kernels without HIP, faster than the GPU takes
them and in several threads, and ends it in different ways. Whatever it does,
the tool counts every launch once: what one launch executes is taken from a
plain run in which the program waits."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness
from harness import Failure

KERNEL = "_Z6addOnePj"


def counts_of_one_launch(arguments, directory):
    statistics = f"{directory}/executed.json"
    command = [arguments.program, arguments.code, "1", "1", "wait"]
    plain = harness.run_on_emulator(command, arguments.emulator, "gfx90a", statistics)
    plain.expect(plain.code == 0, "the program fails without luthier")
    return harness.kernel_counts(statistics)[KERNEL]


def test(arguments, directory):
    launches, queues = str(arguments.launches), str(arguments.queues)
    result = harness.run(
        [arguments.luthier, "run", "--tool", "instr-count", "--device", "emulated"]
        + ["--output", directory, "--"]
        + [arguments.program, arguments.code, launches, queues, arguments.end],
        {"LUTHIER_EXIT_TIMEOUT": "2"},
    )
    result.expect(result.code == 0, "the program fails under the tool")
    if arguments.end == "stuck":
        result.expect_in_stderr("gave up waiting")
    elif "gave up" in result.stderr:
        result.fail("kernels did not complete")
    total = arguments.launches * arguments.queues
    once = counts_of_one_launch(arguments, directory)
    expected = {field: count * total for field, count in once.items()}
    counted = harness.kernel_counts(f"{directory}/instr-count.json").get(KERNEL)
    if counted != expected:
        raise Failure(f"counted {counted}, expected {expected}")


harness.main(
    [
        (["--program"], {"help": "the program launches"}),
        (["--code"], {"help": "its code object"}),
        (["--launches"], {"type": int, "help": "in each queue"}),
        (["--queues"], {"type": int}),
        (["end"], {"choices": ["wait", "exit", "destroy", "shut-down", "stuck", "probe"]}),
    ],
    test,
)
