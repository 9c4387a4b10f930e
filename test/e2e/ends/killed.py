#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process that is killed in the middle of its launches leaves what was counted some
time before, which says so; one that ends leaves the whole."""

import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness
from harness import Failure


def counted(path):
    kernels = harness.read_json(path)["kernels"]
    if len(kernels) != 1:
        raise Failure(f"counted: {kernels}")
    return kernels[0]


def killed_once_there_is_a_report(command, path):
    process = subprocess.Popen(command, env=harness.clean_environment(), stdin=subprocess.DEVNULL)
    try:
        last = time.monotonic() + harness.timeout_seconds
        # It is empty from when its name is taken.
        while not (os.path.exists(path) and os.path.getsize(path)):
            if process.poll() is not None or time.monotonic() > last:
                raise Failure("there is no report while the program runs")
            os.sched_yield()
    finally:
        process.kill()
    return process.wait()


def test(arguments, directory):
    def command(name, launches):
        return [arguments.luthier, "run", "--device", "emulated", "--tool", "instr-count", "--output",
                f"{directory}/{name}", "--", arguments.program, arguments.code, str(launches), "1", "wait"]

    whole = harness.run(command("whole", 10))
    whole.expect(whole.code == 0, "the program fails")
    of_ten = counted(f"{directory}/whole/instr-count.json")

    path = f"{directory}/killed/instr-count.json"
    status = killed_once_there_is_a_report(command("killed", 1_000_000_000), path)
    report, row = harness.read_json(path), counted(path)
    print(report["ended"], row)
    if status != -signal.SIGKILL or not report["ended"].startswith("not yet: counts of its first "):
        raise Failure(f"ended by {status}, which is said to be: {report['ended']}")
    # Of launches that are under way, a part is counted, or nothing.
    of_all = of_ten["wave_instructions"] * row["dispatches"] // 10
    if not 0 < row["wave_instructions"] <= of_all:
        raise Failure(f"{row}, but {of_ten}")


harness.main(
    [
        (["--program"], {"help": "the program launches"}),
        (["--code"], {"help": "its code object"}),
    ],
    test,
)
