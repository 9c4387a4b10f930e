# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel's first launch takes: from lift to loaded code object, by phase."""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from figures import measured, table
from programs import environment, run, under_luthier

TITLE = "First launch"
RUNS = 5
PHASES = ["lift", "mutate", "plan", "payloads", "rewrite", "emit", "load"]
HOOKS = ["empty", "blocks", "atomic", "store"]
# In tens of instructions.
SIZES = [10, 100, 1_000, 10_000]
# With sources, to be compiled by clang for comparison.
SOURCES = {"nbody": ("bin/examples/nbody", "examples/programs/nbody.hip"),
           "rocprim-sort": ("bin/rocprim/rocprim-sort-O3", "test/e2e/rocprim/Sort.hip")}
ARGUMENTS = {"nbody": [], "rocprim-sort": ["500000"]}

EXPLANATION = """\
Milliseconds from a kernel's lift to its loaded code object. All threads of the process, and of the compiler below, share one core;
the best of {runs} runs. The hooks are those of
[In the kernel](#in-the-kernel), **store** at each instruction being the one with a single variant.

- *points*: hook calls that were asked for; *variants*: payloads that were compiled.
- *lift*: bytes to machine IR; *mutate*: the tool's own callback; *plan*: arguments of all calls, and what call sites
  save; *payloads*: hook bitcode to machine code, and, where that needs it, the tool's own code onto the device; *rewrite*: code
  around calls, and branches; *emit*: code object; *load*: ROCr's loader. *total* is their sum.
- *per variant*: payloads over variants.
- Before that, from the program's first queue on, Luthier has prepared its engine in a thread of its own, while the program loads
  its code (`src/runtime/OwnHooks.h`); in no column but *unprepared*: the total of a process that does without.
- *warm*: *payloads*, and the total with it, of a process that finds them in the [cache](cache.md). All else is without it.
- *peak*: the most memory that the whole process had, in MiB; *without*: the same program's under `luthier run` without a
  tool.
"""
GROWTH = """\
Growth: a kernel of scalar and vector arithmetic in blocks of ten instructions (`bench/straight.hip`), **store** at each
instruction. *per point* is in microseconds.
"""
COMPILER = """\
All kernels of a program, **store** at each instruction, beside what Luthier's clang takes to compile the same file for
gfx90a with -O3. *of it parsing* is what it takes with -fsyntax-only. *ratio* is the instrumentation's total over the
compiler's time behind the parser, *of all* over all of its time. The aim is a quarter of the former, which is the stricter
one: who compiles a program has to parse it. Of a program of one small kernel, almost all of the time is what even the 100 points
above take, most of it the first lift of a process and the compilation of the hook.
"""


@contextlib.contextmanager
def on_one_core():
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def clock_of(kernel):
    """Seconds by phase; what the tool does may be too short for the clock."""
    clock = {phase: measured(f"the time of {phase}", kernel.get(f"{phase}_s")) for phase in PHASES}
    return {**clock, "total": sum(clock.values())}


def largest(text):
    kernels = lines(text)
    if not kernels:
        sys.exit("error: no kernel was instrumented")
    return max(kernels, key=lambda kernel: kernel["points"])


def totals(text):
    """Points and seconds of all kernels."""
    kernels = lines(text)
    return (measured("points", sum(kernel["points"] for kernel in kernels)),
            measured("the time of all kernels", sum(kernel["total_s"] for kernel in kernels)))


def timings(build, command, hook, **variables):
    """Of one run; and its peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "timings"
        variables = environment(build, LUTHIER_COST_HOOK=hook, LUTHIER_TIMINGS=str(log), **variables)
        finished = run(under_luthier(build, folder, command, "cost-hooks"), variables, folder)
        if not log.exists():
            sys.exit(f"error: {command[0]}: no kernel was instrumented:\n{finished.stderr[-2000:]}")
        return log.read_text(), finished.peak_bytes


def best(build, command, hook, **variables):
    """The run in which the largest kernel took the least time, as (kernel, clock, peak memory)."""
    results = []
    for _ in range(RUNS):
        text, peak = timings(build, command, hook, **variables)
        kernel = largest(text)
        results.append((kernel, clock_of(kernel), peak))
    return min(results, key=lambda result: result[1]["total"])


def warm(build, command, hook):
    """The largest kernel's clock in processes after another one has filled a cache."""
    with tempfile.TemporaryDirectory() as folder:
        cache = {"XDG_CACHE_HOME": folder, "LUTHIER_CACHE_SIZE": "100"}
        timings(build, command, hook, **cache)
        kernel, clock, _ = best(build, command, hook, **cache)
    if kernel["payloads_compiled"] or not kernel["payloads_found"]:
        sys.exit(f"error: {command[0]}: the second process compiles payloads")
    return clock


def milliseconds(seconds):
    return f"{1e3 * seconds:.2f}"


def mebibytes(size):
    return f"{measured('peak memory', size) / 2 ** 20:.0f}"


def phases(build):
    command = ("bin/bench/rocrand-largest",)
    with tempfile.TemporaryDirectory() as folder:
        without = run(under_luthier(build, folder, command), environment(build), folder).peak_bytes
    rows = []
    for hook in HOOKS:
        kernel, clock, peak = best(build, command, hook)
        points, variants = measured("points", kernel["points"]), measured("variants", kernel["payloads"])
        found = warm(build, command, hook)
        unprepared = best(build, command, hook, LUTHIER_BENCH_PREPARE="0")[1]
        rows.append([hook, points, variants, *(milliseconds(clock[phase]) for phase in [*PHASES, "total"]),
                     f"{points / clock['total']:,.0f}", milliseconds(clock["payloads"] / variants),
                     milliseconds(unprepared["total"]),
                     milliseconds(found["payloads"]), milliseconds(found["total"]), mebibytes(peak), mebibytes(without)])
    return ("The largest kernel of rocRAND (MTGP32, log-normal doubles):\n\n"
            + table(["hook", "points", "variants", *PHASES, "total", "points/s", "per variant", "unprepared", "warm payloads",
                     "warm total", "peak", "without"], rows))


def cached(build, name):
    """A variable of the build's."""
    return re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)[1]


def clang(build, *arguments):
    root = pathlib.Path(__file__).resolve().parent.parent
    return [cached(build, "LUTHIER_CLANGXX"), "-x", "hip", "-std=c++17", "-w", "-mcode-object-version=4",
            f"--rocm-path={cached(build, 'LUTHIER_ROCM_PATH')}", f"--rocm-device-lib-path={build / 'device-libs'}",
            "-include", root / "test/hip-on-emulator/OlderHip.h", "-I", root / "examples/programs",
            "--offload-arch=gfx90a", "--offload-device-only", "--no-gpu-bundle-output", "-O3", *arguments]


def growth(build, sizes):
    source = pathlib.Path(__file__).resolve().parent / "straight.hip"
    rows = []
    for times in sizes:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "straight.co"
            subprocess.run(clang(build, f"-DTIMES={times}", source, "-o", file), check=True)
            kernel, clock, peak = best(build, ("bin/bench/launch-probe", file, "straight"), "store")
        points = measured("points", kernel["points"])
        rows.append([f"{points:,}", *(milliseconds(clock[phase]) for phase in [*PHASES, "total"]),
                     f"{1e6 * clock['total'] / points:.1f}", mebibytes(peak)])
    return GROWTH + "\n" + table(["points", *PHASES, "total", "per point", "peak"], rows)


def seconds_of(command):
    """The best of some runs: others may use the machine, too."""
    times = []
    for _ in range(RUNS):
        before = time.monotonic()
        subprocess.run(command, check=True)
        times.append(time.monotonic() - before)
    return measured("the compiler's time", min(times))


def beside_compiler(build):
    root = pathlib.Path(__file__).resolve().parent.parent
    rows = []
    for name, (program, source) in SOURCES.items():
        points, seconds = min((totals(timings(build, (program, *ARGUMENTS[name]), "store")[0]) for _ in range(RUNS)),
                              key=lambda result: result[1])
        parsing = seconds_of(clang(build, root / source, "-fsyntax-only"))
        with tempfile.TemporaryDirectory() as folder:
            compiling = seconds_of(clang(build, root / source, "-c", "-o", pathlib.Path(folder) / "output"))
        behind = measured("the compiler's time behind the parser", compiling - parsing)
        rows.append([name, f"{points:,}", milliseconds(seconds), milliseconds(compiling), milliseconds(parsing),
                     f"{seconds / behind:.2f}", f"{seconds / compiling:.2f}"])
    return COMPILER + "\n" + table(["program", "points", "instrumenting", "clang -O3", "of it parsing", "ratio", "of all"], rows)


def section(build, names):
    r"""With a number for \p names, growth to that size alone."""
    with on_one_core():
        if names:
            return EXPLANATION.format(runs=RUNS) + "\n" + growth(build, [int(names) // 10])
        return "\n".join([EXPLANATION.format(runs=RUNS), phases(build), growth(build, SIZES), beside_compiler(build)])
