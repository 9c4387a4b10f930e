#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tool block-count counts each instruction as the emulated GPU does, by waves
and by active lanes, and names code objects alike. With --most, waves execute at most
so many times as many instructions: what loops count stays in registers."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import harness  # noqa: E402
from harness import Failure  # noqa: E402


def added_up(rows):
    """Code that is in a kernel several times has several."""
    found = {}
    for address, *numbers in rows:
        found[address] = [sum(both) for both in zip(numbers, found.get(address, [0] * len(numbers)))]
    return found


def counts(path):
    """By kernel and code object, of each address."""
    return {
        (kernel["name"], kernel["code"]): added_up(kernel["instructions"])
        for kernel in harness.read_json(path)["kernels"]
        if not kernel["name"].startswith(("rocr.", "__amd_rocclr_"))
    }


def executed_by_waves(path):
    return sum(kernel["wave_instructions"] for kernel in harness.read_json(path)["kernels"]
               if not kernel["name"].startswith(("rocr.", "__amd_rocclr_")))


def test(arguments, directory):
    run = [arguments.luthier, "run", "--device", f"emulated:{arguments.device}"]
    for name, options in (("tool", ["--tool", "block-count", "--output", directory]),
                          ("plain", ["--counts", f"{directory}/emulator.json"])):
        result = harness.run([*run, *options, "--stats", f"{directory}/{name}.stats", "--", arguments.program])
        result.expect(result.code == 0, "the program fails")
    plain, counted = (executed_by_waves(f"{directory}/{name}.stats") for name in ("plain", "tool"))
    if arguments.most and not plain < counted <= arguments.most * plain:
        raise Failure(f"waves execute {counted} instructions instead of {plain}")
    tool, emulator = counts(f"{directory}/block-count.json"), counts(f"{directory}/emulator.json")
    if not emulator or tool.keys() != emulator.keys():
        raise Failure(f"the tool knows {list(tool)}, the emulator {list(emulator)}")
    for kernel, executed in emulator.items():
        for address in executed.keys() | tool[kernel].keys():
            if tool[kernel].get(address) != executed.get(address):
                raise Failure(f"{kernel}: at {address:x} the tool counts {tool[kernel].get(address)}, the emulator "
                              f"{executed.get(address)}")


if __name__ == "__main__":
    harness.main([(["--device"], {"default": "gfx90a"}), (["--most"], {"type": float}), (["program"], {})], test)
