#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""However a process ends, the emulated GPU leaves what it has executed, with and without a
tool: --stats and --counts of each process, whole and once."""

import glob
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness
from harness import Failure
from killed import killed_once_there_is_a_report

KERNEL = "_Z6addOnePj"


def of_kernel(path):
    """Rows of the program's kernel, and how the file says that the process has ended."""
    report = harness.read_json(path)
    return [row for row in report["kernels"] if row["name"] == KERNEL], report.get("ended", "")


def launches(path):
    rows, ended = of_kernel(path)
    if ended:
        raise Failure(f"{path} is not of the end: {ended}")
    return sum(row["dispatches"] for row in rows)


def waves(path):
    """How often the kernel's first instruction was executed."""
    rows, ended = of_kernel(path)
    if ended:
        raise Failure(f"{path} is not of the end: {ended}")
    return sum(min(row["instructions"])[1] for row in rows)


def end(arguments, directory):
    for number, tool in enumerate(([], ["--tool", "instr-count"])):
        folder = f"{directory}/{number}"
        os.mkdir(folder)
        result = harness.run(
            [arguments.luthier, "run", "--device", "emulated", "--output", folder, *tool]
            + ["--stats", f"{folder}/stats-%p.json", "--counts", f"{folder}/counts-%p.json"]
            + ["--", arguments.program, arguments.code, arguments.mode]
        )
        result.expect(result.code == arguments.code_is, f"it does not end with {arguments.code_is}")
        result.expect("wrong" not in result.stdout, "the program notices something")
        for name, count in (("stats", launches), ("counts", waves)):
            found = sorted(count(path) for path in glob.glob(f"{folder}/{name}*"))
            # A launch has one wave.
            if found != arguments.launches:
                result.fail(f"{name}: {found} launches, not {arguments.launches}, in {os.listdir(folder)}")


def killed(arguments, directory):
    stats = f"{directory}/stats.json"
    command = [arguments.luthier, "run", "--device", "emulated"]
    command += ["--stats", stats, "--counts", f"{directory}/counts.json"]
    status = killed_once_there_is_a_report(
        [*command, "--", arguments.program, arguments.code, "1000000000", "1", "wait"], stats)
    rows, ended = of_kernel(stats)
    if status != -signal.SIGKILL or not ended.startswith("not yet: counts of its first "):
        raise Failure(f"ended by {status}, which is said to be: {ended}")
    if not rows or not rows[0]["dispatches"]:
        raise Failure(f"nothing was counted: {rows}")


def test(arguments, directory):
    (killed if arguments.killed else end)(arguments, directory)


harness.main(
    [
        (["--program"], {"help": "the program ends, or launches"}),
        (["--code"], {"help": "its code object"}),
        (["--code-is"], {"type": int, "default": 0, "help": "exit code, or minus a signal"}),
        (["--launches"], {"type": int, "action": "append", "help": "of a process"}),
        (["--killed"], {"action": "store_true", "help": "it is killed while it launches"}),
        (["mode"], {"nargs": "?"}),
    ],
    test,
)
