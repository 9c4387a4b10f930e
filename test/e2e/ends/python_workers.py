#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Workers that Python forks, or starts anew, end by _exit(), or by a signal: each is counted."""

import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness
import workers
from harness import Failure


def test(arguments, directory):
    program = [sys.executable, workers.__file__, arguments.code, arguments.how]
    result = harness.run([arguments.luthier, "run", "--device", "emulated", "--output", directory]
                         + ["--tool", "instr-count", "--", *program])
    result.expect(result.code == 0, "the program fails")
    lanes = [workers.LAUNCHES * workers.LANES] * workers.WORKERS
    result.expect(result.stdout == f"{lanes}\n", "the workers compute something else")
    launches = 0
    for path in glob.glob(f"{directory}/instr-count*.json"):
        kernels = harness.read_json(path)["kernels"]
        launches += sum(kernel["dispatches"] for kernel in kernels if kernel["name"] == "_Z6addOnePj")
    # A pool may give one worker the work of two.
    if launches != workers.WORKERS * workers.LAUNCHES:
        raise Failure(f"{launches} launches are counted\n{result.stderr}")


harness.main(
    [
        (["--code"], {"help": "the code object with the kernel"}),
        (["how"], {"choices": ["process", "pool", "executor", "spawn"]}),
    ],
    test,
)
