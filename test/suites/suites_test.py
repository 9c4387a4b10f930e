#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What other people's test programs print, as it is read, and the table of it."""

import argparse
import json
import pathlib
import subprocess
import tempfile
import unittest
from dataclasses import replace
from unittest import mock

import run

from example_hash import examples
from suites import (SUITES, progress_of_thrust, results_of_generation, results_of_googletest, results_of_hashcat, results_of_llama,
                    results_of_thrust, select_on_command_line, skipped_of_thrust)
from tiny_model import ALIGNMENT, model
from trial import Limits, Trial
from table import failures, keep, last_of_each, read, row, tables_of

GOOGLETEST = """\
[ RUN      ] sum/uniform.of_one/0
[       OK ] sum/uniform.of_one/0 (3 ms)
[ RUN      ] sum/uniform.of_one/1
unexpected: 1
[  FAILED  ] sum/uniform.of_one/1, where GetParam() = 42 (12 ms)
[ RUN      ] sum/uniform.never_ends
[  FAILED  ] 1 test, listed below:
[  FAILED  ] sum/uniform.of_one/1, where GetParam() = 42
"""

THRUST = """\
Running 3 unit tests.
Running TestFill...[PASS]      0.001 ms TestFill
Running TestSwap...noise
[FAILURE]    150.849 ms TestSwap
Running TestDelete...\r[KNOWN FAILURE]      TestDelete
Totals: 1 failures, 1 known failures, 0 errors, and 1 passes.
"""

LLAMA = """\
  SUM(type=f32,ne=[10,5,4,3]): \x1b[1;32mOK\x1b[0m
  SUM(type=f16,ne=[10,5,4,3]): not supported [ROCm0]
  SUM(type=f32,ne=[11,5,4,3]): [SUM] NMSE = 1.000000000 > 0.000000100 \x1b[1;31mFAIL\x1b[0m
  SUM(type=f32,ne=[12,5,4,3]): \x1b[1;32mOK\x1b[0m
  SUM(type=f32,ne=[12,5,4,3]): \x1b[1;31mFAIL\x1b[0m
  2/3 tests passed
  Backend ROCm0: \x1b[1;31mFAIL\x1b[0m
"""


def record(**values):
    return {"suite": "rocRAND", "rocm": "7.2", "device": "gfx90a", "unit": "basic", "tests": 90, "chosen": 5, "step": 18, "offset": 0, "run": 3,
            "passed": 2, "failed": ["a"], "died": {}, "skipped": 1, "cut_off": ["b"], "timed_out": False, "seconds": 1,
            "counted_seconds": 2, "scrambled_seconds": 3, "lost": {"counted": 0, "scrambled": 1}, "changed": [], "refused": [],
            "strict": 2, "strict_failed": ["c"], "instructions": 1000} | values


class SuitesTest(unittest.TestCase):
    def test_tests_of_googletest_that_ended_have_results(self):
        self.assertEqual(results_of_googletest(GOOGLETEST), {"sum/uniform.of_one/0": True, "sum/uniform.of_one/1": False})

    def test_rocblas_is_told_on_its_command_line_which_tests_run(self):
        self.assertEqual(SUITES["rocBLAS"]["6.4"].select(["_/a.b/c_-1", "d.e"], "/unused"), " '--gtest_filter=_/a.b/c_?1:d.e'")
        with self.assertRaisesRegex(ValueError, "--sample"):
            select_on_command_line(["_/a.b/c"] * 20_000, "/unused")

    def test_tests_of_thrust_have_results(self):
        self.assertEqual(results_of_thrust(THRUST), {"TestFill": True, "TestSwap": False})

    def test_what_thrust_knows_to_fail_is_skipped_and_ends(self):
        self.assertEqual(skipped_of_thrust(THRUST), {"TestDelete"})
        self.assertEqual(progress_of_thrust("Running TestDelete..."), ("TestDelete", set()))
        self.assertEqual(progress_of_thrust("Running TestDelete...\r[KNOWN FAILURE]      TestDelete"), (False, {"TestDelete"}))

    def test_cases_of_llama_that_are_implemented_have_results(self):
        self.assertEqual(results_of_llama(LLAMA), {
            "SUM(type=f32,ne=[10,5,4,3])": True,
            "SUM(type=f32,ne=[11,5,4,3])": False,
            "SUM(type=f32,ne=[12,5,4,3])": False,
        })

    def test_a_hash_is_cracked_or_not(self):
        said = "Session..........: 0\nStatus...........: {}\nHash.Mode........: 0 (MD5)\n"
        self.assertEqual(results_of_hashcat(said.format("Cracked")), {"0 (MD5)": True})
        self.assertEqual(results_of_hashcat(said.format("Exhausted")), {"0 (MD5)": False})
        self.assertEqual(results_of_hashcat("* Device #1: ATTENTION! OpenCL kernel self-test failed.\n"), {})

    def test_examples_of_hashes_are_those_that_take_little_time_and_no_file(self):
        fast = {"example_hash": "09", "example_pass": "abc", "slow_hash": False, "is_deprecated": False, "self_test_enabled": True,
                "example_hash_format": "plain"}
        others = [{"slow_hash": True}, {"is_deprecated": True}, {"self_test_enabled": False},
                  {"example_hash_format": "hex-encoded (binary file only)"}]
        known = {"0": fast} | {str(number): fast | other for number, other in enumerate(others, 1)}
        self.assertEqual(examples("hashcat (v7) starting\n\n" + json.dumps(known)), {"0": ("09", "abc")})

    def test_what_a_model_says_is_its_result(self):
        self.assertEqual(results_of_generation("loaded\nsaid 3c 0a fe\ndecoded 2 tokens\n"), {"<\n\\xfe": True})
        self.assertEqual(results_of_generation("error: no such model\nsaid\n"), {})

    def test_models_of_one_seed_are_equal(self):
        self.assertEqual(model(2), model(2))
        self.assertNotEqual(model(2), model(3))
        self.assertEqual(len(model(2)) % ALIGNMENT, 0)

    def test_what_failed_is_named_with_what_the_program_died_of(self):
        records = [record(ended_with=1), record(died={"a": -6}), record(failed=[], ended_with=134),
                   record(failed=[], ended_with=0), record(failed=[], ended_with=None)]
        self.assertEqual([name for *_, name in failures(records)], ["a", "a, ends with -6", "ends with 134"])

    def test_what_the_page_says_of_others_can_be_kept(self):
        old = tables_of([record(), record(suite="rocFFT", failed=["f"])], "old")
        self.assertEqual(read("\n".join(old.write())), old)
        new = tables_of([record(cut_off=["d"])], "new")
        keep(new, old)
        text = "\n".join(new.write())
        self.assertIn("Of commit new; rocFFT 7.2 on gfx90a of old:\n", text)
        self.assertEqual([key for key in read(text).rows], [("rocFFT", "7.2", "gfx90a"), ("rocRAND", "7.2", "gfx90a")])
        self.assertIn("- rocFFT 7.2, basic, gfx90a: `f`\n", text)
        newest = tables_of([record(device="gfx1100")], "newest")
        keep(newest, new)
        self.assertEqual(next(newest.write()), "Of commit newest; rocFFT 7.2 on gfx90a of old; rocRAND 7.2 on gfx90a of new:")
        self.assertEqual(read("\n".join(newest.write())).older, newest.older)
        self.assertEqual([line for line in text.splitlines() if line.startswith("- rocRAND 7.2, basic")],
                         ["- rocRAND 7.2, basic, gfx90a: `a`", "- rocRAND 7.2, basic, gfx90a: `d`", "- rocRAND 7.2, basic, gfx90a: `c`"])

    def test_the_last_run_of_a_unit_counts_beside_its_other_samples(self):
        lines = [record(changed=["counted: a"]), record(), record(offset=1)]
        self.assertEqual(last_of_each(json.dumps(line) for line in lines), lines[1:])

    def test_tests_that_were_run_by_name_count_once(self):
        lines = [record(), record(only="a", step=1), record(unit="other", only="a"), record(device="gfx1100", only="a"),
                 record(rocm="6.4", only="a")]
        self.assertEqual(last_of_each(json.dumps(line) for line in lines), [lines[0], *lines[2:]])

    def test_a_row_sums_up_units_and_samples(self):
        records = [record(), record(offset=1), record(unit="other", tests=None, chosen=None, instructions=0)]
        self.assertEqual(row("rocRAND", "7.2", "gfx90a", records),
                         "| rocRAND | 7.2 | gfx90a | 2 | 93 | 13 | 9 | 6 | 3 | 3 | 3 | 6 | 3 | 0 | 0 | 6 | 3 | 3 | 6 | 9 | 2,000 |")


class UnitsTest(unittest.TestCase):
    def test_scripts_beside_the_programs_are_no_units(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("rocsparse-test", "run-tests", "rocsparse_gentest.py"):
                path = pathlib.Path(folder, name)
                path.touch()
                path.chmod(0o755)
            units = SUITES["rocSPARSE"]["7.2"].units.replace("/usr/libexec/rocm/librocsparse1-tests", folder)
            found = subprocess.run(units, shell=True, stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertEqual(found, f"{folder}/rocsparse-test\n")


class RunTest(unittest.TestCase):
    """Without its programs, and without the GPU that they would run on."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.arguments = argparse.Namespace(build=pathlib.Path(folder.name), device="gfx90a", rocm=None, unit="", only="", sample=0, offset=0,
                                            strict=0, limit=120, test_limit=30, slower=20)
        self.results = self.arguments.build / "results.jsonl"

    def run_suite(self, only):
        """How many things are wrong, and by unit which tests ran plainly."""
        self.arguments.only = only
        tests = {"first": ["a.b", "a.c"], "second": ["a.c", "b.d"]}
        passes = lambda unit, options, asked, slower=1: Trial(results=dict.fromkeys(asked, True), code=0)
        with mock.patch.multiple(run.Unit, tests=lambda unit: tests[unit.name], run=passes, executed=lambda unit: 1), \
                mock.patch.object(run, "units_of", lambda name, suite: list(tests)):
            wrong = run.run_suite("rocRAND", self.arguments, self.results)
        records = [json.loads(line) for line in self.results.read_text().splitlines()] if self.results.exists() else []
        return wrong, {r["unit"]: r["run"] for r in records}

    def listed(self, name, stdout, code):
        """What a unit has that answers so; twice, since the first answer is kept."""
        (self.arguments.build / "suites").mkdir(exist_ok=True)
        answers = [subprocess.CompletedProcess([], code, stdout=stdout)]
        with mock.patch.object(subprocess, "run", side_effect=answers):
            return [run.Unit(name, SUITES["rocRAND"]["7.2"], self.arguments, "").tests() for _ in range(2)]

    def test_programs_may_have_no_tests(self):
        self.assertEqual(self.listed("none", b"", 0), [[], []])
        self.assertEqual(self.listed("two", b"a.\n  b\n  c\n", 0), [["a.b", "a.c"]] * 2)

    def test_programs_that_list_nothing_else_are_wrong(self):
        for stdout, code in (b"what?\n", 0), (b"", 1), (b"a.\n  b\n", 1):
            with self.assertRaises(SystemExit):
                self.listed("wrong", stdout, code)

    def test_units_without_a_test_of_that_name_are_left_out(self):
        self.assertEqual(self.run_suite("^b"), (0, {"second": 1}))

    def test_a_suite_without_a_test_of_that_name_is_wrong(self):
        self.assertEqual(self.run_suite("^c"), (1, {}))

    def test_programs_that_fail_before_their_first_test_are_wrong(self):
        trials = [(Trial(code=127), 1), (Trial(code=None, stopped="test"), 1), (Trial(code=0), 0),
                  (Trial(code=1, skipped={"a.b"}), 0), (Trial(code=None, stopped="whole"), 0)]
        for trial, wrong in trials:
            unit = run.Unit("first", SUITES["rocThrust"]["6.4"], self.arguments, "/unused")
            with mock.patch.multiple(run.Unit, run=lambda *_: trial, executed=lambda unit: 0):
                self.assertEqual(run.run_unit(unit, "rocThrust", "gfx90a", self.results), wrong, trial)

    def test_versions_of_rocm_have_tests_of_their_own(self):
        self.arguments.rocm = "7.2"
        self.assertEqual(self.run_suite("^b"), (0, {"second": 1}))
        self.assertEqual(json.loads(self.results.read_text().splitlines()[0])["rocm"], "7.2")
        self.arguments.rocm = "6.1"
        self.assertEqual(run.run_suite("rocRAND", self.arguments, self.results), 1)

    def test_some_tests_are_not_asked_of_tools(self):
        suite = replace(SUITES["rocRAND"]["7.2"], plain_only=frozenset({"a.b"}))
        self.arguments.only = "a.b|b.d"
        unit = run.Unit("first", suite, self.arguments, "/unused")
        asked = {}

        def passes(unit, options, tests, slower=1):
            asked[options[1]] = tests
            return Trial(results=dict.fromkeys(tests, True), code=0)

        with mock.patch.multiple(run.Unit, tests=lambda unit: ["a.b", "a.c", "b.d"], run=passes, executed=lambda unit: 1):
            record, problems = list(unit.judge())[-1]
        self.assertEqual(asked, {"/unused/plain.%p.json": ["a.b", "b.d"], "instr-count": ["b.d"], "scramble": ["b.d"]})
        self.assertEqual((record["lost"], record["changed"], problems), ({"counted": 1, "scrambled": 1}, [], []))

    def test_some_suites_have_several_gpus(self):
        unit = run.Unit("first", SUITES["RCCL"]["7.2"], self.arguments, "/unused")
        self.assertIn("emulated:gfx90a,gfx90a", unit.command([]))

    def test_some_programs_do_less_below_tools(self):
        unit = run.Unit("first", SUITES["RCCL"]["7.2"], self.arguments, "/unused")
        self.assertNotIn("UT_PROCESS_MASK=1", unit.command(["--stats", "file"]))
        below = unit.command(["--tool", "scramble"])
        self.assertLess(below.index("env"), below.index("UT_PROCESS_MASK=1"))
        self.assertLess(below.index("UT_PROCESS_MASK=1"), below.index(str(self.arguments.build / "bin/luthier")))

    def test_all_tests_run_unless_some_are_named(self):
        self.assertEqual(self.run_suite(""), (0, {"first": 2, "second": 2}))

    def test_slower_runs_have_longer_for_all_that_they_do(self):
        unit = run.Unit("first", SUITES["llama.cpp"]["6.4"], self.arguments, "/unused")
        with mock.patch.object(run, "run_tests") as run_tests:
            unit.run([], None, slower=20)
        self.assertEqual(run_tests.call_args.args[-1], Limits(test=600, whole=2400, start=6000))


if __name__ == "__main__":
    unittest.main()
