#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program on several emulated GPUs under a tool whose variable each of them
has for itself: what the host writes on one is not on the other, and what hooks add
up on each is what the emulator executed there, times the number of its node."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness


def test(arguments, directory):
    devices = arguments.device.split(",")
    program = [arguments.program, *devices]
    path = f"{directory}/executed.json"
    plain = harness.run_on_emulator(program, arguments.emulator, arguments.device, path)
    plain.expect(plain.code == 0, "the program fails without luthier")
    expected = [0] * len(devices)  # Without ROCr's own, which tools never see.
    for kernel in harness.read_json(path)["kernels"]:
        if not kernel["name"].startswith("rocr."):
            expected[kernel["device"]] += kernel["wave_instructions"]
    plain.expect(all(expected) and len(set(expected)) == len(expected), "each device is to execute something else")

    result = harness.run(
        [arguments.luthier, "run", "--tool", arguments.tool, "--device", f"emulated:{arguments.device}"]
        + ["--output", directory, "--", *program]
    )
    result.expect(result.code == 0, "the program fails under the tool")
    lines = re.findall(r"^node (\d+): (\d+) by (\d+), 4711$", result.stderr, re.M)
    seen = {int(node): (int(number) - 1000 * int(node)) / int(step) for node, number, step in lines}
    # The host is node 0.
    wanted = {1 + device: number for device, number in enumerate(expected)}
    result.expect(seen == wanted, f"{seen} instead of {wanted}")


harness.main(
    [
        (["--tool"], {"required": True, "help": "the library per-device"}),
        (["--program"], {"required": True, "help": "device-several-gpus"}),
        (["--device"], {"required": True, "help": "what is emulated"}),
    ],
    test,
)
