# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast the emulated GPU executes what the other sections measure, beside an earlier build of it."""
import json
import pathlib
import sys
import tempfile
import time

from figures import geometric_mean, measured, ratio, table
from programs import DEVICE, chosen, environment, run

TITLE = "The emulator"
# Short programs are disturbed most, and take more rounds.
LEAST_ROUNDS, MOST_ROUNDS, SECONDS = 3, 25, 20
MODES = {"fast": {}, "strict": {"LUTHIER_EMULATOR_STRICT": "1"}}

EXPLANATION = """\
The programs of [In the kernel](#in-the-kernel), without tools. Millions of wave instructions for each second of CPU time of the
thread that executes them, decoding included; the best of {least} rounds, or of up to
{most} in {seconds} seconds, in which all columns take turns.{comparison}
"""
COMPARISON = """ *Before* is the emulated GPU
of commit {commit}, below the same programs: *ratio* is this commit's rate over that one's."""


def emulated_by(build):
    """The variables that put the emulated GPU of \\p build below a program."""
    library = build / "lib/emulated/libluthier-gpu.so"
    if library.exists():
        return {"LD_PRELOAD": str(library)}
    # Builds from before there was a driver's boundary replace ROCr's thunk.
    if (build / "lib/emulated/libhsakmt.so.1").exists():
        return {"LD_LIBRARY_PATH": str(library.parent)}
    sys.exit(f"error: {build} has no emulated GPU")


def rate(build, emulator, program, mode):
    """In millions per second."""
    with tempfile.TemporaryDirectory() as folder:
        stats = pathlib.Path(folder) / "stats.json"
        run([build / program.command[0], *program.command[1:]],
            environment(build, LUTHIER_EMULATED_GPU=DEVICE, LUTHIER_EMULATOR_STATS=str(stats), **emulated_by(emulator), **MODES[mode]),
            folder)
        # A program that forks has a file for each process.
        kernels = [kernel for file in stats.parent.glob("stats*") for kernel in json.loads(file.read_text())["kernels"]]
    return 1e3 * ratio(f"the rate of {program.name}", sum(kernel["wave_instructions"] for kernel in kernels),
                       sum(kernel["host_thread_ns"] for kernel in kernels))


def row(build, before, program):
    """The best rates: by mode, before and now."""
    ways = [(mode, emulator) for mode in MODES for emulator in filter(None, [before, build])]
    start, rounds = time.monotonic(), []
    while len(rounds) < LEAST_ROUNDS or (len(rounds) < MOST_ROUNDS and time.monotonic() - start < SECONDS):
        rounds.append([rate(build, emulator, program, mode) for mode, emulator in ways])
    return [measured(f"rates of {program.name}", max(column)) for column in zip(*rounds)]


def cells(rates, before):
    if not before:
        return [f"{value:.1f}" for value in rates]
    return [cell for old, new in zip(rates[::2], rates[1::2]) for cell in (f"{old:.1f}", f"{new:.1f}", f"{new / old:.2f}")]


def section(build, names):
    r"""\p names are programs; with @FOLDER=COMMIT behind them, beside the build of that commit in that folder."""
    programs, _, other = names.partition("@")
    folder, _, commit = other.rpartition("=")
    if other and not folder:
        sys.exit(f"error: '{other}' is no FOLDER=COMMIT")
    before = pathlib.Path(folder).resolve() if other else None
    rows = [(program.name, row(build, before, program)) for program in chosen(programs)]
    mean = [geometric_mean(column) for column in zip(*(rates for _, rates in rows))]
    columns = [column for mode in MODES for column in ([f"{mode}, before", mode, "ratio"] if before else [mode])]
    comparison = COMPARISON.format(commit=commit) if before else ""
    return (EXPLANATION.format(least=LEAST_ROUNDS, most=MOST_ROUNDS, seconds=SECONDS, comparison=comparison) + "\n"
            + table(["program", *columns], [[name, *cells(rates, before)]
                                            for name, rates in [*rows, (f"geometric mean of {len(rows)}", mean)]]))
