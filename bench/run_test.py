#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if bench/run.py does not write all rows and columns of a section, with a figure in each cell that has one.
Usage: run_test.py SECTION:SMALLEST BUILD_DIR"""
import pathlib
import re
import subprocess
import sys
import tempfile

# By section: the rows, and what each of their cells looks like.
RATIOS = r"\d+\.\d+ / \d+\.\d+"
TIME = r"-?\d+\.\d+"
EXPECTED = {
    "in-kernel": [["vector-add", r"\d+", r"[\d,]+", *[RATIOS] * 8],
                  ["geometric mean of 1", "", "", *[RATIOS] * 8]],
    "divergence": [["euclid", r"[\d,]+", *[RATIOS] * 3, r"1\.51", r"1\.77"],
                   ["geometric mean of 1", "", *[RATIOS] * 3, r"1\.51", r"1\.77"]],
    "first-launch": [[r"1\d\d", *[TIME] * 9, r"\d+"]],
    "channel": [[title, rf"{ring} KiB", r"[\d,]+", dropped, TIME, r"[\d,]+", r"[\d,]+", r"\d+", r"\d+ MiB"]
                for title, dropped in [("waves wait", "0"), ("records are dropped", r"[\d,]+")]
                for ring in ["64", "1,024", "16,384"]],
    "compiling": [["HIP's header", TIME, "-", "-", "-"], ["`luthier/luthier.h`", TIME, TIME, "-", "-"],
                  ["the same and `luthier/MachineIR.h`", TIME, TIME, "-", "-"], ["a tool with one hook", *[TIME] * 4],
                  ["the same tool with `luthier/MachineIR.h`", *[TIME] * 4]],
    "emulator": [["vector-add", TIME, TIME], ["geometric mean of 1", TIME, TIME]],
    "many-kernels": [["200", *[TIME] * 5, r"\d+", TIME, TIME]],
    "versions": [[r"\d\.\d", r"\d+", *[r"[+-]\d+"] * 3, *[TIME] * 4]],
    "start-up": [["the program alone", TIME, "-", TIME, TIME, "-"], ["under `luthier run`", *[TIME] * 5],
                 ["with a tool that inserts nothing", *[TIME] * 5], [r"with \*\*store\*\*", *[TIME] * 5]],
}


def main(section, build):
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.md"
        run = pathlib.Path(__file__).resolve().parent / "run.py"
        subprocess.run([sys.executable, "-B", run, "--as-built", "--only", section, "--output", page, build], check=True)
        text = page.read_text()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")]
    expected = EXPECTED[section.partition(":")[0]]
    # The first two are the header and what is below it.
    good = len(rows) == len(expected) + 2 and all(
        len(row) == len(cells) and all(map(re.fullmatch, cells, row)) for row, cells in zip(rows[2:], expected))
    good = good and re.search(r"^Measured \S+ at commit [0-9a-f]{10}( with changes)?: .+, \d+ cores, \d+ GiB\.$", text, re.M)
    print(text if good else f"error: the page is not as expected:\n{text}")
    return not good


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2])))
