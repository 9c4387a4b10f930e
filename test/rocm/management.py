#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rocm-smi and amd-smi of another version of ROCm see the emulated GPUs: their
devices, buses and memory."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "e2e"))
import harness

MEMORY_MIB = 4096
# PCI device ids of what the emulated GPUs say they are.
DEVICES = {"gfx90a": "0x740c", "gfx1100": "0x744c"}
# Of their command processors.
FIRMWARE = {"gfx90a": 51, "gfx1100": 16}

# What rocm-smi does for `--showevents`, but for waiting: asks GPU 0 for all events,
# of which there are none.
LISTENS = """
import ctypes
smi = ctypes.CDLL("librocm_smi64.so.1")
found, data = ctypes.c_uint32(1), ctypes.create_string_buffer(256)
print(smi.rsmi_init(ctypes.c_uint64(0)), smi.rsmi_event_notification_init(0),
      smi.rsmi_event_notification_mask_set(0, ctypes.c_uint64(0xf)),
      smi.rsmi_event_notification_get(0, ctypes.byref(found), data), smi.rsmi_event_notification_stop(0))
"""
NO_DATA = 14


def run(arguments, *words):
    result = harness.run([arguments.luthier, "run", "--device", "emulated:" + ",".join(DEVICES),
                          "--gpu-memory", str(MEMORY_MIB), "--", *words])
    result.expect(result.code == 0, f"{' '.join(words)} fails")
    return result


def report(arguments, *words):
    """What the program prints as JSON, which may stand behind complaints about this machine."""
    result = run(arguments, *words, "--json")
    begin = re.search(r"^[\[{]", result.stdout, re.M)
    result.expect(begin, "there is no JSON")
    return result, json.loads(result.stdout[begin.start():])


def check(result, cards):
    """Each card is its device, its bus and its bytes of memory."""
    result.expect([device for device, _, _ in cards] == list(DEVICES.values()), f"other devices: {cards}")
    result.expect(len({bus for _, bus, _ in cards}) == len(DEVICES), "GPUs share a place on the bus")
    result.expect(all(size == MEMORY_MIB << 20 for _, _, size in cards), f"another size of memory: {cards}")


def rocm_smi(arguments):
    result, cards = report(arguments, "rocm-smi", "--showid", "--showbus", "--showmeminfo", "vram")
    check(result, [(card["Device ID"], card["PCI Bus"], int(card["VRAM Total Memory (B)"])) for card in cards.values()])
    result, cards = report(arguments, "rocm-smi", "--showfwinfo")
    firmware = [int(card["MEC firmware version"]) for card in cards.values()]
    result.expect(firmware == list(FIRMWARE.values()), f"other firmware: {firmware}")
    # What people type.
    for words in [], ["-a"]:
        shows_both(run(arguments, "rocm-smi", *words))
    hears_of_events(arguments)


def shows_both(result):
    """A row, or several, for each GPU."""
    for number in range(len(DEVICES)):
        result.expect(re.search(rf"^(GPU)?\[?:?\s*{number}\b", result.stdout, re.M), f"GPU {number} is not shown")


def hears_of_events(arguments):
    result = harness.run([arguments.luthier, "run", "--device", "emulated", "--", "python3", "-c", LISTENS])
    result.expect(result.stdout.split() == ["0", "0", "0", str(NO_DATA), "0"], "there are no events to ask for")


def amd_smi(arguments):
    result, cards = report(arguments, "amd-smi", "static", "--asic", "--bus", "--vram")
    # Newer ones put it into an object.
    cards = cards["gpu_data"] if isinstance(cards, dict) else cards
    check(result, [(card["asic"]["device_id"], card["bus"]["bdf"], card["vram"]["size"]["value"] << 20) for card in cards])
    for words in ["list"], ["metric"], ["monitor"]:
        shows_both(run(arguments, "amd-smi", *words))


def test(arguments, directory):
    del directory
    {"rocm-smi": rocm_smi, "amd-smi": amd_smi}[arguments.program](arguments)


harness.main([(["program"], {"choices": ["rocm-smi", "amd-smi"]})], test)
