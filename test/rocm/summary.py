#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes on what ctest prints, and says before its summary on which versions of ROCm
tests have run: ctest ... | summary.py"""

import collections
import pathlib
import re
import signal
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/rocm.sh"
TEST = re.compile(r"^\s*\d+/\d+ Test\s+#\d+: (\S+) \.*\s*(\S.*?)\s+[\d.]+ sec")
SUMMARY = re.compile(r"^\d+% tests passed, \d+ tests? failed out of \d+")
INSTALLED = "installed"
OUTCOMES = ("passed", "failed", "not run")


def version_of(name):
    """Of ROCm, on which a test runs; None for tests of other things."""
    found = re.match(r"(?:sweep/)?rocm-([\d.]+)/", name)
    # Tests on 5.2 run where that is the installed one.
    other = found and found[1] != "5.2"
    return found[1] if other else INSTALLED if found or name.startswith("e2e/") else None


def outcome(said):
    return "passed" if said == "Passed" else "not run" if said in ("***Skipped", "***Not Run") else "failed"


def output_of(*command):
    """The last line of what it prints; of its errors if it fails."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return ((done.stderr if done.returncode else done.stdout).strip().splitlines() or ["unknown"])[-1]


def package_of(version):
    if version == INSTALLED:
        return output_of("dpkg-query", "-W", "-f=${Package} ${Version}", "libamdhip64-dev")
    return output_of(str(SCRIPT), version, "--status")


def lines(results):
    """Of the outcomes by version."""
    for version, outcomes in sorted(results.items(), key=lambda item: (item[0] != INSTALLED, item[0])):
        # Where nothing has run, this is why.
        package = package_of(version).removeprefix(f"ROCm {version} cannot run here: ")
        numbers = ", ".join(f"{outcomes[what]} {what}" for what in OUTCOMES if outcomes[what])
        yield f"ROCm {version} ({package}): tests: {numbers}"


def main():
    # What stops ctest ends its output, too.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Programs may print anything.
    for stream in sys.stdin, sys.stdout:
        stream.reconfigure(errors="surrogateescape")
    results = collections.defaultdict(collections.Counter)
    for line in sys.stdin:
        test = TEST.match(line)
        version = version_of(test[1]) if test else None
        if version:
            results[version][outcome(test[2])] += 1
        if SUMMARY.match(line):
            for text in lines(results):
                print(text)
            print()
        print(line, end="", flush=True)


main()
