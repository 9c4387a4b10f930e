#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that stop, die and go on, and what becomes of their tests."""

import unittest
from dataclasses import replace
from unittest import mock

from suites import library, list_of_googletest
from trial import Limits, Start, evenly, run_tests

LIST = """\
Random seed: 1
version: 1.0.
sum/uniform.  # TypeParam = int
  of_one/0  # GetParam() = 42
  DISABLED_of_two
DISABLED_sum.
  of_one
product.
  of_one
"""

# Its tests are its arguments, and are named for what they do.
PROGRAM = r"""
for test; do
  echo "[ RUN      ] $test"
  case $test in
  spins*) while :; do :; done ;;
  dies*) exit 3 ;;
  fails*) echo "noise[  FAILED  ] $test, where GetParam() = 42 (1 ms)" ;;
  skips*) echo "[  SKIPPED ] $test (1 ms)" ;;
  *) echo "[       OK ] $test (1 ms)" ;;
  esac
done
"""
# The same, but slow before the first of them.
SLOW = "for ((i = 0; i < 400000; ++i)); do :; done; " + PROGRAM
SUITE = library({"": ""})[""]


def run(*tests, test=0.3, whole=1000):
    return run_tests(lambda only: ["bash", "-c", PROGRAM, "program"] + only, SUITE, list(tests), Limits(test, whole))


class TrialTest(unittest.TestCase):
    def test_a_sample_is_spread_evenly_and_its_offsets_take_all(self):
        tests = [f"t{i}" for i in range(10)]
        self.assertEqual(evenly(tests, 4), (["t0", "t3", "t6", "t9"], 3))
        self.assertEqual(evenly(tests, 0), (tests, 1))
        self.assertEqual(evenly(tests, 20), (tests, 1))
        self.assertEqual(sorted(sum((evenly(tests, 4, offset)[0] for offset in range(3)), [])), tests)

    def test_disabled_tests_and_chatter_are_not_listed(self):
        self.assertEqual(list_of_googletest(LIST), ["sum/uniform.of_one/0", "product.of_one"])

    def test_a_test_that_does_not_end_is_cut_off_and_those_behind_it_run(self):
        trial = run("a.b", "spins", "fails", "a.c")
        self.assertEqual(trial.results, {"a.b": True, "fails": False, "a.c": True})
        self.assertEqual((trial.cut_off, trial.died, trial.code, trial.stopped), (["spins"], {}, 0, None))

    def test_a_test_that_the_program_dies_in_failed_and_those_behind_it_run(self):
        trial = run("a.b", "dies", "skips", "dies_too", "a.c")
        self.assertEqual(trial.results, {"a.b": True, "dies": False, "dies_too": False, "a.c": True})
        self.assertEqual(trial.died, {"dies": 3, "dies_too": 3})

    def test_skipped_tests_have_no_result(self):
        trial = run("skips", "a.b")
        self.assertEqual((trial.results, trial.skipped), ({"a.b": True}, {"skips"}))

    def test_a_program_that_runs_out_of_time_leaves_tests_without_result(self):
        trial = run("a.b", "spins", "a.c", test=1000, whole=0.3)
        self.assertEqual((trial.results, trial.cut_off, trial.stopped), ({"a.b": True}, [], "whole"))

    def test_what_a_program_does_before_its_first_test_takes_no_time_from_them(self):
        starts = lambda only: ["bash", "-c", SLOW, "program"] + only
        trial = run_tests(starts, SUITE, ["a.b", "dies", "a.c"], Limits(0.3, 0.3))
        self.assertEqual(trial.results, {"a.b": True, "dies": False, "a.c": True})
        self.assertGreater(trial.seconds, 2 * 0.3)
        self.assertLess(trial.tested, 0.3)

    def test_what_was_used_before_a_test_is_known_when_it_begins(self):
        with mock.patch.object(Start, "LOOK", 1000):
            start = Start(["bash", "-c", SLOW, "program", "a.b"], SUITE, Limits(1000, 1000))
        self.assertGreater(start.first, 0.3)
        self.assertGreaterEqual(start.marked, start.first)

    def test_programs_that_do_not_say_what_they_do_have_the_whole_time(self):
        suite = replace(SUITE, select=None, progress=lambda line: (None, None))
        slow = lambda only: ["bash", "-c", SLOW, "program", "a.b"]
        trial = run_tests(slow, suite, None, Limits(0.1, 1000, start=0.1))
        self.assertEqual((trial.results, trial.stopped), ({"a.b": True}, None))
        trial = run_tests(slow, suite, None, Limits(1000, 0.1))
        self.assertEqual((trial.results, trial.stopped), ({}, "whole"))

    def test_a_program_that_starts_a_test_again_unasked_is_left(self):
        again = lambda only: ["bash", "-c", PROGRAM, "program", "spins"]
        trial = run_tests(again, SUITE, ["spins", "a.b"], Limits(0.3, 1000))
        self.assertEqual((trial.results, trial.cut_off), ({}, ["spins"]))

    def test_results_of_tests_that_were_not_asked_for_are_left_out(self):
        more = lambda only: ["bash", "-c", PROGRAM, "program", *only, "b.c", "fails"]
        trial = run_tests(more, SUITE, ["a.b"], Limits(1, 1000))
        self.assertEqual(trial.results, {"a.b": True})

    def test_a_program_that_runs_no_test_is_not_started_for_ever(self):
        trial = run_tests(lambda only: ["bash", "-c", "exit 3"], SUITE, ["a.b"], Limits(1, 1000))
        self.assertEqual((trial.results, trial.code), ({}, 3))


if __name__ == "__main__":
    unittest.main()
