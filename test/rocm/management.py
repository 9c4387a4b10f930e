#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rocm-smi of another version of ROCm sees the emulated GPUs: their devices, buses and memory."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "e2e"))
import harness

MEMORY_MIB = 4096
# PCI device ids of what the emulated GPUs say they are.
DEVICES = {"gfx90a": "0x740c", "gfx1100": "0x744c"}


def test(arguments, directory):
    del directory
    result = harness.run([arguments.luthier, "run", "--device", "emulated:" + ",".join(DEVICES), "--gpu-memory", str(MEMORY_MIB),
                          "--", "rocm-smi", "--showid", "--showbus", "--showmeminfo", "vram", "--json"])
    result.expect(result.code == 0, "rocm-smi fails")
    cards = json.loads(result.stdout)
    result.expect([card["Device ID"] for card in cards.values()] == list(DEVICES.values()), "other devices")
    result.expect(len({card["PCI Bus"] for card in cards.values()}) == len(DEVICES), "GPUs share a place on the bus")
    for card in cards.values():
        result.expect(int(card["VRAM Total Memory (B)"]) == MEMORY_MIB << 20, "another size of memory")


harness.main([], test)
