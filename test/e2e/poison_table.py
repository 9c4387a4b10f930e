#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds what the tests `ctest -L poison-sweep` have left in build/poison-results.jsonl to
docs/poison.jsonl, and writes docs/poison.md from all of it: poison_table.py RESULTS... A
program that ran several times counts as it did last; a target without a line was not run.
A line that stands for several "builds" holds until as many of its group have lines of
their own, which until then do not count: some might count twice."""

import json
import sys
from pathlib import Path

TARGETS = ["gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1030w64", "gfx1100", "gfx1100w64",
           "gfx1201", "gfx1201w64"]
HEAD = """# Poison

`luthier run --tool poison` overwrites, at every place where a hook could run, all registers, lanes and flags that Luthier's
analyses call free there, and at about every eighth the beginning of the stack of hooks; nothing may change. What was
overwritten and not written since is garbage still, so that a place overwrites what became free on some way to it, and some
of the rest by chance. MODE, FLAT_SCR and XNACK_MASK are left alone; where neither SCC nor a pair of SGPRs is free, active
lanes are overwritten and, of each VGPR, one lane picked by chance.

This is what it has been run on: programs in strict mode (`docs/emulator-strict.md`), each under the seeds 1 to N with
registers and flags alone (`LUTHIER_POISON_STACK=0`, without which there are hooks, too), whose results were the same bits as
without poison; under seed 1 each dispatch also ran in lockstep with the original (`luthier verify`), without a difference.
"Stack" says at how many places, in one more run in lockstep under seed 1, a hook overwrote its stack, too.

| Target | Programs | Builds | Kernels | Places | Seeds | Instructions, original | poisoned | Stack | Through |
|---|---|---|---|---|---|---|---|---|---|
"""
TAIL = """
The table has what was run since what poison overwrites of registers was last changed. The whole sweep has 68 builds of
examples, five of rocPRIM at -O3 and at -O0, and rocRAND's generators on each target, and the examples in RDNA's waves of 64
lanes ("w64"; without reduction's four builds on gfx1030 and gfx1100, where HIP's shuffles do not cross the halves of such
waves, so that its results are wrong without poison, too). What is not in the table has not been run yet, and a dash under
"Stack" stands for programs of which not all have been run with it.

Kernels are counted once for each build of a program, places as overwritten in code, and instructions of waves as executed
under the last seed. "Examples" are those of `docs/programs.md` at -O0, -O1, -O3 and -Os; rocPRIM's device-wide algorithms
are compiled from the distribution's headers and sort, scan, select and count 65 and 4,097 values (radix sort in passes over
few bits, which the library has for more than a million: 65 and 7,680, where all blocks are whole); of their kernels those
run that such sizes need, 47 of 129 on gfx90a; rocRAND's kernels are those of the distribution's library, which has none for
gfx942, gfx950, gfx1100 and gfx1201. Targets that the distribution's ROCr knows run through it, the others on the emulator's
C API (`test/hip-on-emulator`). Programs for gfx90a, gfx906, gfx908 and gfx1030 come from the distribution's hipcc, the
others from Clang 22.

XORWOW's program ran as a whole under one seed, since it prepares 131,072 states before anything else. Under ten seeds its
kernels ran one by one: that for Poisson's numbers in the program, as the only one poisoned (`LUTHIER_POISON_KERNEL=poisson`),
without a difference in its results; the twelve others and the one that prepares states in
`luthier verify librocrand.so.1 --kernel KERNEL --grid 512 --block 256 --strict --seeds 10`, without a difference.

Made of `poison.jsonl`. `ninja poison-programs && ctest -L poison-sweep` in the build folder leaves `poison-results.jsonl`
there, which `python3 test/e2e/poison_table.py build/poison-results.jsonl` adds.
"""


def read(paths):
    last = {}
    for path in paths:
        for line in path.read_text().splitlines():
            record = json.loads(line)
            last[record["target"], record["group"], record["program"]] = record
    return [last[key] for key in sorted(last)]


def counting(members):
    several = [m for m in members if "builds" in m]
    single = [m for m in members if "builds" not in m]
    return single if len(single) >= sum(m["builds"] for m in several) else several


def rows(records):
    groups = {}
    for record in records:
        groups.setdefault((record["target"], record["group"]), []).append(record)
    for (target, group), members in sorted(groups.items(), key=lambda item: (TARGETS.index(item[0][0]), item[0][1])):
        members = counting(members)
        total = {field: sum(m[field] for m in members)
                 for field in ("kernels", "points", "executed", "executed_poisoned")}
        seeds = min(m["seeds"] for m in members)
        stack = [m.get("stack_points", 0) for m in members]
        stack = f"{sum(stack):,}" if all(stack[n] or not m["kernels"] for n, m in enumerate(members)) else "-"
        builds = sum(m.get("builds", 1) for m in members)
        yield (f"| {target} | {group} | {builds} | {total['kernels']} | {total['points']:,} | {seeds} "
               f"| {total['executed']:,} | {total['executed_poisoned']:,} | {stack} | {members[0]['way']} |")


def page(records):
    return HEAD + "\n".join(rows(records)) + "\n" + TAIL


def main(paths):
    docs = Path(__file__).resolve().parents[2] / "docs"
    records = read([docs / "poison.jsonl", *map(Path, paths)])
    (docs / "poison.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (docs / "poison.md").write_text(page(records))


if __name__ == "__main__":
    main(sys.argv[1:])
