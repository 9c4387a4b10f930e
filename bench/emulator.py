#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast the emulator executes: wave instructions per second of each example
program and of rocPRIM's sort, decoding included, beside what the same kernels take
when clang -O3 compiles them for this host. Usage: bench/emulator.py [BUILD_DIR]

Two tables. The first has the programs at the size that they are shipped in, most of
them a millisecond of kernels: rates are those of the kernels, from packet to
completion, by the CPU time of the thread that runs them; the best of some runs,
since others use the host too. The second has them at sizes of five million wave
instructions and more, with one thread on one core and with two on two, by the time in
which the GPU executed anything. What two threads could gain is measured beside it: two
processes at a time, each on a core of its own, and what they get done together against
one alone."""
import json
import math
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

from figures import geometric_mean, measured

RUNS = 5
# Of each way to run a program in the second table, one after the other.
ROUNDS = 3
LEAST_WORK = 5_000_000
PROGRAMS = ["axpy-half", "calls", "collatz", "dot-product", "fork-first", "hash64", "histogram", "matmul",
            "nbody", "overlap", "prefix-scan", "reduction", "saxpy", "stencil", "transpose", "vector-add"]
GOALS = {"fast": 50, "strict": 10}
CORES = sorted(os.sched_getaffinity(0))


def environment_of(command, build, stats, variables):
    preloaded = [build / "lib/emulated/libluthier-gpu.so"]
    # A process that has used the device cannot go on using it in a child.
    if pathlib.Path(command[0]).name != "fork-first":
        preloaded.append(build / "lib/libbench-blocking-sync.so")
    return {**os.environ, "LD_PRELOAD": ":".join(map(str, preloaded)), "LUTHIER_EMULATOR_STATS": str(stats), **variables}


def on_cores(cores):
    """For a process that is to start."""
    return lambda: os.sched_setaffinity(0, cores)


def run(command, build, stats, cores=None, **variables):
    subprocess.run(command, check=True, env=environment_of(command, build, stats, variables),
                   stdout=subprocess.DEVNULL, timeout=600, preexec_fn=on_cores(cores or CORES))


def rate(command, build, stats, runs=RUNS, **variables):
    """Millions per second of the thread's time, and how many instructions it is."""
    best = 0
    for _ in range(runs):
        run(command, build, stats, **variables)
        # ROCr's copies and fills are no part of the examples.
        kernels = [k for k in json.loads(stats.read_text())["kernels"] if not k["name"].startswith("rocr.")]
        instructions, thread = (sum(k[field] for k in kernels) for field in ["wave_instructions", "host_thread_ns"])
        best = max(best, 1e3 * measured(f"instructions of {command}", instructions)
                   / measured(f"thread time of {command}", thread))
    return best, instructions


def elapsed(stats):
    """Millions per second of the time in which the GPU executed anything, copies and
    fills included. Kernels of several queues overlap."""
    told = json.loads(stats.read_text())
    return (1e3 * measured("wave instructions", sum(k["wave_instructions"] for k in told["kernels"]))
            / measured("the device's time", sum(device["busy_ns"] for device in told["devices"])))


def elapsed_rate(command, build, stats, threads):
    """With as many cores as threads: queues are threads, too."""
    run(command, build, stats, CORES[:threads], LUTHIER_EMULATOR_THREADS=str(threads))
    return elapsed(stats)


def pair_rate(command, build, stats):
    """Of two processes together, each on a core."""
    files = [stats.with_suffix(f".{n}") for n in range(2)]
    pair = [subprocess.Popen(command, env=environment_of(command, build, file, {}), stdout=subprocess.DEVNULL,
                             preexec_fn=on_cores([core]))
            for file, core in zip(files, CORES)]
    if any(process.wait(timeout=600) for process in pair):
        sys.exit(f"{command[0]} failed")
    return sum(map(elapsed, files))


def host_seconds(program):
    """Of the kernels, compiled for the host; None where there is no such build."""
    if not program.exists():
        return None
    times = []
    for _ in range(RUNS):
        result = subprocess.run([program], check=True, capture_output=True, text=True, timeout=600)
        times.append(float(re.search(r"kernels took ([0-9.]+) s", result.stderr).group(1)))
    return measured(f"kernels of {program}", min(times))


def print_shipped(commands, build, stats):
    """The first table. Returns wave instructions by program."""
    rates = {"fast": [], "strict": []}
    work = {}
    print("As shipped (millions per second, milliseconds of the kernels)")
    print(f"{'program':<14}{'instructions':>14}{'fast':>10}{'strict':>10}{'emulated':>12}{'host':>10}")
    for name, command in commands.items():
        fast, instructions = rate(command, build, stats)
        strict, _ = rate(command, build, stats, runs=2, LUTHIER_EMULATOR_STRICT="1")
        rates["fast"].append(fast)
        rates["strict"].append(strict)
        work[name] = instructions
        host = host_seconds(build / "bin/host" / name)
        print(f"{name:<14}{instructions:>14,}{fast:>10.1f}{strict:>10.1f}{instructions / fast / 1e3:>12.3f}"
              f"{f'{1e3 * host:10.3f}' if host else '         -'}", flush=True)
    means = {mode: geometric_mean(values) for mode, values in rates.items()}
    print(f"{'geometric mean':<28}{means['fast']:>10.1f}{means['strict']:>10.1f}")
    for mode, goal in GOALS.items():
        print(f"goal, {mode} mode: {goal} M/s: {'met' if means[mode] >= goal else 'missed'}")
    return work


def times_for(name, instructions):
    """How many times its usual size makes enough work."""
    times = LEAST_WORK / instructions
    return math.ceil(math.sqrt(times) if name == "nbody" else times)


def print_real(commands, build, stats):
    """The second table."""
    rates = []
    print("Real work (millions per second elapsed; times: two threads against one, two processes against one)")
    print(f"{'program':<14}{'size':>6}{'instructions':>14}{'1 thread':>10}{'2 threads':>11}{'times':>8}"
          f"{'2 processes':>13}{'times':>8}")
    for name, (command, times) in commands.items():
        _, instructions = rate(command, build, stats, runs=1)
        # One after the other, so that what else the host does meets all of them.
        rounds = [(elapsed_rate(command, build, stats, 1), elapsed_rate(command, build, stats, 2),
                   pair_rate(command, build, stats)) for _ in range(ROUNDS)]
        one, two, pair = (max(column) for column in zip(*rounds))
        rates.append((one, two, pair))
        print(f"{name:<14}{times:>6}{instructions:>14,}{one:>10.1f}{two:>11.1f}{two / one:>8.2f}"
              f"{pair:>13.1f}{pair / one:>8.2f}", flush=True)
    one, two, pair = (geometric_mean(column) for column in zip(*rates))
    print(f"{'geometric mean':<34}{one:>10.1f}{two:>11.1f}{two / one:>8.2f}{pair:>13.1f}{pair / one:>8.2f}")
    print(f"two threads gain {100 * (two / one - 1) / (pair / one - 1):.0f} % of what two processes gain")


def main():
    if len(CORES) < 2:
        sys.exit("what two cores give needs two cores")
    root = pathlib.Path(__file__).resolve().parent.parent
    build = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else root / "build"
    commands = {name: [build / "bin/examples" / name] for name in PROGRAMS}
    sort = build / "bin/rocprim/rocprim-sort-O3"
    if not sort.exists():
        sys.exit(f"{sort} is missing: build the target rocprim-sort-O3")
    commands["rocprim-sort"] = [sort, "some"]
    with tempfile.TemporaryDirectory() as work:
        stats = pathlib.Path(work) / "stats.json"
        instructions = print_shipped(commands, build, stats)
        real = {name: ([*commands[name], str(times)], times)
                for name in PROGRAMS for times in [times_for(name, instructions[name])]}
        real["rocprim-sort"] = (commands["rocprim-sort"], 1)
        real["rocrand-xorwow"] = ([build / "bin/examples/rocrand-uniform", "xorwow"], 1)
        print()
        print_real(real, build, stats)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"peak memory of a process: {peak / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
