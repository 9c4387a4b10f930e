#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast the emulator executes: wave instructions per second of each example
program and of rocPRIM's sort, decoding included, beside what the same kernels take
when clang -O3 compiles them for this host. Usage: bench/emulator.py [BUILD_DIR]

A rate is that of the kernels, from packet to completion, by the CPU time of the
thread that runs them; the best of some runs, since others use the host too. On two
threads it is by elapsed time."""
import json
import math
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

RUNS = 5
PROGRAMS = ["axpy-half", "calls", "collatz", "dot-product", "fork-first", "hash64", "histogram", "matmul",
            "nbody", "overlap", "prefix-scan", "reduction", "saxpy", "stencil", "transpose", "vector-add"]
GOALS = {"fast": 50, "strict": 10}


def run(command, build, stats, **variables):
    """Wave instructions, and nanoseconds of the thread and elapsed."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(build / "lib/emulated"),
                   "LUTHIER_EMULATOR_STATS": str(stats), **variables}
    # A process that has used the device cannot go on using it in a child.
    if pathlib.Path(command[0]).name != "fork-first":
        environment["LD_PRELOAD"] = str(build / "lib/libbench-blocking-sync.so")
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, timeout=600)
    # ROCr's copies and fills are no part of the examples.
    kernels = [k for k in json.loads(stats.read_text())["kernels"] if not k["name"].startswith("rocr.")]
    return [sum(k[field] for k in kernels) for field in ["wave_instructions", "host_thread_ns", "host_ns"]]


def rate(command, build, stats, elapsed=False, runs=RUNS, **variables):
    """Millions per second."""
    best = 0
    for _ in range(runs):
        instructions, thread, whole = run(command, build, stats, **variables)
        best = max(best, 1e3 * instructions / (whole if elapsed else thread))
    return best, instructions


def host_seconds(program):
    """Of the kernels, compiled for the host; None where there is no such build."""
    if not program.exists():
        return None
    times = []
    for _ in range(RUNS):
        result = subprocess.run([program], check=True, capture_output=True, text=True, timeout=600)
        times.append(float(re.search(r"kernels took ([0-9.]+) s", result.stderr).group(1)))
    return min(times)


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    build = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else root / "build"
    commands = {name: [build / "bin/examples" / name] for name in PROGRAMS}
    sort = build / "bin/rocprim/rocprim-sort-O3"
    if not sort.exists():
        sys.exit(f"{sort} is missing: build the target rocprim-sort-O3")
    commands["rocprim-sort"] = [sort, "some"]
    rates = {"fast": [], "strict": [], "two": []}
    print(f"{'program':<14}{'instructions':>14}{'fast':>10}{'strict':>10}{'2 threads':>11}"
          f"{'emulated':>12}{'host':>10}   (M/s, milliseconds)")
    with tempfile.TemporaryDirectory() as work:
        stats = pathlib.Path(work) / "stats.json"
        for name, command in commands.items():
            fast, instructions = rate(command, build, stats)
            strict, _ = rate(command, build, stats, runs=2, LUTHIER_EMULATOR_STRICT="1")
            two, _ = rate(command, build, stats, elapsed=True, LUTHIER_EMULATOR_THREADS="2")
            for mode, value in zip(rates, [fast, strict, two]):
                rates[mode].append(value)
            host = host_seconds(build / "bin/host" / name)
            print(f"{name:<14}{instructions:>14,}{fast:>10.1f}{strict:>10.1f}{two:>11.1f}"
                  f"{instructions / fast / 1e3:>12.3f}{f'{1e3 * host:10.3f}' if host else '         -'}", flush=True)
        means = {mode: geometric_mean(values) for mode, values in rates.items()}
        print(f"{'geometric mean':<28}{means['fast']:>10.1f}{means['strict']:>10.1f}{means['two']:>11.1f}")
        xorwow = [build / "bin/examples/rocrand-uniform", "xorwow"]
        one, _ = rate(xorwow, build, stats, elapsed=True, runs=2)
        two, _ = rate(xorwow, build, stats, elapsed=True, runs=2, LUTHIER_EMULATOR_THREADS="2")
        print(f"long kernel (rocRAND's XORWOW): {one:.1f} M/s, on two threads {two:.1f} M/s ({two / one:.2f} times)")
    for mode, goal in GOALS.items():
        print(f"goal, {mode} mode: {goal} M/s: {'met' if means[mode] >= goal else 'missed'}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"peak memory of a process: {peak / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
