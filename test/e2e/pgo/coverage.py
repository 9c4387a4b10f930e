#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`luthier pgo coverage` shows which source of kernels was executed: regions,
branches and decisions of a build for that, and lines of a release, of one run or of
several. Numbers follow from the program: 64 lanes, of which ten are below the limit,
five of those odd."""

import os
import re
import shutil

from builds import ARGUMENTS, Builds, Failure, harness


class Covering:
    def __init__(self, arguments, directory):
        self.luthier, self.directory = arguments.luthier, directory
        with open(arguments.source) as file:
            self.source = file.read().splitlines()
        self.path = arguments.source

    def line(self, text):
        return next(number for number, line in enumerate(self.source, 1) if text in line)

    def run(self, program, *options, more=("10",)):
        return harness.run([self.luthier, "pgo", "coverage", *options, "--", program, *more])

    def executions(self, tracefile):
        """Of lines of the program's own file."""
        record = re.search(rf"SF:\S*{os.path.basename(self.path)}\n(.*?)end_of_record", tracefile, re.S)
        if not record:
            raise Failure(f"the program's source is not in the tracefile:\n{tracefile}")
        return {int(line): int(count) for line, count in re.findall(r"^DA:(\d+),(\d+)$", record[1], re.M)}

    def expect_lines(self, tracefile, expected):
        executions = self.executions(tracefile)
        for text, count in expected.items():
            if executions.get(self.line(text)) != count:
                raise Failure(f"'{text}': {count} executions expected\n{tracefile}")


def regions(test, program):
    result = test.run(program)
    result.expect(result.code == 0, "luthier pgo coverage fails")
    totals = re.search(r"^TOTAL.*", result.stdout, re.M)
    result.expect(totals and "MC/DC Conditions" in result.stdout, "there is no report")
    tracefile = f"{test.directory}/coverage.info"
    result = test.run(program, "--format", "lcov", "-o", tracefile)
    result.expect(result.code == 0, "there is no tracefile")
    with open(tracefile) as file:
        test.expect_lines(file.read(), {"unsigned Value = 1": 64, "Value = 2": 5, "Value = 3": 0, "] = 4": 0})
    shown = test.run(program, "--format", "show").stdout
    for text in ("[True: 10, False: 54]", "[True: 5, False: 5]", "MC/DC Coverage for Decision: 100.00%"):
        if text not in shown:
            raise Failure(f"'{text}' is not shown:\n{shown}")
    # No lane is below the limit, so the second condition decides nothing.
    shown = test.run(program, "--format", "show", more=("0",)).stdout
    if "MC/DC Coverage for Decision: 0.00%" not in shown:
        raise Failure(f"a decision is covered that was never another:\n{shown}")
    folder = f"{test.directory}/html"
    test.run(program, "--format", "html", "-o", folder)
    if not os.path.exists(f"{folder}/index.html"):
        raise Failure("there is no HTML")
    result = test.run(program, more=("10", "fails"))
    result.expect(result.code == 7 and "TOTAL" in result.stdout, "what a program that fails has executed is not shown")
    result = test.run(program, more=("10", "killed"))
    result.expect(result.code == 128 + 9, "the program's end is not passed on")
    result.expect_in_stderr("partial-profile: process")


def regions_of_several_runs(test, program):
    """Each decides one half of what there is to decide."""
    below, above = ("0",), ("100",)
    for more, covered in ((below, "0.00"), (above, "50.00"), ((*below, "--", program, *above), "100.00")):
        shown = test.run(program, "--format", "show", more=more).stdout
        if f"MC/DC Coverage for Decision: {covered}%" not in shown:
            raise Failure(f"{more}: {covered} % of the decision are expected:\n{shown}")
    result = test.run(program, "--format", "lcov", more=(*below, "--", program, *above))
    result.expect(result.code == 0, "there is no tracefile of two runs")
    test.expect_lines(result.stdout, {"unsigned Value = 1": 128, "Value = 2": 32, "Value = 3": 0})
    result = test.run(program, more=("10", "fails", "--", program, "10"))
    result.expect(result.code == 7 and "TOTAL" in result.stdout, "the run that fails is not told")


def lines(test, release):
    result = test.run(release, "--format", "lcov")
    result.expect(result.code == 0, "there is no tracefile of a release")
    # Of one wave.
    test.expect_lines(result.stdout, {"Out[Lane] = Value": 1, "] = 4": 0})
    result.expect("FNDA:1,_Z6decidePKjPj\n" in result.stdout, "the kernel is not executed")
    result.expect("FNDA:0,_Z6unusedPj\n" in result.stdout, "the kernel that is not launched is executed")
    result = test.run(release)
    result.expect(re.search(r" 3 +2 +66\.7 %  all$", result.stdout, re.M), "functions are not counted")
    result = test.run(release, "--format", "show")
    result.expect(result.code == 2, "what a release does not have is shown")


def lines_of_several_runs(test, release):
    copy = f"{test.directory}/copy"
    shutil.copy(release, copy)
    result = test.run(release, "--format", "lcov", more=("10", "--", copy, "10", "--", release, "2000"))
    result.expect(result.code == 0, "there is no tracefile of three runs")
    test.expect_lines(result.stdout, {"Out[Lane] = Value": 3, "] = 4": 0})


def lines_by_hooks(test, release, refused):
    """As the emulated GPU counts them; kernels without hooks are named."""
    counted = [test.run(release, "--format", "lcov", "--count-by", way, more=("10", "--", release, "0"))
               for way in ("emulator", "hooks")]
    for result in counted:
        result.expect(result.code == 0, "there is no tracefile")
    counted[1].expect("DA:" in counted[0].stdout and counted[1].stdout == counted[0].stdout, "hooks count something else")
    result = test.run(refused, "--count-by", "hooks", more=())
    result.expect(result.code == 1, "a kernel whose lines are not known is a success")
    result.expect_in_stderr("lines of opaque are missing, for it runs without hooks: undecodable-instruction")
    result = test.run(refused, more=())
    result.expect(result.code == 0, "the emulated GPU does not count a kernel without hooks")
    result = test.run(refused, "--count-by", "eye", more=())
    result.expect(result.code == 2, "nobody counts so")


def without_lines(test, builds, release):
    plain, other = builds.compile("plain"), builds.compile("other", level="-O1")
    message = "no-marks: code for gfx90a has no line tables; compile it with -gline-tables-only"
    # Nothing would be left of the run.
    result = test.run(plain, more=("10", "killed"))
    result.expect(result.code == 1, "code without marks has coverage")
    result.expect_in_stderr(message)
    result = test.run(release, "--code", plain, "--code", other)
    result.expect(result.code == 0, "lines are needed of code that is not executed")
    result = test.run(other, "--code", release)
    result.expect(result.code == 1, "code that is executed without marks has coverage")
    result.expect_in_stderr(message)


def test(arguments, directory):
    builds, test = Builds(arguments, directory), Covering(arguments, directory)
    decisions = builds.compile("decisions", builds.flags("collect", "--route", "mcdc"))
    regions(test, decisions)
    regions_of_several_runs(test, decisions)
    release = builds.compile("release", ["-Xarch_device", "-gline-tables-only"])
    lines(test, release)
    lines_of_several_runs(test, release)
    lines_by_hooks(test, release, builds.compile("refused", ["-Xarch_device", "-gline-tables-only"], source=arguments.refused))
    without_lines(test, builds, release)


if __name__ == "__main__":
    harness.main([*ARGUMENTS, (["--refused"], {"required": True, "help": "with a kernel that cannot have hooks"})], test)
