#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole-process benchmarks, on the emulated GPU.

Prints, for the largest kernel of rocRAND with every instruction instrumented,
the time of each stage from packet to launch; for each example program, what
instr-count costs in executed wave instructions (exact); and how fast the emulator
executes. Fails where a figure was not measured. Usage: bench/run.py [BUILD_DIR]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from figures import measured

PROGRAMS = ["vector-add", "saxpy", "matmul", "transpose", "reduction", "histogram", "collatz",
            "nbody", "stencil", "prefix-scan", "dot-product", "hash64", "axpy-half"]


def run(command, **variables):
    start = time.monotonic()
    subprocess.run(command, check=True, env={**os.environ, **variables},
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def wave_instructions(path):
    kernels = json.loads(path.read_text())["kernels"]
    return sum(k["wave_instructions"] for k in kernels if not k["name"].startswith("rocr."))


def latency(build, work):
    log = work / "timings.json"
    run([build / "bin/luthier", "run", "--tool", "instr-count", "--device", "emulated",
         "--output", work, "--", build / "bin/bench/rocrand-largest"], LUTHIER_TIMINGS=str(log))
    largest = max((json.loads(line) for line in log.read_text().splitlines()), key=lambda k: k["points"])
    print(f"latency, largest rocRAND kernel: {largest['points']} points, {largest['payloads']} payloads")
    for stage in ["lift_s", "mutate_s", "payloads_s", "rewrite_s", "emit_s", "load_s", "total_s"]:
        seconds = measured(f"the time of stage {stage}", largest.get(stage))
        rate = measured("points", largest["points"]) / seconds
        print(f"  {stage[:-2]:<9} {1e3 * seconds:8.2f} ms {rate:14,.0f} instructions/s")


def programs(build, work):
    print(f"\n{'program':<14}{'overhead':>10}{'original':>16}{'instrumented':>16}   (wave instructions)")
    for name in PROGRAMS:
        program = build / "bin/examples" / name
        command = [build / "bin/luthier", "run", "--device", "emulated", "--output", work]
        before, after = work / "before.json", work / "after.json"
        run([*command, "--", program], LUTHIER_EMULATOR_STATS=str(before))
        run([*command, "--tool", "instr-count", "--", program], LUTHIER_EMULATOR_STATS=str(after))
        original, instrumented = (measured(f"{name}, {path.stem}", wave_instructions(path)) for path in [before, after])
        print(f"{name:<14}{instrumented / original:>10.2f}{original:>16,}{instrumented:>16,}")


def speed(build, work):
    """A run long enough for start-up to drown: XORWOW's engine initialisation."""
    stats = work / "stats.json"
    seconds = run([build / "bin/luthier", "run", "--device", "emulated", "--",
                   build / "bin/examples/rocrand-uniform", "xorwow"], LUTHIER_EMULATOR_STATS=str(stats))
    executed = measured("wave instructions", wave_instructions(stats))
    print(f"\nemulator speed: {executed:,} wave instructions in {seconds:.1f} s, "
          f"{executed / seconds / 1e6:.1f} M/s on one host thread")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    build = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else root / "build"
    with tempfile.TemporaryDirectory() as work:
        latency(build, pathlib.Path(work))
        programs(build, pathlib.Path(work))
        speed(build, pathlib.Path(work))


if __name__ == "__main__":
    main()
