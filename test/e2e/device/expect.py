#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program on the emulated GPU and checks how it ends: its exit code, or the
signal that ends it, what it says, and that the statistics name the kernels they have to."""

import os
import re
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness


def test(arguments, directory):
    statistics = f"{directory}/executed.json"
    settings = dict(setting.split("=", 1) for setting in arguments.set)
    devices = settings.pop("LUTHIER_EMULATED_GPU", "gfx90a")
    result = harness.run_on_emulator(arguments.program, arguments.emulator, devices, statistics, **settings)
    expected = -getattr(signal, arguments.ends) if arguments.ends.startswith("SIG") else int(arguments.ends)
    result.expect(result.code == expected, f"the program should end with {arguments.ends}")
    for pattern in arguments.says:
        result.expect(re.search(pattern, result.stdout + result.stderr), f"nothing says '{pattern}'")
    for pattern in arguments.keeps_quiet:
        result.expect(not re.search(pattern, result.stdout + result.stderr), f"something says '{pattern}'")
    if arguments.executed:
        rows = harness.read_json(statistics)["kernels"]
        for entry in arguments.executed:
            device, pattern = entry.split(":", 1)
            found = any(row["device"] == int(device) and re.search(pattern, row["name"]) for row in rows)
            result.expect(found, f"the statistics have no kernel '{pattern}' on device {device}: {rows}")


if __name__ == "__main__":
    harness.main(
        [
            (["--set"], {"action": "append", "default": [], "metavar": "NAME=VALUE", "help": "environment"}),
            (["--ends"], {"default": "0", "help": "exit code or name of a signal"}),
            (["--says"], {"action": "append", "default": [], "help": "pattern that the output has"}),
            (["--keeps-quiet"], {"action": "append", "default": [], "help": "pattern that the output has not"}),
            (["--executed"], {"action": "append", "default": [], "metavar": "DEVICE:PATTERN"}),
            (["program"], {"nargs": "+", "help": "the program and its arguments"}),
        ],
        test,
    )
