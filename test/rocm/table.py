#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the table of docs/rocm.md anew from what the sweep has recorded:
table.py RESULTS.jsonl COMMIT"""

import json
import pathlib
import re
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/rocm.md"


def number(name):
    return int(name.removeprefix("gfx"), 16)


def main(results, commit):
    records = {}
    for line in pathlib.Path(results).read_text().splitlines():
        record = json.loads(line)
        records[record["device"], record["rocm"]] = record
    versions = sorted({rocm for _, rocm in records})
    devices = sorted({device for device, _ in records}, key=number)
    lines = [f"Of commit {commit}:", "", "| GPU | " + " | ".join(f"ROCm {version}" for version in versions) + " |",
             "|---|" + "---:|" * len(versions)]
    for device in devices:
        cells = []
        for version in versions:
            record = records.get((device, version))
            cells.append(f"{record['programs']} programs, {record['wave_instructions']:,}" if record else "–")
        lines.append(f"| {device} | " + " | ".join(cells) + " |")
    text = PAGE.read_text()
    new = re.sub(r"(<!-- table -->\n).*(<!-- end -->)", lambda m: m[1] + "\n".join(lines) + "\n" + m[2], text, flags=re.S)
    PAGE.write_text(new)


main(*sys.argv[1:])
