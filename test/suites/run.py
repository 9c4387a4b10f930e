#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs other people's test programs on the emulated GPU: plain, counted by
instr-count, and with everything overwritten that Luthier's analyses call free
(scramble). What passes plainly has to pass each time.

  run.py --build BUILD SUITE... [--rocm VERSION] [--device GPU] [--unit REGEX] [--limit SECONDS]
         [--only REGEX] [--sample TESTS [--offset N]] [--test-limit SECONDS] [--strict TESTS]

--only leaves those tests whose names match, of each program that can list its tests.
--sample takes every k-th of them, so that at most so many are left, from the
--offset-th on: 0 to k-1 take them all. A test that takes more than --test-limit is
cut off, and the program starts again with the next. A plain run ends after --limit
seconds, without what starts take before their first test; the tests that have passed
by then are asked of the other runs. With --strict, so many of them run in the
emulator's strict mode, too. Seconds are the processor's, whatever else the machine does.

After each run of a unit, a line of JSON in BUILD/suites/results.jsonl has all that is
known of it by then; table.py makes a page of the last ones. Ends with 1 if
instrumentation changed a result or a suite has nothing to run, with 77 where a suite
cannot be had."""

import argparse
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import harness
from suites import SUITES
from trial import Limits, evenly, run_tests

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
MODES = {"counted": "instr-count", "scrambled": "scramble"}


class Unit:
    def __init__(self, name, suite, arguments, directory):
        self.name, self.suite, self.arguments, self.directory = name, suite, arguments, directory

    def command(self, options, only=None):
        selection = ""
        if only is not None and self.suite.select:
            selection = self.suite.select(only, os.path.join(self.directory, "tests"))
        return self.shell(options, selection)

    def shell(self, options, selection):
        shell = "exec " + self.suite.command.format(unit=shlex.quote(self.name), only=selection)
        within = [str(CHECKOUT / "scripts/rocm.sh"), self.suite.rocm, "--", "env"]
        variables = self.suite.variables | (self.suite.tool_variables if "--tool" in options else {})
        within += [f"{name}={value}" for name, value in variables.items()]
        luthier = [str(self.arguments.build / "bin/luthier"), "run",
                   "--device", "emulated:" + ",".join([self.arguments.device] * self.suite.gpus),
                   "--output", self.directory]
        return within + luthier + options + ["--", "bash", "-c", shell]

    @functools.cache
    def tests(self):
        """All that the unit has, if it can say so. It may take long: kept. Some programs
        have none: they say nothing, and are well."""
        if not self.suite.list:
            return None
        kept = self.arguments.build / f"suites/{os.path.basename(self.name)}-{self.suite.rocm}.tests"
        if not kept.exists():
            made = subprocess.run(self.shell([], self.suite.lists), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
            tests = self.suite.list(made.stdout.decode(errors="replace"))
            if made.returncode != 0 or (made.stdout and not tests):
                sys.exit(f"{self.name}: its tests cannot be listed, exit code {made.returncode}")
            kept.write_text("\n".join(tests))
        return kept.read_text().split()

    def matching(self):
        """Of its tests, those to choose from."""
        return self.tests() and [test for test in self.tests() if re.search(self.arguments.only, test)]

    def run(self, options, tests, slower=1):
        limits = self.arguments
        # A filter of all that there is would take long to read.
        return run_tests(lambda only: self.command(options, None if only == self.tests() else only), self.suite, tests,
                         Limits(limits.test_limit * slower, limits.limit * slower, Limits.start * slower))

    def judge(self):
        """After each run, a record for the table of what is known so far, and what that
        run found wrong, for people."""
        arguments = self.arguments
        tests = self.tests()
        chosen, step = evenly(self.matching(), arguments.sample, arguments.offset) if tests else (None, 1)
        plain = self.run(["--stats", os.path.join(self.directory, "plain.%p.json")], chosen)
        passed = sorted(name for name, ok in plain.results.items() if ok)
        record = {"unit": self.name, "rocm": self.suite.rocm, "tests": tests and len(tests), "chosen": chosen and len(chosen), "step": step, "only": arguments.only,
                  "offset": arguments.offset % step, "run": len(plain.results), "passed": len(passed),
                  "skipped": len(plain.skipped), "failed": sorted(plain.results.keys() - set(passed)), "died": plain.died,
                  "cut_off": plain.cut_off, "timed_out": plain.stopped == "whole", "seconds": round(plain.seconds, 1),
                  "ended_with": plain.code, "instructions": self.executed(), "changed": [], "refused": [], "lost": {mode: len(passed) for mode in MODES}}
        yield record, []
        below_tools = [name for name in passed if name not in self.suite.plain_only]
        for mode, tool in MODES.items() if below_tools else ():
            again = self.run(["--tool", tool], below_tools, arguments.slower)
            problems = self.compare(mode, plain, again, below_tools, record)
            record["lost"][mode] += len(passed) - len(below_tools)
            yield record, problems
        if passed and arguments.strict:
            asked, _ = evenly(passed, arguments.strict)
            strict = self.run(["--strict"], asked, arguments.slower)
            record["strict"] = sum(strict.results.values())
            record["strict_failed"] = sorted(name for name, ok in strict.results.items() if not ok)
            record["strict_says"] = sorted(set(re.findall(r"^(?:luthier: .*strict|luthier-emulator: ).*$", strict.text, re.M)))[:20]
            record["strict_seconds"] = round(strict.seconds, 1)
            yield record, []

    def compare(self, mode, plain, again, passed, record):
        """Notes in RECORD what is not as it was plainly, and returns it for people."""
        changed = [name for name in passed if again.results.get(name) is False]
        missing = [name for name in passed if name not in again.results]
        # Nothing is known of what did not come to its end in time.
        record["lost"][mode] = len(missing)
        if missing and not again.stopped and not set(missing) <= set(again.cut_off):
            changed.append(f"{len(missing)} tests are missing")
        if again.code not in (None, 0, plain.code):
            changed.append(f"exit code {again.code}")
        record["changed"] += [f"{mode}: {what}" for what in changed]
        record["refused"] += sorted(set(re.findall(r"^luthier: (kernel .* (?:runs unchanged|cannot be).*)$", again.text, re.M)))
        record[f"{mode}_seconds"] = round(again.seconds, 1)
        return [f"{mode}: {', '.join(changed)}\n{again.text[-3000:]}"] if changed else []

    def executed(self):
        """Wave instructions of those plain starts that ended by themselves."""
        try:
            counts = harness.kernel_counts(os.path.join(self.directory, "plain.*.json"))
        except harness.Failure:
            return 0
        return sum(kernel["wave_instructions"] for kernel in counts.values())


def units_of(name, suite):
    script = CHECKOUT / "scripts/rocm.sh"
    made = subprocess.run([script, suite.rocm, "--with", *suite.packages, "--", "bash", "-c", suite.units],
                          stdout=subprocess.PIPE, text=True)
    if made.returncode == 77:
        sys.exit(77)
    units = made.stdout.split()
    if made.returncode != 0 or not units:
        sys.exit(f"{name}: its tests cannot be listed")
    return units


def comes_to_nothing(record):
    """Whether the program failed before its first test, as where something is not built, or took too long to get there."""
    began = record["run"] or record["skipped"] or record["cut_off"] or record["timed_out"]
    return not began and record["ended_with"] != 0


def run_unit(unit, suite, device, records):
    """Returns how many of its runs changed a result, or came to nothing."""
    wrong = 0
    for record, problems in unit.judge():
        with open(records, "a") as file:
            file.write(json.dumps(record | {"suite": suite, "device": device}) + "\n")
        for problem in problems:
            wrong += 1
            print(problem, flush=True)
    print(f"{suite} {os.path.basename(unit.name)} on {device}: {record['run']} run, {record['passed']} passed"
          f"{' in the time allowed' if record['timed_out'] else ''}, {len(record['cut_off'])} cut off, "
          f"{len(record['failed'])} failed, {len(record['changed'])} changed", flush=True)
    if comes_to_nothing(record):
        how = "in time" if record["ended_with"] is None else f"before it ended with {record['ended_with']}"
        print(f"{unit.name}: no test began {how}", flush=True)
    return wrong + comes_to_nothing(record)


def run_suite(name, arguments, records):
    """Returns how many things are wrong."""
    suite = SUITES[name].get(arguments.rocm) if arguments.rocm else next(iter(SUITES[name].values()))
    if not suite:
        print(f"{name}: there is none of ROCm {arguments.rocm}", flush=True)
        return 1
    wrong, has_run = 0, False
    for chosen in units_of(name, suite):
        if not re.search(arguments.unit, chosen):
            continue
        with tempfile.TemporaryDirectory(prefix="luthier-suites-") as directory:
            unit = Unit(chosen, suite, arguments, directory)
            # Few units have the tests that somebody looks for.
            if unit.matching() != []:
                has_run = True
                wrong += run_unit(unit, name, arguments.device, records)
    if not has_run:
        print(f"{name}: no unit matches '{arguments.unit}' and has a test that matches '{arguments.only}'", flush=True)
    return wrong + (not has_run)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=CHECKOUT / "build")
    parser.add_argument("--device", default="gfx90a")
    parser.add_argument("--rocm", help="the version of ROCm; without, a suite's usual one")
    parser.add_argument("--unit", default="", help="regular expression of the units to run")
    parser.add_argument("--limit", type=float, default=120, help="seconds for a plain run of a unit")
    parser.add_argument("--test-limit", type=float, default=30, help="seconds for a test")
    parser.add_argument("--slower", type=float, default=20, help="how many times that with a tool or in strict mode")
    parser.add_argument("--only", default="", help="regular expression of the tests to choose from")
    parser.add_argument("--sample", type=int, default=0, help="at most so many of a unit's tests, spread evenly")
    parser.add_argument("--offset", type=int, default=0, help="the first of the sample")
    parser.add_argument("--strict", type=int, default=0, help="at most so many tests in strict mode")
    parser.add_argument("suite", nargs="+", choices=SUITES)
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    records = arguments.build / "suites/results.jsonl"
    records.parent.mkdir(exist_ok=True)
    sys.exit(sum(run_suite(name, arguments, records) for name in arguments.suite) != 0)


if __name__ == "__main__":
    main()
