#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels do wrong reaches the program by another version of ROCm's own ways,
after a line that says more: with a tool, whose hooks are not to blame."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "e2e"))
import harness

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e", "device")
ABORTED = 128 + 6
# Of the emulator, of runtimes that end the process, and the error of those that do not.
FAULTS = {
    "unmapped": ("global_store_dword", "Memory access fault by GPU node-1", 700),
    "illegal": (".long 0xffffffff", "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION", 719),
    "trap": ("s_trap 2", "HSA_STATUS_ERROR_EXCEPTION", 719),
    "misaligned": ("misaligned atomic", "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION", 700),
}


def test(arguments, directory):
    program = f"{directory}/errors"
    made = harness.run(["hipcc", "-w", "-O2", "--offload-arch=gfx90a", "-I", PROGRAMS, f"{PROGRAMS}/errors.hip", "-o", program])
    made.expect(made.code == 0, "the program cannot be built")
    for fault, (instruction, message, error) in FAULTS.items():
        result = harness.run([arguments.luthier, "run", "--tool", "instr-count", "--device", "emulated:gfx90a", "--output", directory,
                              "--", program, fault])
        told = [line for line in result.stderr.splitlines() if line.startswith("luthier-emulator: ")]
        result.expect(len(told) == 1 and f"{fault}Pi" in told[0] and instruction in told[0], f"{fault}: the emulator says {told}")
        result.expect("buffered text" in result.stdout, f"{fault}: output is lost")
        survived = f"survived with {error}"
        if arguments.goes_on:
            result.expect(result.code == 0 and survived in result.stdout, f"{fault}: the program is not told")
        else:
            result.expect(result.code == ABORTED and message in result.stderr, f"{fault}: the runtime does not end the process")


harness.main([(["--goes-on"], {"action": "store_true", "help": "the runtime returns an error to the program"})], test)
