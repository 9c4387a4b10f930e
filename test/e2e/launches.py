#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program under examples/tools/LaunchCount.hip: each launch is reported once,
and what the launches of a kernel execute adds up to what the emulator executed."""

import os
import re
import sys
from collections import defaultdict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness


def test(arguments, directory):
    path = f"{directory}/executed.json"
    plain = harness.run_on_emulator(arguments.program, arguments.emulator, "gfx90a", path)
    plain.expect(plain.code == 0, "the program fails without luthier")
    wanted = {}
    for kernel in harness.read_json(path)["kernels"]:
        if not kernel["name"].startswith("rocr."):
            wanted[kernel["name"]] = [kernel["dispatches"], kernel["wave_instructions"]]
    result = harness.run(
        [arguments.luthier, "run", "--device", "emulated", "--tool", arguments.tool, "--", *arguments.program]
    )
    result.expect(result.code == 0, "the program fails under the tool")
    seen = defaultdict(lambda: [0, 0])
    for count, name in re.findall(r"^(\d+) instructions by a launch of (\S+)$", result.stderr, re.M):
        seen[name][0] += 1
        seen[name][1] += int(count)
        result.expect(int(count) > 0, f"a launch of {name} executed nothing")
    result.expect(dict(seen) == wanted, f"{dict(seen)} instead of {wanted}")


harness.main([(["--tool"], {"required": True}), (["program"], {"nargs": "+"})], test)
