#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A version of ROCm that cannot be had: every test on it counts as not run, the reason
is said, and nobody tries again and again. Nothing is fetched: debootstrap is a stand-in
that finds no archive."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SCRIPT = HERE.parents[1] / "scripts/rocm.sh"
VERSION = "7.2"
WITHIN = ["--within", f"{SCRIPT} {VERSION} --"]
NOT_RUN = 77
REASON = f"ROCm {VERSION} cannot run here: the archive does not offer sid"

STAND_INS = {
    "debootstrap": 'echo tried >>"$TRIES"; exit 1',
    "id": "echo 0",
    "apt-get": "echo http://archive.example/debian/",
    "luthier": "exit 1",
    # What would run in the folder; of what would be installed, the plan.
    "unshare": 'shift 10; echo "$*" >>"$RAN"; case "$*" in *--simulate*) cat "$PLAN" ;; *"$FAILS"*) exit 100 ;; esac',
}


class ScriptTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.folder = pathlib.Path(self.directory.name)
        self.tries = self.folder / "tries"
        for name, text in STAND_INS.items():
            program = self.folder / name
            program.write_text(f"#!/bin/sh\n{text}\n")
            program.chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "TRIES": str(self.tries),
                            "RAN": str(self.folder / "ran"), "PLAN": str(self.folder / "plan"), "FAILS": "nothing",
                            "LUTHIER_CACHE_DIR": str(self.folder / "cache")}

    def run_here(self, *command):
        return subprocess.run([str(word) for word in command], env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Packages(ScriptTest):
    """That are added to a folder."""

    INSTALL = "env DEBIAN_FRONTEND=noninteractive apt-get install -y -q -t experimental librocrand1-tests"
    HOLD = "apt-mark hold libamdhip64-7 libhsa-runtime64-1"

    def add(self, plan, fails="nothing"):
        """What runs in the folder, and the exit code."""
        (self.folder / "cache/rocm-7.2").mkdir(parents=True)
        (self.folder / "plan").write_text(plan)
        self.environment["FAILS"] = fails
        done = self.run_here(SCRIPT, VERSION, "--with", "librocrand1-tests", "--", "true")
        return (self.folder / "ran").read_text().splitlines(), done.returncode

    def test_what_is_there_already_is_left_alone(self):
        self.assertEqual(self.add("Conf nothing\n"), ([f"{self.INSTALL} --simulate", "true"], 0))

    def test_an_older_one_is_replaced_by_that_of_the_versions_own_release(self):
        plan = "Inst librocrand1-tests [6.4.3-1] (7.2.4-1~exp1 Debian:experimental [amd64])\n"
        self.assertEqual(self.add(plan), ([f"{self.INSTALL} --simulate", self.HOLD, self.INSTALL, "apt-get clean", "true"], 0))

    def test_the_index_is_read_again_before_a_package_is_given_up(self):
        ran, code = self.add("Inst librocrand1-tests (7.2.4-1~exp1 Debian:experimental [amd64])\n", "librocrand1-tests")
        self.assertEqual(ran, [f"{self.INSTALL} --simulate", self.HOLD, self.INSTALL, "apt-get update -q", self.INSTALL])
        self.assertEqual(code, NOT_RUN)


class NotRun(ScriptTest):
    def number_of_tries(self):
        return len(self.tries.read_text().splitlines())

    def test_every_test_passes_it_on(self):
        luthier = ["--luthier", self.folder / "luthier"]
        program = self.folder / "program"
        subprocess.run(["objcopy", f"--add-section=.hip_fatbin={self.folder / 'id'}", shutil.which("true"), program],
                       check=True)
        scripts = {
            "build.sh": [VERSION, self.folder / "built", "gfx90a", "collatz"],
            "program.sh": [VERSION, self.folder / "built", "luthier", HERE / "scratch-limit.hip"],
            "generic.sh": [VERSION, self.folder / "built", "collatz"],
            "channels.py": [*WITHIN, *luthier, "--device", "gfx942", "--tools", self.folder],
            "equal_code.py": [*WITHIN, *luthier, program],
            "examples.py": [*WITHIN, *luthier, "--rocm", VERSION, "collatz"],
            "faults.py": [*WITHIN, *luthier],
            "management.py": [*WITHIN, *luthier, "rocm-smi"],
            "profiler/profiler.py": [*WITHIN, *luthier, "overlap"],
            "tool_headers.py": [*WITHIN, *luthier, "--build", self.folder, "--compiler", "c++", "collatz", "collatz"],
        }
        others = {"not_run_test.py", "summary.py", "table.py", "table_test.py"}
        self.assertEqual({path.name for path in HERE.rglob("*") if path.suffix in (".py", ".sh")},
                         {pathlib.Path(name).name for name in scripts} | others)
        for name, words in scripts.items():
            with self.subTest(name):
                command = [HERE / name] if name.endswith(".sh") else [sys.executable, "-B", HERE / name]
                done = self.run_here(*command, *words)
                self.assertEqual(done.returncode, NOT_RUN, done.stdout)
                self.assertIn(REASON, done.stdout)
        # tool_headers.py asks for the folder itself.
        self.assertEqual(self.number_of_tries(), 2, "for an hour, the reason holds")

    def test_who_asks_for_the_folder_has_it_tried_again(self):
        for _ in range(2):
            self.assertEqual(self.run_here(SCRIPT, VERSION).returncode, NOT_RUN)
        self.assertEqual(self.number_of_tries(), 2)
        self.assertEqual(self.run_here(SCRIPT, VERSION, "--status").returncode, NOT_RUN)
        self.assertEqual(self.number_of_tries(), 2, "asking for its state makes nothing")

    def test_other_failures_are_failures(self):
        """Even those with the same exit code."""
        program = self.folder / "within"
        program.write_text(f"#!/bin/sh\nexit {NOT_RUN}\n")
        program.chmod(0o755)
        done = self.run_here(sys.executable, "-B", HERE / "faults.py", "--within", program, "--luthier", "luthier")
        self.assertEqual(done.returncode, 1, done.stdout)

    def test_the_summary_has_the_versions_and_ctests_own_comes_last(self):
        tests = self.folder / "tests"
        tests.mkdir()
        codes = {"rocm-7.2/is-there": NOT_RUN, "rocm-7.2/programs": NOT_RUN, "rocm-6.4/is-there": 0,
                 "rocm-6.4/programs": 1, "e2e/programs": 0, "unit": 0}
        (tests / "CTestTestfile.cmake").write_text("".join(
            f'add_test({name} sh -c "exit {code}")\n'
            f"set_tests_properties({name} PROPERTIES SKIP_RETURN_CODE {NOT_RUN})\n"
            for name, code in codes.items()))
        folder = self.folder / "cache/rocm-6.4/var/lib/dpkg"
        folder.mkdir(parents=True)
        (folder / "status").write_text("Package: libamdhip64-6\nStatus: install ok installed\nArchitecture: amd64\n"
                                       "Maintainer: nobody\nDescription: HIP\nVersion: 6.4.3-2\n")
        self.run_here(SCRIPT, VERSION)
        done = self.run_here("bash", "-c", 'set -o pipefail; "$0" --test-dir "$1" 2>&1 | "$2"', arguments.ctest, tests,
                             HERE / "summary.py")
        self.assertNotEqual(done.returncode, 0, "it is ctest's")
        versions, _, summary = done.stdout.partition("tests passed, ")
        self.assertRegex(versions, re.compile(r"^ROCm installed \(.*\): tests: 1 passed$", re.M))
        self.assertIn("\nROCm 6.4 (libamdhip64-6 6.4.3-2): tests: 1 passed, 1 failed\n", versions)
        self.assertIn("\nROCm 7.2 (the archive does not offer sid (see ", versions)
        self.assertRegex(versions, re.compile(r"^ROCm 7.2 .*: tests: 2 not run$", re.M))
        self.assertNotIn("ROCm", summary)
        self.assertIn("The following tests FAILED", summary)


parser = argparse.ArgumentParser()
parser.add_argument("--ctest", default="ctest")
arguments, rest = parser.parse_known_args()
unittest.main(argv=sys.argv[:1] + rest)
