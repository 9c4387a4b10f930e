#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loop that OpenMP offloads to the GPU, by a clang that is packaged with a runtime for
that: it runs as on the host, instr-count counts what the emulated GPU does, and its
lines have a profile, by hooks as by the emulated GPU, with which it computes the same."""

from builds import Failure, harness
from instructions import executed_by_waves

ARGUMENTS = [
    (["--clang"], {"required": True}),
    (["--runtime"], {"required": True, "help": "the folder of libomptarget.so"}),
    (["--device"], {"default": "gfx90a"}),
    (["source"], {}),
]


def test(arguments, directory):
    target = "amdgcn-amd-amdhsa"
    offload = ["-fopenmp", f"-fopenmp-targets={target}", f"-Xopenmp-target={target}", f"-march={arguments.device}"]
    lines = ["-gline-tables-only", "-fdebug-info-for-profiling"]

    def compiled(name, *flags):
        result = harness.run([arguments.clang, "-O2", *offload, *lines, *flags, arguments.source, "-o", f"{directory}/{name}"])
        result.expect(result.code == 0, "the compiler fails")
        return f"{directory}/{name}"

    def run(command, offloading="MANDATORY"):
        result = harness.run(["env", f"OMP_TARGET_OFFLOAD={offloading}", f"LD_LIBRARY_PATH={arguments.runtime}", *command])
        result.expect(result.code == 0, "it fails")
        return result

    def on_gpu(step, *options, program):
        """Prints what the host does."""
        result = run([arguments.luthier, *step, "--device", f"emulated:{arguments.device}", *options, "--", program])
        result.expect(result.stdout == expected, f"what the host computes is {expected}")

    program = compiled("program")
    expected = run([program], offloading="DISABLED").stdout
    statistics, counted = f"{directory}/statistics.json", f"{directory}/instr-count.json"
    on_gpu(["run"], "--stats", statistics, program=program)
    executed = executed_by_waves(statistics)
    on_gpu(["run"], "--tool", "instr-count:runtime-kernels=no", "--output", directory, program=program)
    if not executed or executed_by_waves(counted) != executed:
        raise Failure(f"{executed} instructions are executed, and counted {executed_by_waves(counted)}")

    profiles = []
    for way in ("emulator", "hooks"):
        path = f"{directory}/{way}.prof"
        on_gpu(["pgo", "collect"], "--count-by", way, "--text", "-o", path, program=program)
        with open(path) as file:
            profiles.append(file.read())
    if profiles[0] != profiles[1] or "__omp_offloading_" not in profiles[0]:
        raise Failure(f"by the emulator:\n{profiles[0]}by hooks:\n{profiles[1]}")
    on_gpu(["run"], program=compiled("with-profile", f"-fprofile-sample-use={path}"))


if __name__ == "__main__":
    harness.main(ARGUMENTS, test)
