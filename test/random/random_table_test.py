#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What docs/random.md counts, and what it does not take for a run."""

import tempfile
import unittest
from pathlib import Path

import random_table

WHOLE = ("960 kernels judged, 1 different, 5.4 per second, left out for an unfit original: 31, "
         "left out for register-budget: 8\nof them:\n   305 64-bit floating point\n")


class Counting(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.docs = Path(folder.name)

    def log(self, name, text=WHOLE):
        path = self.docs / name
        path.write_text(text)
        return path

    def rows(self):
        table = (self.docs / "random.md").read_text()
        return [line for line in table.splitlines() if line.startswith("| gfx")]

    def test_runs_of_one_target_and_commit_make_one_row(self):
        random_table.add("c0ffee", [self.log("run-gfx1030-1.log"), self.log("run-gfx1030-2.log")], self.docs)
        random_table.add("decade", [self.log("run-gfx1030-3.log"), self.log("run-gfx906-1.log")], self.docs)
        one = "960 | 1 | 8 register-budget, 31 unfit original |"
        self.assertEqual(self.rows(), [
            f"| gfx906 | decade | {one}",
            "| gfx1030 | c0ffee | 1,920 | 2 | 16 register-budget, 62 unfit original |",
            f"| gfx1030 | decade | {one}"])

    def test_a_run_counts_once(self):
        for _ in range(2):
            random_table.add("c0ffee", [self.log("run-gfx1030-1.log")], self.docs)
        self.assertIn(" 960 ", self.rows()[0])

    def test_a_run_that_did_not_end_is_none(self):
        with self.assertRaises(SystemExit):
            random_table.add("c0ffee", [self.log("run-gfx1030-1.log", "gfx1030: 500 of 1000\n")], self.docs)


if __name__ == "__main__":
    unittest.main()
