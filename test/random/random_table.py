#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds runs of random-kernels to docs/random.jsonl, and writes docs/random.md from all of it:
random_table.py COMMIT LOG... A log is what random-kernels printed; its name has the target between
dashes (run-gfx90a-1.log). A log that is there already is left out."""

import json
import re
import sys
from pathlib import Path

TARGETS = ["gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"]
SUMMARY = re.compile(r"^(\d+) kernels judged, (\d+) different", re.M)
LEFT_OUT = re.compile(r"left out for (?:an )?([a-z -]+): (\d+)")
HEAD = """# Random kernels

`random-kernels` (`contributing.md`) makes kernels from LLVM IR and assembly, and runs each as it is and with poison or hooks,
in lockstep and strict mode. These were judged since tallies are kept, by the commit that the engine was of:

| Target | Commit | Kernels | Different | Left out |
|---|---|---|---|---|
"""
TAIL = """
Left out is what is no case for a comparison: an original that is unfit (strict mode or the limit of instructions ends it
without any hooks, or its results depend on where it lies), and what the engine refuses, by reason. Before, about 168,000
were judged without a difference left. What was different became a test, and a line in `test/random/found.txt`, which each
run of the tests repeats.

The one of gfx908 was a false alarm of lockstep; that of gfx1100 a mask that a payload wrote before it was renewed. Both are
mended since.

Made of `random.jsonl`, to which `python3 test/random/random_table.py COMMIT LOG...` adds what random-kernels prints.
"""


def read(path, commit):
    text = path.read_text()
    counts = SUMMARY.search(text)
    target = re.search(r"-(gfx\w+)-", path.name)
    if not counts or not target:
        sys.exit(f"{path}: no whole run of random-kernels, or no target in its name")
    left_out = {reason: int(number) for reason, number in LEFT_OUT.findall(text)}
    return {"target": target[1], "commit": commit, "log": path.name, "judged": int(counts[1]),
            "different": int(counts[2]), "left_out": left_out}


def row(records):
    def total(field):
        return sum(r[field] for r in records)

    left_out = {}
    for r in records:
        for reason, number in r["left_out"].items():
            left_out[reason] = left_out.get(reason, 0) + number
    reasons = ", ".join(f"{number:,} {reason}" for reason, number in sorted(left_out.items()))
    first = records[0]
    return (f"| {first['target']} | {first['commit']} | {total('judged'):,} | {total('different'):,} "
            f"| {reasons or '-'} |\n")


def add(commit, paths, docs):
    data = docs / "random.jsonl"
    records = [json.loads(line) for line in data.read_text().splitlines()] if data.exists() else []
    known = {(r["commit"], r["log"]) for r in records}
    records += [r for r in (read(p, commit) for p in paths) if (r["commit"], r["log"]) not in known]
    data.write_text("".join(json.dumps(r) + "\n" for r in records))
    commits = list(dict.fromkeys(r["commit"] for r in records))
    groups = {}
    for r in records:
        groups.setdefault((TARGETS.index(r["target"]), commits.index(r["commit"])), []).append(r)
    (docs / "random.md").write_text(HEAD + "".join(row(groups[key]) for key in sorted(groups)) + TAIL)


if __name__ == "__main__":
    add(sys.argv[1], [Path(p) for p in sys.argv[2:]], Path(__file__).resolve().parents[2] / "docs")
