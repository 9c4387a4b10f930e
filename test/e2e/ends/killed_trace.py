#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process that is killed under mem-trace leaves a trace that can be read: the table has the
line of each record that is in the file."""

import csv
import os
import signal
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness
from harness import Failure
from killed import killed_once

RECORD = struct.Struct("<QIIIHH")
ENOUGH = 1000 * RECORD.size


def test(arguments, directory):
    command = [arguments.luthier, "run", "--device", "emulated", "--tool", "mem-trace", "--output", directory, "--",
               arguments.program, arguments.code, "1000000000", "1", "wait"]
    path = f"{directory}/mem-trace.bin"
    status = killed_once(command, lambda: os.path.exists(path) and os.path.getsize(path) >= ENOUGH)
    if status != -signal.SIGKILL:
        raise Failure(f"the program ended with {status}")
    with open(path, "rb") as file:
        trace = file.read()
    # The last one may have been cut off.
    used = {record[1] for record in RECORD.iter_unpack(trace[:len(trace) // RECORD.size * RECORD.size])}
    with open(f"{directory}/mem-trace.csv", newline="") as file:
        known = {int(row["instruction"]) for row in csv.DictReader(file)}
    if not used or not used <= known:
        raise Failure(f"records of the lines {sorted(used)}, but the table has {sorted(known)}")


harness.main(
    [
        (["--program"], {"help": "the program launches"}),
        (["--code"], {"help": "its code object"}),
    ],
    test,
)
