#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What docs/rocm.md's table says of runs that failed, and of other commits' runs."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import table

HERE = pathlib.Path(__file__).resolve().parent


def record(device, commit="new", rocm="7.2", **more):
    return json.dumps({"rocm": rocm, "device": device, "commit": commit, "programs": 16, **more})


class Table(unittest.TestCase):
    def test_a_failure_does_not_leave_an_older_pass(self):
        lines = [record("gfx90a", "old", wave_instructions=1000), record("gfx90a", failure="it hangs"),
                 record("gfx942", wave_instructions=2000)]
        rows = list(table.table(lines))
        self.assertIn("| gfx90a | failed |", rows)
        self.assertIn("| gfx942 | 16 programs, 2,000 |", rows)

    def test_cells_of_other_commits_name_them(self):
        lines = [record("gfx90a", "old", rocm="6.4", wave_instructions=1), record("gfx90a", wave_instructions=2),
                 record("gfx1030", wave_instructions=3)]
        rows = list(table.table(lines))
        self.assertTrue(rows[0].startswith("Of commit new;"))
        self.assertIn("| gfx90a | 16 programs, 1 (old) | 16 programs, 2 |", rows)
        self.assertIn("| gfx1030 | – | 16 programs, 3 |", rows)

    def test_a_run_that_fails_is_recorded(self):
        with tempfile.NamedTemporaryFile("r") as results:
            done = subprocess.run([sys.executable, "-B", HERE / "examples.py", "--rocm", "7.2", "--luthier", "false",
                                   "--record", results.name, "collatz"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stderr)
            line = json.loads(results.read())
        self.assertEqual(line.pop("failure"), "rocminfo fails")
        self.assertTrue(line.pop("commit"))
        self.assertEqual(line, {"rocm": "7.2", "device": "gfx90a", "programs": 1})


unittest.main()
