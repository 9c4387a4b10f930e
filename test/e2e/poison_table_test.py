#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What docs/poison.md counts, and what it does not count twice."""

import unittest

import poison_table


def line(program, **more):
    return {"target": "gfx90a", "group": "examples", "program": program, "kernels": 1, "points": 10, "executed": 100,
            "executed_poisoned": 1000, "seeds": 10, "way": "runtime", **more}


class Counting(unittest.TestCase):
    several = line("", builds=2, kernels=7)

    def builds(self, records):
        return [row.split(" | ")[2:4] for row in poison_table.rows(records)]

    def test_a_line_for_several_builds_holds_until_each_has_its_own(self):
        self.assertEqual(self.builds([self.several, line("a")]), [["2", "7"]])
        self.assertEqual(self.builds([self.several, line("a"), line("b")]), [["2", "2"]])

    def test_groups_count_apart(self):
        self.assertEqual(self.builds([self.several, line("a", target="gfx908"), line("b", target="gfx908")]),
                         [["2", "2"], ["2", "7"]])

    def test_a_dash_stands_for_a_stack_that_not_all_were_run_with(self):
        stacks = [row.split(" | ")[8] for row in poison_table.rows([line("a", stack_points=3), line("b")])]
        self.assertEqual(stacks, ["-"])
        stacks = [row.split(" | ")[8] for row in poison_table.rows([line("a", stack_points=3), line("b", stack_points=4)])]
        self.assertEqual(stacks, ["7"])


if __name__ == "__main__":
    unittest.main()
