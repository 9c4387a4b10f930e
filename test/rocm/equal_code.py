#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same device code below another version of ROCm: example programs whose host
code that ROCm's own compiler makes anew, around the device code of the installed
ROCm's. What the emulator executes and what instr-count counts has to be the same
for each of their kernels, and so have results. With --library, programs and that
library are those of the installed ROCm, and HIP and what is below it are the
other's, which still has the functions of older versions."""

import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "e2e"))
import harness

DEVICE = "gfx90a"
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "programs")


def own(counts):
    """Without the kernels that HIP brings, of which each version has others."""
    return {name: count for name, count in counts.items() if not name.startswith("__amd_rocclr_")}


def run(arguments, program, directory):
    """The result, and the kernels' counts by the emulator and by the tool."""
    command = program.split()
    executed = f"{directory}/executed.%p.json"
    plain = harness.run_on_emulator(command, arguments.emulator, DEVICE, executed)
    plain.expect(plain.code == 0, "the program fails without luthier")
    counted = harness.run([arguments.luthier, "run", "--tool", "instr-count", "--device", f"emulated:{DEVICE}", "--output",
                           directory, "--", *command])
    counted.expect(counted.code == 0, "the program fails under luthier")
    counted.expect(counted.digest_line() == plain.digest_line(), "results differ under luthier")
    return (plain.digest_line(), own(harness.kernel_counts(executed.replace("%p", "*"))),
            own(harness.kernel_counts(f"{directory}/instr-count*.json")))


def run_in(folder, arguments, program):
    os.makedirs(folder)
    return run(arguments, program, folder)


def rebuild(program, directory):
    """A program with the device code of this one, and host code of the other ROCm."""
    name = os.path.basename(program)
    bundle, rebuilt = f"{directory}/{name}.hipfb", f"{directory}/{name}"
    subprocess.run(["objcopy", f"--dump-section=.hip_fatbin={bundle}", program, f"{directory}/{name}.copy"], check=True)
    made = harness.run(["hipcc", "-w", "-O2", "--no-offload-new-driver", "--offload-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", bundle,
                        "-I", EXAMPLES, f"{EXAMPLES}/{name}.hip", "-o", rebuilt])
    made.expect(made.code == 0, "the program cannot be built around its device code")
    return rebuilt


def with_library(library, directory):
    """A folder for LD_LIBRARY_PATH: the library, and the other ROCm's HIP by the name that it asks for."""
    folder = f"{directory}/libraries"
    os.makedirs(folder)
    names = subprocess.run(["objdump", "-p", library], check=True, capture_output=True, text=True).stdout
    shutil.copy(library, f"{folder}/" + re.search(r"SONAME\s+(\S+)", names)[1])
    known = re.search(r"libamdhip64\.so\.\d+ .*=> (\S+)", harness.run(["/sbin/ldconfig", "-p"]).stdout)
    os.symlink(known[1], f"{folder}/" + re.search(r"NEEDED\s+(libamdhip64\.so\.\d+)", names)[1])
    return folder


def test(arguments, directory):
    elsewhere = harness.within
    libraries = with_library(arguments.library, directory) if arguments.library else None
    for program in arguments.program:
        name = os.path.basename(program).replace(" ", "-")
        other = program if libraries else rebuild(program, directory)
        harness.within = []
        here = run_in(f"{directory}/here/{name}", arguments, program)
        harness.within = elsewhere + (["env", f"LD_LIBRARY_PATH={libraries}"] if libraries else [])
        there = run_in(f"{directory}/there/{name}", arguments, other)
        if not here[1]:
            raise harness.Failure(f"{name}: it has no kernels")
        if there[0] != here[0]:
            raise harness.Failure(f"{name}: another result: {there[0]}, not {here[0]}")
        harness.expect_same_counts(there[1], here[1])
        harness.expect_same_counts(there[2], here[2])


harness.main(
    [
        (["program"], {"nargs": "+", "help": f"programs with their arguments, built for {DEVICE}: example programs, "
                                             "unless they run as they are"}),
        (["--library"], {"help": "of the installed ROCm, for programs that run as they are"}),
    ],
    test,
)
