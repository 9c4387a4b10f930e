#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests of this folder with an engine that is built with a sanitizer, for
scripts/sanitize.sh. Each has to pass, and the sanitizer has to report nothing."""

import argparse
import glob
import json
import os
import re
import subprocess
import sys


def tests_in(build, selected):
    listed = subprocess.run(
        ["ctest", "--test-dir", build, "-C", "sweep", "-L", "together", "--show-only=json-v1"],
        check=True, capture_output=True, text=True)
    for test in json.loads(listed.stdout)["tests"]:
        name = test["name"].split("/")[-1]
        if re.search(selected, name):
            yield name, test["command"]


def with_option(command, option, value):
    """The script's options come before the program and its."""
    end = command.index("--") if "--" in command else len(command)
    if option in command[:end]:
        command[command.index(option) + 1] = value
        return command
    script = next(at for at, part in enumerate(command) if part.endswith(".py"))
    return command[: script + 1] + [option, value] + command[script + 1 :]


def without_option(command, option):
    at = command.index(option) if option in command else len(command)
    return command[:at] + command[at + 2 :]


def run(name, command, arguments):
    for path in glob.glob(f"{arguments.reports}.*"):
        os.remove(path)
    for option, value in [("--luthier", arguments.luthier), ("--within", arguments.within), ("--timeout", "900")]:
        command = with_option(command, option, value)
    # A sanitizer keeps memory that the program has freed.
    command = without_option(command, "--may-grow")
    # Where a test names the library itself.
    ours = os.path.normpath(f"{arguments.luthier}/../../lib/libluthier.so")
    command = [part.replace(f"{os.path.abspath(arguments.build)}/lib/libluthier.so", ours) for part in command]
    result = subprocess.run(command, capture_output=True, text=True)
    reports = glob.glob(f"{arguments.reports}.*")
    figures = result.stdout.strip().replace("\n", ", ")
    print(f"{name:60} {'failed' if result.returncode else 'passed'}, reports {len(reports)}  {figures}", flush=True)
    if result.returncode:
        print(result.stdout + result.stderr)
    for path in reports:
        with open(path, errors="replace") as file:
            print(file.read())
    return result.returncode == 0 and not reports


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--build", required=True, help="the build that has the tests")
parser.add_argument("--luthier", required=True, help="the command beside that engine")
parser.add_argument("--within", required=True, help="what runs a command with the sanitizer's runtime")
parser.add_argument("--reports", required=True, help="how files of the sanitizer's reports begin")
parser.add_argument("--select", default="", help="pattern of the tests' names")
parser.add_argument("--except", dest="left_out", action="append", default=[], help="a test that cannot run")
parsed = parser.parse_args()
outcomes = [run(name, command, parsed) for name, command in tests_in(parsed.build, parsed.select) if name not in parsed.left_out]
if not outcomes:
    sys.exit("no test is called so")
sys.exit(0 if all(outcomes) else 1)
