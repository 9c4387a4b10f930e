# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `luthier run` adds before a program's first dispatch, and to each dispatch that no tool wants."""
import json
import statistics
import tempfile
import time

from figures import measured, table
from programs import environment, run, under_luthier, without_luthier

TITLE = "Start-up"
RUNS = 9
LAUNCHES = 20_000

EXPLANATION = """\
`bench/launch-probe.hip`, which launches an empty kernel, on the emulated GPU; medians of {runs} rounds, in each of which all
rows take turns.

- *first dispatch*: milliseconds from the start of the process to the submission of its first dispatch.
- *its end*: from there until that kernel has ended.
- *further*: microseconds of the submitting thread's CPU time for each of {launches:,} dispatches after it.
- *added*: what the row has more than the program alone.

The tool in the last rows is that of [In the kernel](#in-the-kernel): *inserts nothing* sees each dispatch and wants none of
them changed, **store** is inserted into the kernel.
"""


def probe(build, kind, launches):
    """Milliseconds until the first dispatch and until its end, and microseconds for each of the others."""
    with tempfile.TemporaryDirectory() as folder:
        command = ("bin/bench/launch-probe", str(launches))
        variables = (without_luthier(build) if kind == "alone" else
                     environment(build, **({"LUTHIER_COST_HOOK": kind} if kind in ["none", "store"] else {})))
        words = ([build / command[0], *command[1:]] if kind == "alone" else
                 under_luthier(build, folder, command, "cost-hooks" if kind in ["none", "store"] else None))
        begin = time.monotonic_ns()
        told = json.loads(run(words, variables, folder).stdout)
    return (measured("time until the first dispatch", (told["first"] - begin) / 1e6),
            measured("time of the first dispatch", (told["second"] - told["first"]) / 1e6),
            measured("time of a dispatch", told["submitting"] / 1e3 / launches))


KINDS = {"alone": "the program alone", "without": "under `luthier run`", "none": "with a tool that inserts nothing",
         "store": "with **store**"}


def section(build, names):
    r"""With a number for \p names, so many launches, once."""
    launches, rounds = (int(names), 1) if names else (LAUNCHES, RUNS)
    times = {kind: [] for kind in KINDS}
    for _ in range(rounds):
        for kind in KINDS:
            times[kind].append(probe(build, kind, launches))
    medians = {kind: [statistics.median(column) for column in zip(*rows)] for kind, rows in times.items()}
    rows = []
    for kind, title in KINDS.items():
        first, end, further = medians[kind]
        row = [title, f"{first:.1f}", f"{first - medians['alone'][0]:.1f}", f"{end:.1f}", f"{further:.2f}",
               f"{further - medians['alone'][2]:.2f}"]
        rows.append(row if kind != "alone" else [*row[:2], "-", *row[3:5], "-"])
    return (EXPLANATION.format(runs=rounds, launches=launches) + "\n"
            + table(["", "first dispatch", "added", "its end", "further", "added"], rows))
