#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program under two tools at once, one that counts and one that traces: it does what
it does without them, and both find what the emulated GPU executes, in all processes."""

import collections
import csv
import glob
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness
from harness import Failure

RECORD = struct.Struct("<QIIIHH")


def executed(pattern):
    """Executions and lanes by kernel and address; ROCr's own kernels are no tool's."""
    totals = {}
    for path in glob.glob(pattern):
        for kernel in harness.read_json(path)["kernels"]:
            if not kernel["name"].startswith("rocr."):
                for address, executions, lanes in kernel["instructions"]:
                    row = totals.setdefault((kernel["name"], address), [0, 0])
                    row[0] += executions
                    row[1] += lanes
    return totals


def traced(directory):
    """How often each instruction has accessed memory, by kernel and address: once for
    each lane, or for the wave. Of an instruction with two accesses, each as often."""
    totals = {}
    for path in glob.glob(f"{directory}/mem-trace*.csv"):
        with open(path.removesuffix("csv") + "bin", "rb") as file:
            accesses = collections.Counter(record[1] for record in RECORD.iter_unpack(file.read()))
        before = None
        with open(path) as file:
            for row in csv.DictReader(file):
                place, number = (row["kernel"], int(row["address"], 16)), accesses.pop(int(row["instruction"]), 0)
                if before == (place, number):
                    continue
                before = (place, number)
                total = totals.setdefault(place, [row["space"] == "scalar", 0])
                total[1] += number
        if accesses:
            raise Failure(f"{path} has no row for {dict(accesses)}")
    return totals


def flat_memory(result, limit):
    """KiB that the process gained between the first report and the last."""
    sizes = [int(size) for size in re.findall(r"^\d+ times: (\d+) KiB$", result.stderr, re.M)]
    result.expect(len(sizes) == 2, "the program does not say how large it is")
    print(f"{sizes[0]} KiB after a quarter, {sizes[1]} KiB in the end")
    result.expect(sizes[1] - sizes[0] <= limit, f"the process grew by {sizes[1] - sizes[0]} KiB")


def test(arguments, directory):
    command = [arguments.luthier, "run", "--device", f"emulated:{arguments.device}"]
    variables = dict(setting.split("=", 1) for setting in arguments.set)
    plain = harness.run(
        command + ["--stats", f"{directory}/plain-%p.json", "--counts", f"{directory}/counts-%p.json", "--"]
        + arguments.program, variables)
    plain.expect(plain.code == arguments.code_is, "the program fails without tools")
    result = harness.run(
        command + ["--output", f"{directory}/out", "--tool", "instr-count", "--tool", "mem-trace", "--"]
        + arguments.program, variables)
    result.expect(result.code == arguments.code_is, "the program fails under the tools")
    result.expect(re.search(arguments.says, result.stdout, re.M), f"the program does not say '{arguments.says}'")
    result.expect(result.stdout == plain.stdout, f"without tools, the program says\n{plain.stdout}")
    for text in ("without the hooks", "unchanged", "luthier: warning"):
        result.expect(text not in result.stderr, "Luthier leaves something out")
    for text in arguments.stderr_says:
        result.expect_in_stderr(text)

    wanted = harness.kernel_counts(f"{directory}/plain-*.json")
    counted = harness.kernel_counts(f"{directory}/out/instr-count*.json")
    for name in arguments.varies:
        result.expect(counted.pop(name)["dispatches"] == wanted.pop(name)["dispatches"], f"{name} is counted otherwise")
    harness.expect_same_counts(counted, wanted)

    executions = executed(f"{directory}/counts-*.json")
    accesses = traced(f"{directory}/out")
    result.expect(accesses, "nothing is traced")
    for place, (is_scalar, number) in accesses.items():
        if place[0] in arguments.varies:
            continue
        of_waves, of_lanes = executions.get(place, (0, 0))
        of_all = of_waves if is_scalar else of_lanes
        result.expect(number == of_all, f"{place} is traced {number} times instead of {of_all}")
    instructions = sum(row["wave_instructions"] for row in wanted.values())
    print(f"{instructions} instructions counted, {sum(number for _, number in accesses.values())} accesses traced")
    if arguments.may_grow is not None:
        flat_memory(result, arguments.may_grow)


harness.main(
    [
        (["--device"], {"default": "gfx90a", "help": "what is emulated"}),
        (["--code-is"], {"type": int, "default": 0, "help": "exit code of the program"}),
        (["--says"], {"default": "", "help": "pattern that the program's output has"}),
        (["--stderr-says"], {"action": "append", "default": [], "help": "on stderr, under the tools"}),
        (["--set"], {"action": "append", "default": [], "help": "a variable of the environment"}),
        (["--varies"], {"action": "append", "default": [], "help": "a kernel that executes more or less each time"}),
        (["--may-grow"], {"type": int, "help": "KiB that the program may grow by after the first quarter"}),
        (["program"], {"nargs": "+", "help": "the program and its arguments"}),
    ],
    test,
)
