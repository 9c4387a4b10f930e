#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables of docs/real-programs.md anew from what run.py has recorded:
table.py RESULTS.jsonl COMMIT"""

import json
import os
import pathlib
import re
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/real-programs.md"
MODES = ("counted", "scrambled")
HEAD = ["suite", "GPU", "programs", "tests", "chosen", "run", "passed plain", "failed plain", "skipped", "cut off", *MODES,
        "changed", "kernels refused", "strict", "strict failed", "plain, s", "counted, s", "scrambled, s", "wave instructions"]


def last_of_each(lines):
    """A unit that ran several times counts as it did last, but other samples of its
    tests count beside it."""
    records = {}
    for line in lines:
        r = json.loads(line)
        records[r["suite"], r["device"], r["unit"], r.get("only", ""), r["step"], r["offset"]] = r
    return list(records.values())


def row(suite, device, records):
    def total(value):
        return sum(value(record) or 0 for record in records)

    def seconds(name):
        return f"{total(lambda r: r.get(name)):,.0f}"

    # Some programs do not say how many tests they have.
    tests = sum({r["unit"]: r["tests"] or r["run"] for r in records}.values())
    passed = total(lambda r: r["passed"])
    judged = [passed - total(lambda r: r["lost"].get(mode)) for mode in MODES]
    refused = len({kernel for r in records for kernel in r["refused"]})
    cells = [suite, device, len({r["unit"] for r in records}), tests, total(lambda r: r["chosen"] or r["run"]),
             total(lambda r: r["run"]), passed, total(lambda r: len(r["failed"])), total(lambda r: r["skipped"]),
             total(lambda r: len(r["cut_off"])), *judged, total(lambda r: len(r["changed"])), refused,
             total(lambda r: r.get("strict")), total(lambda r: len(r.get("strict_failed", []))), seconds("seconds"),
             seconds("counted_seconds"), seconds("scrambled_seconds"), total(lambda r: r["instructions"])]
    return "| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else cell for cell in cells) + " |"


def failures(records):
    """Tests that failed, with what the program died of if it did, and programs that
    ended otherwise than well without a failed test."""
    found = []
    for r in records:
        names = [f"{name}, ends with {r['died'][name]}" if name in r["died"] else name for name in r["failed"]]
        names = names or ([f"ends with {r['ended_with']}"] if r.get("ended_with") else [])
        found += [(r["suite"], os.path.basename(r["unit"]), r["device"], name) for name in names]
    return sorted(found)


def named(records, which):
    return sorted((r["suite"], os.path.basename(r["unit"]), r["device"], name) for r in records for name in r.get(which, []))


def tables(records, commit):
    yield f"Of commit {commit}:"
    yield ""
    yield "| " + " | ".join(HEAD) + " |"
    yield "|---|---|" + "---:|" * (len(HEAD) - 2)
    for suite, device in sorted({(r["suite"], r["device"]) for r in records}):
        yield row(suite, device, [r for r in records if (r["suite"], r["device"]) == (suite, device)])
    lists = {"Failed plainly, without a tool:": failures(records), "Cut off:": named(records, "cut_off"),
             "Failed in strict mode:": named(records, "strict_failed")}
    for title, found in lists.items():
        if found:
            yield from ("", title, "")
            yield from (f"- {suite}, {unit}, {device}: `{name}`" for suite, unit, device, name in found)


def main(results, commit):
    records = last_of_each(pathlib.Path(results).read_text().splitlines())
    if not records:
        sys.exit(f"{results}: no record")
    new = "\n".join(tables(records, commit))
    text = re.sub(r"(<!-- table -->\n).*(<!-- end -->)", lambda m: f"{m[1]}{new}\n{m[2]}", PAGE.read_text(), flags=re.S)
    PAGE.write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
