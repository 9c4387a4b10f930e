#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registers the suites of a GoogleTest program with ctest, a process for each: suites.py PROGRAM DIRECTORY FILE
writes a FILE for ctest to include; the tests run in DIRECTORY. With a process for each test, most would take longer to
load LLVM than to run."""
import pathlib
import sys

# What one test has freed is for the next. By default glibc gives large blocks back to the system, and each of their
# pages has to be had again: a fifth of the time of tests that compile hooks. Large pages are for the compilers
# that they run, but reach the tests, too.
ENVIRONMENT = ("MALLOC_MMAP_THRESHOLD_=33554432;MALLOC_TRIM_THRESHOLD_=134217728;"
               "GLIBC_TUNABLES=glibc.malloc.hugetlb=1")
# GoogleTest is content with tests that do not run.
FAILURES = r"Running 0 tests from;\[  SKIPPED \];YOU HAVE [0-9]+ DISABLED"
# Seconds, with sanitizers.
TIMEOUT = 7200

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import gtest_program


def registration(program, directory):
    name = pathlib.Path(program).name
    for suite in gtest_program.cases_by_suite(program):
        test = f"[==[{name}/{suite}]==]"
        yield f"add_test({test} [==[{program}]==] [==[--gtest_filter={suite}.*]==])"
        yield (f"set_tests_properties({test} PROPERTIES LABELS unit TIMEOUT {TIMEOUT} "
               f"WORKING_DIRECTORY [==[{directory}]==] ENVIRONMENT [==[{ENVIRONMENT}]==] "
               f"FAIL_REGULAR_EXPRESSION [==[{FAILURES}]==])")


def main():
    program, directory, file = sys.argv[1:]
    pathlib.Path(file).write_text("\n".join(registration(program, directory)) + "\n")


if __name__ == "__main__":
    main()
