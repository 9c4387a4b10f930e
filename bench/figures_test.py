#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A figure that was never measured ends a benchmark; what is made of those that were."""
import json
import math
import unittest

from figures import geometric_mean, measured, ratio, sums, table, with_section
from first_launch import clock_of, largest, totals
from programs import chosen, PROGRAMS


def statistics(*kernels):
    fields = ["name", "wave_instructions", "lane_instructions", "cycles"]
    return json.dumps({"kernels": [dict(zip(fields, kernel)) for kernel in kernels]})


class Figures(unittest.TestCase):
    def test_what_was_measured_is_returned(self):
        for value in [1, 0.25, 10 ** 12]:
            self.assertEqual(measured("time", value), value)

    def test_what_was_not_measured_ends_the_benchmark(self):
        for value in [0, 0.0, -1, math.inf, -math.inf, math.nan, None, "", True]:
            with self.subTest(value=value), self.assertRaises(SystemExit) as end:
                measured("time of the link", value)
            self.assertIn("time of the link", str(end.exception))

    def test_ratios_need_both_sides(self):
        self.assertEqual(ratio("cycles", 3, 2), 1.5)
        for value, base in [(0, 2), (2, 0), (None, 2), (2, None)]:
            with self.subTest(value=value, base=base), self.assertRaises(SystemExit):
                ratio("cycles", value, base)

    def test_geometric_means_are_of_measured_figures(self):
        self.assertAlmostEqual(geometric_mean([1, 4]), 2)
        self.assertAlmostEqual(geometric_mean([2.5]), 2.5)
        for values in [[], [1, 0], [1, None]]:
            with self.subTest(values=values), self.assertRaises(SystemExit):
                geometric_mean(values)


class Statistics(unittest.TestCase):
    def test_processes_and_kernels_are_added_up_without_the_runtimes_copies(self):
        texts = [statistics(("one", 2, 30, 400), ("rocr.fill", 7, 7, 7)), statistics(("two", 3, 50, 600))]
        self.assertEqual(sums(texts), {"wave_instructions": 5, "lane_instructions": 80, "cycles": 1000})

    def test_a_run_without_kernels_measured_nothing(self):
        for texts in [[], [statistics()], [statistics(("rocr.copy", 1, 1, 1))]]:
            with self.subTest(texts=texts), self.assertRaises(SystemExit):
                sums(texts)


class Timings(unittest.TestCase):
    LINES = "\n".join(json.dumps({"kernel": name, "points": points, "total_s": total})
                      for name, points, total in [("a", 10, 0.5), ("b", 30, 0.25)])

    def test_the_largest_kernel_is_that_with_most_points(self):
        self.assertEqual(largest(self.LINES)["kernel"], "b")

    def test_no_instrumented_kernel_is_an_error(self):
        with self.assertRaises(SystemExit):
            largest("")

    def test_kernels_of_a_program_are_added_up(self):
        self.assertEqual(totals(self.LINES), (40, 0.75))

    def test_phases_without_a_time_are_an_error(self):
        with self.assertRaises(SystemExit) as end:
            clock_of({"kernel": "a", "lift_s": 0.0})
        self.assertIn("lift", str(end.exception))


class Page(unittest.TestCase):
    def test_a_table_has_a_cell_for_each_column(self):
        self.assertEqual(table(["a", "b"], [["x", 1]]), "| a | b |\n| --- | --: |\n| x | 1 |\n")
        with self.assertRaises(SystemExit):
            table(["a", "b"], [["x"]])

    def test_a_section_replaces_its_older_self_alone(self):
        page = with_section(with_section("# Page\n", "One", "first"), "Two", "second")
        self.assertEqual(page, "# Page\n\n## One\n\nfirst\n\n## Two\n\nsecond\n")
        self.assertEqual(with_section(page, "One", "new\n"), "# Page\n\n## One\n\nnew\n\n## Two\n\nsecond\n")
        self.assertEqual(with_section(page, "Two", "new"), "# Page\n\n## One\n\nfirst\n\n## Two\n\nnew\n")


class Choice(unittest.TestCase):
    def test_programs_are_all_or_those_that_are_named(self):
        self.assertEqual(chosen(""), PROGRAMS)
        self.assertEqual([program.name for program in chosen("saxpy,vector-add")], ["saxpy", "vector-add"])

    def test_a_program_that_does_not_exist_is_an_error(self):
        with self.assertRaises(SystemExit) as end:
            chosen("saxpy,nothing")
        self.assertIn("nothing", str(end.exception))


if __name__ == "__main__":
    unittest.main()
