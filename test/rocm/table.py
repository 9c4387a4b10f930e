#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the table of docs/rocm.md anew from what the sweep has recorded, of each GPU
and version the last: table.py RESULTS.jsonl. A cell whose tests have failed says so,
and those of another commit than the most name it."""

import collections
import json
import pathlib
import re
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/rocm.md"


def number(name):
    return int(name.removeprefix("gfx"), 16)


def cell(record, commit):
    if not record:
        return "–"
    text = "failed" if "failure" in record else f"{record['programs']} programs, {record['wave_instructions']:,}"
    return text if record["commit"] == commit else f"{text} ({record['commit']})"


def table(lines):
    """Of the lines of the record."""
    records = {}
    for record in map(json.loads, lines):
        records[record["device"], record["rocm"]] = {"commit": "unknown", **record}
    commit = collections.Counter(record["commit"] for record in records.values()).most_common(1)[0][0]
    versions = sorted({rocm for _, rocm in records})
    devices = sorted({device for device, _ in records}, key=number)
    yield f"Of commit {commit}; where another stands in brackets, of that:"
    yield ""
    yield "| GPU | " + " | ".join(f"ROCm {version}" for version in versions) + " |"
    yield "|---|" + "---:|" * len(versions)
    for device in devices:
        yield f"| {device} | " + " | ".join(cell(records.get((device, version)), commit) for version in versions) + " |"


def main(results):
    new = "\n".join(table(pathlib.Path(results).read_text().splitlines())) + "\n"
    text = PAGE.read_text()
    PAGE.write_text(re.sub(r"(<!-- table -->\n).*(<!-- end -->)", lambda m: m[1] + new + m[2], text, flags=re.S))


if __name__ == "__main__":
    main(*sys.argv[1:])
