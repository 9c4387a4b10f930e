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
HEAD = ["suite", "GPU", "units", "tests run", "passed plain", "failed plain", "cut off", "counted", "scrambled", "changed",
        "kernels refused", "plain, s", "counted, s", "scrambled, s", "wave instructions"]


def last_of_each(lines):
    """A unit that ran several times counts as it did last."""
    records = {}
    for line in lines:
        record = json.loads(line)
        records[record["suite"], record["device"], record["unit"]] = record
    return list(records.values())


def row(suite, device, records):
    def total(value):
        return sum(value(record) or 0 for record in records)

    def seconds(name):
        return f"{total(lambda r: r.get(name)):,.0f}"

    passed = total(lambda r: r["passed"])
    judged = {mode: passed - total(lambda r: r["lost"].get(mode)) for mode in ("counted", "scrambled")}
    changed = total(lambda r: len(r["changed"]))
    refused = len({kernel for r in records for kernel in r["refused"]})
    cells = [suite, device, len(records), total(lambda r: r["run"]), passed, total(lambda r: len(r["failed"])),
             total(lambda r: r["timed_out"]), judged["counted"], judged["scrambled"], changed, refused, seconds("seconds"),
             seconds("counted_seconds"), seconds("scrambled_seconds"), f"{total(lambda r: r['instructions']):,}"]
    return "| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else cell for cell in cells) + " |"


def failures(records):
    """Tests that failed, and programs that died in one."""
    found = []
    for r in records:
        names = r["failed"] or ([f"ends with {r['ended_with']}"] if r.get("ended_with") else [])
        found += [(r["suite"], os.path.basename(r["unit"]), r["device"], name) for name in names]
    return sorted(found)


def tables(records, commit):
    yield f"Of commit {commit}:"
    yield ""
    yield "| " + " | ".join(HEAD) + " |"
    yield "|---|---|" + "---:|" * (len(HEAD) - 2)
    for suite, device in sorted({(r["suite"], r["device"]) for r in records}):
        yield row(suite, device, [r for r in records if (r["suite"], r["device"]) == (suite, device)])
    failed = failures(records)
    if failed:
        yield ""
        yield "Failed plainly, without a tool:"
        yield ""
        yield from (f"- {suite}, {unit}, {device}: `{name}`" for suite, unit, device, name in failed)


def main(results, commit):
    records = last_of_each(pathlib.Path(results).read_text().splitlines())
    if not records:
        sys.exit(f"{results}: no record")
    new = "\n".join(tables(records, commit))
    text = re.sub(r"(<!-- table -->\n).*(<!-- end -->)", lambda m: f"{m[1]}{new}\n{m[2]}", PAGE.read_text(), flags=re.S)
    PAGE.write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
