#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tables of evidence count, and what they do not count twice."""
import json
import unittest

import evidence


def record(program, target="gfx90a", **changed):
    return json.dumps({"target": target, "group": "examples", "program": program, "kernels": 1, "points": 1000,
                       "stack_points": 3, "seeds": 10, "executed": 5, "executed_scrambled": 50, **changed})


LOG = """gfx90a: 40 of 100
{judged} kernels judged, {different} different, of 3 {note}
left out for register-budget: 2
left out for an unfit original: 31
"""


class Scrambled(unittest.TestCase):
    def test_builds_of_a_target_add_up(self):
        rows = list(evidence.scrambled_rows([record("a"), record("b", seeds=1), record("c", "gfx906")]))
        self.assertEqual(rows, ["| gfx906 | 1 | 1 | 1,000 | 3 | 10 to 10 | 5 | 50 |",
                                "| gfx90a | 2 | 2 | 2,000 | 6 | 1 to 10 | 10 | 100 |"])

    def test_a_program_counts_as_it_ran_last(self):
        rows = list(evidence.scrambled_rows([record("a"), record("a", points=7)]))
        self.assertEqual(rows, ["| gfx90a | 1 | 1 | 7 | 3 | 10 to 10 | 5 | 50 |"])


class Random(unittest.TestCase):
    def test_runs_of_a_target_add_up(self):
        logs = [("gfx90a", LOG.format(judged=66, different=0, note="left")),
                ("gfx90a", LOG.format(judged=1034, different=1, note="left"))]
        self.assertEqual(list(evidence.random_rows(logs)),
                         ["| gfx90a | 1,100 | 1 | 4 register-budget, 62 unfit original |"])

    def test_a_run_that_was_cut_short_does_not_count(self):
        with self.assertRaises(SystemExit):
            list(evidence.random_rows([("gfx90a", "gfx90a: 40 of 100\n")]))


if __name__ == "__main__":
    unittest.main()
