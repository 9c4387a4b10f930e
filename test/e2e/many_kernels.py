#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hundreds of instrumented kernels: each holds little of the host's memory, needs no hook to be compiled that an earlier
one had compiled, though each gives the hooks a constant of its own, and is counted exactly by instr-count."""

import re

import harness


def run(arguments, directory, name, *options, **variables):
    path = f"{directory}/{name}.json"
    result = harness.run(
        [arguments.luthier, "run", "--device", "emulated:gfx90a", "--stats", path, "--output", f"{directory}/{name}",
         *options, "--", arguments.program],
        variables)
    result.expect(result.code == 0 and "right" in result.stdout, f"the program fails: {name}")
    return result, harness.kernel_counts(path)


def memory_per_kernel(result):
    """KiB that each further kernel adds to the process."""
    (first, before), (last, after) = re.findall(r"^(\d+) kernels: (\d+) KiB$", result.stdout, re.M)
    return (int(after) - int(before)) / (int(last) - int(first))


def test(arguments, directory):
    _, plain = run(arguments, directory, "plain")
    timings = f"{directory}/timings"
    result, _ = run(arguments, directory, "hooked", "--tool", arguments.tool, LUTHIER_TIMINGS=timings)
    if arguments.tool == "instr-count":
        harness.expect_same_counts(harness.kernel_counts(f"{directory}/hooked/instr-count.json"), plain)

    kernels = harness.read_json_lines(timings)
    result.expect(len(kernels) == len(plain) > 100, f"{len(kernels)} of {len(plain)} kernels were instrumented")
    payloads = sum(kernel["payloads"] for kernel in kernels)
    compiled = sum(kernel["payloads_compiled"] for kernel in kernels)
    result.expect(payloads >= len(kernels), f"{payloads} payloads in {len(kernels)} kernels")
    print(f"{compiled} of {payloads} payloads were compiled")
    result.expect(0 < compiled <= arguments.compiled, f"{compiled} of {payloads} payloads were compiled")

    kib = memory_per_kernel(result)
    print(f"{kib:.0f} KiB for each kernel")
    result.expect(kib <= arguments.kib, f"each kernel holds {kib:.0f} KiB")


harness.main(
    [
        (["--kib"], {"type": int, "required": True, "help": "that a kernel may hold"}),
        (["--compiled"], {"type": int, "required": True, "help": "payloads that may be compiled, for all kernels"}),
        (["--tool"], {"default": "instr-count"}),
        (["program"], {}),
    ],
    test,
)
