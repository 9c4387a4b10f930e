#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if bench/pgo.py does not measure a program by two routes, or does not write all of it.
Usage: pgo_test.py BUILD_DIR"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

CHANGE = r"[+-]\d+\.\d"
# What holds for this program, whatever compiler: counting costs, hooks most, and lines leave the code alone.
RECORDS = [("plain", None, None), ("collect", "counters", None), ("use", "counters", "lanes"), ("kept", "counters", "lanes"),
           ("release", "lines", None), ("hooks", "lines", None), ("use", "lines", "waves"), ("kept", "lines", "waves"),
           ("use", "lines", "lanes"), ("kept", "lines", "lanes")]
ROWS = [r"\| short-loops( \| -| \| " + " / ".join([CHANGE] * 3) + r"){7} \|",
        rf"\| short-loops \| [\d,]+ / [\d,]+ \| {CHANGE} / {CHANGE} \| - \| - \| {CHANGE} / {CHANGE} \|",
        r"\| short-loops \| - \| - \| same \| \d+\.\d % \| same \|"]


def expect(condition, message):
    if not condition:
        sys.exit(f"error: {message}")


def measured(build, folder):
    """The records and the page."""
    command = [sys.executable, "-B", pathlib.Path(__file__).resolve().parent / "pgo.py", "--build", build, "--records",
               folder / "records", "--output", folder / "page.md", "--routes", "counters,lines", "^short-loops$"]
    subprocess.run(command, check=True)
    return [json.loads(line) for line in (folder / "records").read_text().splitlines()], (folder / "page.md").read_text()


def main(build):
    with tempfile.TemporaryDirectory() as folder:
        records, page = measured(build, pathlib.Path(folder))
        again, _ = measured(build, pathlib.Path(folder))
    expect(again == records, "a program that was measured is measured again")
    found = {(record["kind"], record.get("route"), record.get("weights")): record for record in records}
    expect(list(found) == [*RECORDS, ("end", None, None)], f"the records are {list(found)}")
    for key in RECORDS:
        expect(found[key]["verdict"] == "same", f"{key}: {found[key]['verdict']}")
    plain, counting, hooked = (found[key]["after"]["wave_instructions"] for key in (RECORDS[0], RECORDS[1], RECORDS[5]))
    expect(plain < counting < hooked, f"{plain} instructions, {counting} with counters, {hooked} with hooks")
    expect(found[RECORDS[4]]["same_code"], "lines have changed the code")
    for key in RECORDS:
        if key[0] == "kept":
            grown = found[key]["after"]["cycles"] - found[key]["before"]["cycles"]
            expect(grown < 0 if found[key]["is_used"] else grown == 0, f"{key}: {grown} cycles more are kept")
    for row in ROWS:
        expect(re.search(f"^{row}$", page, re.M), f"no row is like {row}:\n{page}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
