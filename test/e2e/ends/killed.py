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


def numbers_of(kernel):
    """What each number counts."""
    if "instructions" in kernel:
        return {address: waves for address, waves, lanes in kernel["instructions"]}
    if "branches" in kernel:
        return {branch["address"]: branch["executed"] for branch in kernel["branches"]}
    return {"wave instructions": kernel["wave_instructions"]}


def counted(path):
    """Of the one kernel: its launches, if they are counted, and its numbers."""
    kernels = harness.read_json(path)["kernels"]
    if len(kernels) != 1:
        raise Failure(f"counted: {kernels}")
    return kernels[0].get("dispatches"), numbers_of(kernels[0])


def has_counts(path):
    """The file is empty from when its name is taken; a first report may come before a first count."""
    return os.path.exists(path) and os.path.getsize(path) and any(
        any(numbers_of(kernel).values()) for kernel in harness.read_json(path)["kernels"])


def killed_once(command, is_there):
    process = subprocess.Popen(command, env=harness.clean_environment(), stdin=subprocess.DEVNULL)
    try:
        last = time.monotonic() + harness.timeout_seconds
        while not is_there():
            if process.poll() is not None or time.monotonic() > last:
                raise Failure("nothing is written while the program runs")
            os.sched_yield()
    finally:
        process.kill()
    return process.wait()


def killed_once_there_is_a_report(command, path):
    return killed_once(command, lambda: has_counts(path))


def test(arguments, directory):
    file = arguments.tool.split(":")[0] + ".json"

    def command(name, launches):
        return [arguments.luthier, "run", "--device", "emulated", "--tool", arguments.tool, "--output",
                f"{directory}/{name}", "--", arguments.program, arguments.code, str(launches), "1", "wait"]

    whole = harness.run(command("whole", 10))
    whole.expect(whole.code == 0, "the program fails")
    _, of_ten = counted(f"{directory}/whole/{file}")

    path = f"{directory}/killed/{file}"
    status = killed_once_there_is_a_report(command("killed", 1_000_000_000), path)
    ended = harness.read_json(path)["ended"]
    dispatches, numbers = counted(path)
    print(ended, dispatches, numbers)
    if status != -signal.SIGKILL or not ended.startswith("not yet: counts of its first "):
        raise Failure(f"ended by {status}, which is said to be: {ended}")
    if numbers.keys() != of_ten.keys() or 0 in numbers.values():
        raise Failure(f"{numbers}, but {of_ten}")
    for place, number in numbers.items():
        launches = number * 10 / of_ten[place]
        # Of launches that are under way, a part is counted, or nothing.
        if dispatches is not None and launches > dispatches:
            raise Failure(f"{number} at {place} in {dispatches} launches, but {of_ten[place]} in 10")
        # Where the queue stood still meanwhile, some launches are counted as a whole.
        if arguments.tool != "instr-count" and launches != next(iter(numbers.values())) * 10 / next(iter(of_ten.values())):
            raise Failure(f"parts of launches are counted: {numbers}")


if __name__ == "__main__":
    harness.main(
        [
            (["--program"], {"help": "the program launches"}),
            (["--code"], {"help": "its code object"}),
            (["--tool"], {"help": "the tool, perhaps with options"}),
        ],
        test,
    )
