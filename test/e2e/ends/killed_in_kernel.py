#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process that is killed while it launches nothing more, and one kernel runs for long,
leaves what that one's waves have counted."""

import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness
from harness import Failure


def counted(path):
    """Instructions, once there are any."""
    if not os.path.exists(path) or not os.path.getsize(path):
        return 0
    return sum(kernel["wave_instructions"] for kernel in harness.read_json(path)["kernels"])


def test(arguments, directory):
    path = f"{directory}/instr-count.json"
    process = subprocess.Popen(
        [arguments.luthier, "run", "--device", "emulated", "--tool", "instr-count", "--output", directory,
         "--", arguments.program, arguments.code, "running-many-waves"],
        env=harness.clean_environment(), stdin=subprocess.DEVNULL)
    try:
        last = time.monotonic() + harness.timeout_seconds
        # The first launch has one wave, the second many: their numbers grow.
        seen = set()
        while len(seen) < 2:
            seen |= {counted(path)} - {0}
            if process.poll() is not None or time.monotonic() > last:
                raise Failure(f"no report while the kernel runs, after one of {seen} instructions")
            os.sched_yield()
    finally:
        process.kill()
    if process.wait() != -signal.SIGKILL:
        raise Failure("the program has ended by itself")
    report = harness.read_json(path)
    if not report["ended"].startswith("not yet: counts of its first ") or report["kernels"][0]["dispatches"] != 2:
        raise Failure(f"not the report of a process that was killed: {report}")


harness.main([(["--program"], {"help": "the program ends"}), (["--code"], {"help": "its code object"})], test)
