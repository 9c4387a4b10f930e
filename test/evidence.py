#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums up what the sweeps have left in BUILD/evidence, as the tables of docs/evidence.md have it: evidence.py BUILD.
A program that ran several times counts as it did last; a target without a row was not run."""
import collections
import json
import pathlib
import re
import sys

TARGETS = ["gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1030w64", "gfx1100", "gfx1100w64",
           "gfx1201", "gfx1201w64"]
SUMMARY = re.compile(r"^(\d+) kernels judged, (\d+) different", re.M)
LEFT_OUT = re.compile(r"left out for (?:an )?([a-z -]+): (\d+)")


def in_order(groups):
    return sorted(groups.items(), key=lambda item: TARGETS.index(item[0]))


def scrambled_rows(lines):
    """One row for each target, of the records of run_scrambled.py."""
    last = {}
    for line in lines:
        record = json.loads(line)
        last[record["target"], record["group"], record["program"]] = record
    groups = collections.defaultdict(list)
    for record in last.values():
        groups[record["target"]].append(record)
    for target, records in in_order(groups):
        total = {field: sum(r.get(field, 0) for r in records)
                 for field in ["kernels", "points", "stack_points", "executed", "executed_scrambled"]}
        seeds = [r["seeds"] for r in records]
        yield (f"| {target} | {len(records)} | {total['kernels']:,} | {total['points']:,} | {total['stack_points']:,} "
               f"| {min(seeds)} to {max(seeds)} | {total['executed']:,} | {total['executed_scrambled']:,} |")


def random_rows(logs):
    """One row for each target, of pairs of a target and what random-kernels printed."""
    groups = collections.defaultdict(list)
    for target, text in logs:
        counts = SUMMARY.search(text)
        if not counts:
            sys.exit(f"{target}: no whole run of random-kernels")
        groups[target].append((int(counts[1]), int(counts[2]), LEFT_OUT.findall(text)))
    for target, runs in in_order(groups):
        left_out = collections.Counter()
        for _, _, reasons in runs:
            left_out.update({reason: int(number) for reason, number in reasons})
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in sorted(left_out.items()))
        yield (f"| {target} | {sum(judged for judged, _, _ in runs):,} "
               f"| {sum(different for _, different, _ in runs):,} | {reasons or '-'} |")


def main(build):
    folder = build / "evidence"
    scrambled = folder / "scrambled.jsonl"
    print("| Target | Builds | Kernels | Points | with stack | Seeds | Instructions, original | scrambled |\n"
          "|---|---|---|---|---|---|---|---|")
    print("\n".join(scrambled_rows(scrambled.read_text().splitlines() if scrambled.exists() else [])))
    print("\n| Target | Kernels | Different | Left out |\n|---|---|---|---|")
    print("\n".join(random_rows((path.stem.split("-")[1], path.read_text()) for path in folder.glob("random-*.log"))))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
