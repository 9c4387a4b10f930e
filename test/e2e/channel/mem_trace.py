#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each instruction that accesses memory is in the trace as often as the emulated GPU
executes it, once for each active lane, and lanes of vector-add access neighbours."""

import collections
import csv
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness

scalar_lane = 64


def test(arguments, directory):
    counts = f"{directory}/counts.json"
    command = [arguments.luthier, "run", "--device", "emulated"]
    plain = harness.run(command + ["--counts", counts, "--", arguments.program])
    plain.expect(plain.code == 0, "the program fails without a tool")
    expected = {}
    for kernel in harness.read_json(counts)["kernels"]:
        for address, executions, lanes in kernel["instructions"]:
            expected[kernel["name"], address] = (executions, lanes)

    result = harness.run(command + ["--tool", "mem-trace", "--output", directory, "--", arguments.program])
    result.expect(result.code == 0, "the program fails under the tool")
    result.expect(result.digest_line() == plain.digest_line(), "the program computes something else")
    records = list(struct.iter_unpack("=QIIIHH", open(f"{directory}/mem-trace.bin", "rb").read()))
    result.expect_in_stderr(f"mem-trace: {len(records)} accesses in ")
    seen = collections.Counter(record[1] for record in records)
    rows = list(csv.DictReader(open(f"{directory}/mem-trace.csv")))
    result.expect(rows and records, "nothing is traced")
    for row in rows:
        executions, lanes = expected.get((row["kernel"], int(row["address"], 16)), (0, 0))
        wanted = executions if row["space"] == "scalar" else lanes
        number = seen.pop(int(row["instruction"]), 0)
        result.expect(number == wanted, f"{row} is traced {number} times instead of {wanted}")
    result.expect(not seen, f"instructions without a row: {seen}")

    strided = [int(row["instruction"]) for row in rows if row["mnemonic"].startswith("global_")]
    last = {}
    for address, instruction, launch, wave, size, lane in records:
        if instruction in strided:
            before = last.get((instruction, launch, wave))
            if before and arguments.strided:
                result.expect(address == before[0] + size * (lane - before[1]), "lanes do not access neighbours")
            last[instruction, launch, wave] = (address, lane)


    # Where it cannot be written.
    os.remove(f"{directory}/mem-trace.bin")
    os.symlink("/dev/full", f"{directory}/mem-trace.bin")
    result = harness.run(command + ["--tool", "mem-trace", "--output", directory, "--", arguments.program])
    result.expect(result.code == 0, "the program fails")
    result.expect_in_stderr("mem-trace.bin: No space left on device")
    result.expect_in_stderr(f"mem-trace: {len(records)} accesses, of which the first 0 are in ")


harness.main(
    [
        (["--strided"], {"action": "store_true", "help": "lanes access neighbours in global memory"}),
        (["program"], {"help": "the program"}),
    ],
    test,
)
