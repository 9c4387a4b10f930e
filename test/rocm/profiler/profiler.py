#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A profiler that rocprofiler-register brings to ROCm's tables, beside Luthier: both see every dispatch, the profiler has
its times, and the program computes the same."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "e2e"))
import harness

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Profiler.cpp")


def test(arguments, directory):
    profiler = f"{directory}/libprofiler.so"
    made = harness.run(["hipcc", "-w", "-O2", "-fPIC", "-shared", "-DAMD_INTERNAL_BUILD", "-I/usr/include/hsa", "-x", "c++", SOURCE, "-o", profiler])
    made.expect(made.code == 0, "the profiler cannot be built")
    variables = {"HSA_TOOLS_LIB": profiler, "ROCPROFILER_REGISTER_LIBRARY": profiler}
    program = os.path.abspath(arguments.program)

    def run(with_profiler, *tools):
        return harness.run([arguments.luthier, "run", "--device", "emulated:gfx942", "--output", directory, *tools, "--", program],
                           variables if with_profiler else {})

    digest = run(False).digest_line()
    for tools in [], ["--tool", "instr-count"]:
        result = run(True, *tools)
        result.expect(result.code == 0 and result.digest_line() == digest, f"the program computes something else than {digest}")
        told = [line for line in result.stderr.splitlines() if line.startswith("profiler: ")]
        if not tools:
            alone = told
            result.expect(len(told) == 1 and "not registered" not in told[0], f"the profiler alone says {told}")
        result.expect(told == alone, f"the profiler says {told}, alone {alone}")
        result.expect("luthier: " not in result.stderr, "Luthier has something to say")
    kernels = harness.read_json(f"{directory}/instr-count.json")["kernels"]
    seen = sum(kernel["dispatches"] for kernel in kernels)
    result.expect(f" {seen} dispatches, {seen} timed" in told[0], f"{told} beside {seen} dispatches that Luthier has seen")


harness.main([(["program"], {"help": "an example program for gfx942"})], test)
