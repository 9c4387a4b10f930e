#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs other people's test programs on the emulated GPU: plain, counted by
instr-count, and with everything overwritten that Luthier's analyses call free
(scramble). What passes plainly has to pass each time.

  run.py --build BUILD SUITE... [--device GPU] [--unit REGEX] [--limit SECONDS]

A plain run ends after --limit seconds; the tests that it has finished by then
count, and only those are asked of the other runs. Appends a line of JSON for each
unit to BUILD/suites/results.jsonl, which table.py makes a page of. Ends with 1 if
instrumentation changed a result, with 77 where a suite cannot be had."""

import argparse
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import harness
from suites import SUITES

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
MODES = {"counted": "instr-count", "scrambled": "scramble"}


class Run:
    """One command that has ended, or was ended after its time."""

    def __init__(self, command, limit):
        self.began = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        self.timed_out = False
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            self.timed_out = True
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
        self.seconds = time.monotonic() - self.began
        self.code = process.returncode
        self.text = output.decode(errors="replace")


class Unit:
    def __init__(self, name, suite, arguments, directory):
        self.name, self.suite, self.arguments, self.directory = name, suite, arguments, directory

    def run(self, limit, options, only=None):
        selection = ""
        if only is not None and self.suite.select:
            selection = self.suite.select(only)
        shell = "exec " + self.suite.command.format(unit=shlex.quote(self.name), only=selection)
        within = [str(CHECKOUT / "scripts/rocm.sh"), self.suite.rocm, "--", "env"]
        within += [f"{name}={value}" for name, value in self.suite.variables.items()]
        luthier = [str(self.arguments.build / "bin/luthier"), "run", "--device", f"emulated:{self.arguments.device}",
                   "--output", self.directory]
        return Run(within + luthier + options + ["--", "bash", "-c", shell], limit)

    def judge(self):
        """A record for the table, and what was wrong for people."""
        statistics = os.path.join(self.directory, "plain.%p.json")
        plain = self.run(self.arguments.limit, ["--stats", statistics])
        results = self.suite.results(plain.text)
        passed = sorted(name for name, ok in results.items() if ok)
        record = {"unit": self.name, "run": len(results), "passed": len(passed), "timed_out": plain.timed_out,
                  "failed": sorted(results.keys() - set(passed)), "seconds": round(plain.seconds, 1),
                  "ended_with": None if plain.timed_out else plain.code, "changed": [], "refused": [], "lost": {}}
        record["instructions"] = None if plain.timed_out else self.executed()
        problems = []
        for mode, tool in MODES.items() if passed else ():
            # Instrumented, a program may be this much slower.
            again = self.run(30 + 20 * plain.seconds, ["--tool", tool], passed)
            now = self.suite.results(again.text)
            changed = [name for name in passed if name in now and not now[name]]
            # Nothing is known of what did not come to its end in time.
            record["lost"][mode] = sum(name not in now for name in passed)
            if not again.timed_out and record["lost"][mode] and not plain.timed_out:
                problems.append(f"{mode}: {record['lost'][mode]} tests are missing, exit code {again.code}\n{again.text[-3000:]}")
                record["changed"].append(f"{mode}: ends early")
            if changed:
                problems.append(f"{mode}: {', '.join(changed)}")
                record["changed"] += [f"{mode}: {name}" for name in changed]
            if not plain.timed_out and not again.timed_out and plain.code != again.code:
                problems.append(f"{mode}: exit code {again.code}, not {plain.code}\n{again.text[-3000:]}")
                record["changed"].append(f"{mode}: exit code")
            record["refused"] += sorted(set(re.findall(r"^luthier: (kernel .* (?:runs unchanged|cannot be).*)$", again.text, re.M)))
            record[f"{mode}_seconds"] = round(again.seconds, 1)
        return record, problems

    def executed(self):
        """Wave instructions of the plain run."""
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=CHECKOUT / "build")
    parser.add_argument("--device", default="gfx90a")
    parser.add_argument("--unit", default="", help="regular expression of the units to run")
    parser.add_argument("--limit", type=float, default=120, help="seconds for a plain run")
    parser.add_argument("suite", nargs="+", choices=SUITES)
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    records = arguments.build / "suites/results.jsonl"
    records.parent.mkdir(exist_ok=True)
    wrong = 0
    for name in arguments.suite:
        suite = SUITES[name]
        chosen = [unit for unit in units_of(name, suite) if re.search(arguments.unit, unit)]
        if not chosen:
            sys.exit(f"{name}: no unit matches {arguments.unit}")
        for unit in chosen:
            with tempfile.TemporaryDirectory(prefix="luthier-suites-") as directory:
                record, problems = Unit(unit, suite, arguments, directory).judge()
            record |= {"suite": name, "device": arguments.device}
            with open(records, "a") as file:
                file.write(json.dumps(record) + "\n")
            print(f"{name} {os.path.basename(unit)} on {arguments.device}: {record['run']} run, {record['passed']} passed"
                  f"{' in the time allowed' if record['timed_out'] else ''}, {len(record['changed'])} changed", flush=True)
            for problem in problems:
                wrong += 1
                print(problem, flush=True)
    sys.exit(wrong != 0)


main()
