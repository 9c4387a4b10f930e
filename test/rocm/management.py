#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rocm-smi and amd-smi of another version of ROCm see the emulated GPUs: their
devices, buses, memory and links to each other."""

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

# As many of them as the tests ask for.
SYSTEMS = [list(DEVICES)[:1], list(DEVICES)]

# What rocm-smi does for `--showevents`, but for waiting: asks GPU 0 for all events,
# of which there are none. The library's number is another one in each version.
LISTENS = """
import ctypes
def library():
    try:
        return ctypes.CDLL("librocm_smi64.so.7")
    except OSError:
        return ctypes.CDLL("librocm_smi64.so.1")
smi = library()
found, data = ctypes.c_uint32(1), ctypes.create_string_buffer(256)
print(smi.rsmi_init(ctypes.c_uint64(0)), smi.rsmi_event_notification_init(0),
      smi.rsmi_event_notification_mask_set(0, ctypes.c_uint64(0xf)),
      smi.rsmi_event_notification_get(0, ctypes.byref(found), data), smi.rsmi_event_notification_stop(0))
"""
NO_DATA = 14


def run(arguments, *words, devices=tuple(DEVICES), codes=(0,)):
    result = harness.run([arguments.luthier, "run", "--device", "emulated:" + ",".join(devices),
                          "--gpu-memory", str(MEMORY_MIB), "--", *words])
    result.expect(result.code in codes, f"{' '.join(words)} fails")
    return result


def report(arguments, *words, **options):
    """What the program prints as JSON, which may stand behind complaints about this machine."""
    result = run(arguments, *words, "--json", **options)
    begin = re.search(r"^[\[{]", result.stdout, re.M)
    result.expect(begin, "there is no JSON")
    return result, json.loads(result.stdout[begin.start():])


def check(result, cards):
    """Each card is its device, its bus and its bytes of memory."""
    result.expect([device for device, _, _ in cards] == list(DEVICES.values()), f"other devices: {cards}")
    result.expect(len({bus for _, bus, _ in cards}) == len(DEVICES), "GPUs share a place on the bus")
    result.expect(all(size == MEMORY_MIB << 20 for _, _, size in cards), f"another size of memory: {cards}")


def between(count, own, others):
    """A table's rows: what each GPU is to itself, and to the others."""
    return [[own if to == of else others for to in range(count)] for of in range(count)]


def shows_each(result, devices):
    """A row, or several, for each GPU, and none for others."""
    shown = {int(number) for number in re.findall(r"^(?:GPU)?\[?:?\s*(\d+)\b(?!:)", result.stdout, re.M)}
    result.expect(shown == set(range(len(devices))), f"other GPUs are shown: {shown}")


def rocm_smi(arguments):
    # 5.2 ends with 2 where a GPU has not all that it asks for, such as a temperature.
    lacks = {"codes": (2,)} if arguments.ends_with_2 else {}
    result, cards = report(arguments, "rocm-smi", "--showid", "--showbus", "--showmeminfo", "vram")
    check(result, [(card.get("Device ID") or card.get("GPU ID"), card["PCI Bus"], int(card["VRAM Total Memory (B)"]))
                   for card in cards.values()])
    result, cards = report(arguments, "rocm-smi", "--showfwinfo", **lacks)
    firmware = [int(card["MEC firmware version"]) for card in cards.values()]
    result.expect(firmware == list(FIRMWARE.values()), f"other firmware: {firmware}")
    # What people type.
    shows_each(run(arguments, "rocm-smi", "-a", **lacks), DEVICES)
    for devices in SYSTEMS:
        shows_each(run(arguments, "rocm-smi", devices=devices, **lacks), devices)
        rocm_smi_links(run(arguments, "rocm-smi", "--showtopo", devices=devices), len(devices))
        result = run(arguments, "rocm-smi", "--showpids", devices=devices)
        result.expect("No KFD PIDs currently running" in result.stdout, "there are processes")
        no_folder_is_missing(result)
    hears_of_events(arguments)


def rocm_smi_links(result, count):
    """Three tables: weights, hops and kinds of the links, which lead over the CPU."""
    rows = [row.split() for row in re.findall(r"^GPU\d+ +(.*)$", result.stdout, re.M)]
    expected = [row for others in ("40", "2", "PCIE") for row in between(count, "0", others)]
    result.expect(rows == expected, f"other links: {rows}")


def no_folder_is_missing(result):
    """Of the driver's."""
    result.expect("process directory" not in result.stdout + result.stderr, "there is no folder of processes")


def hears_of_events(arguments):
    result = harness.run([arguments.luthier, "run", "--device", "emulated", "--", "python3", "-c", LISTENS])
    result.expect(result.stdout.split() == ["0", "0", "0", str(NO_DATA), "0"], "there are no events to ask for")


def amd_smi(arguments):
    result, cards = report(arguments, "amd-smi", "static", "--asic", "--bus", "--vram")
    # Newer ones put it into an object.
    cards = cards["gpu_data"] if isinstance(cards, dict) else cards
    check(result, [(card["asic"]["device_id"], card["bus"]["bdf"], card["vram"]["size"]["value"] << 20) for card in cards])
    for words in ["list"], ["metric"], ["monitor"]:
        shows_each(run(arguments, "amd-smi", *words), DEVICES)
    result = run(arguments, "amd-smi", "version")
    result.expect(re.search(r"AMDSMI Library version: \d", result.stdout), "the library has no version")
    for devices in SYSTEMS:
        amd_smi_of(arguments, devices)


def amd_smi_of(arguments, devices):
    result = run(arguments, "amd-smi", "static", devices=devices)
    shows_each(result, devices)
    shown = re.findall(r"^ +DEVICE_ID: (\S+)$", result.stdout, re.M)
    result.expect(shown == [DEVICES[device] for device in devices], f"other devices: {shown}")
    result.expect(result.stdout.count("NAME: amdgpu\n") == len(devices), "the driver has another name")
    amd_smi_links(run(arguments, "amd-smi", "topology", devices=devices), len(devices))
    result = run(arguments, "amd-smi", "process", devices=devices)
    shows_each(result, devices)
    result.expect(result.stdout.count("No running processes detected") == len(devices), "there are processes")
    no_folder_is_missing(result)


def amd_smi_links(result, count):
    # That of 6.1 has none on virtual machines.
    if "Command 'topology' is invalid" in result.stdout + result.stderr:
        return
    for title, own, others in [("ACCESS", "ENABLED", "ENABLED"), ("WEIGHT", "0", "40"), ("HOPS", "0", "2"),
                               ("LINK TYPE", "SELF", "PCIE")]:
        # Below a line with the buses, each row begins with its own.
        table = re.search(rf"^{title} TABLE:.*\n.*\n((?:[0-9a-f]+:.*\n)+)", result.stdout, re.M)
        result.expect(table, f"there is no table: {title}")
        rows = [row.split()[1:] for row in table[1].splitlines()]
        result.expect(rows == between(count, own, others), f"other links: {title} {rows}")


def test(arguments, directory):
    del directory
    {"rocm-smi": rocm_smi, "amd-smi": amd_smi}[arguments.program](arguments)


harness.main([(["program"], {"choices": ["rocm-smi", "amd-smi"]}),
              (["--ends-with-2"], {"action": "store_true", "help": "where a GPU lacks something"})], test)
