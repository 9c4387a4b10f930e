# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the end-to-end tests share: a clean environment, running programs with
and without luthier, and reading the figures that both leave behind."""

import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

# How long a program may take; main() sets it. A hang is a failure.
timeout_seconds = 120
# What commands are put behind, to run them elsewhere; main() sets it.
within = []
# The exit code of a test that cannot run here, and of scripts/rocm.sh in that case.
NOT_RUN = 77


class Failure(Exception):
    """What the test found wrong, for people."""


class Result:
    def __init__(self, command, process):
        self.command = command
        self.code = process.returncode
        self.stdout = process.stdout.decode(errors="replace")
        self.stderr = process.stderr.decode(errors="replace")

    def fail(self, message):
        raise Failure(
            f"{message}\n  command: {' '.join(self.command)}\n  exit code: {self.code}\n"
            f"--- stdout\n{self.stdout}--- stderr\n{self.stderr}---"
        )

    def expect(self, condition, message):
        if not condition:
            self.fail(message)

    def expect_in_stderr(self, text):
        self.expect(text in self.stderr, f"stderr does not mention '{text}'")

    def digest_line(self):
        """The one line that the example programs print."""
        match = re.search(r"^\S+: digest [0-9a-f]{16} PASS$", self.stdout, re.M)
        self.expect(match, "the program does not print PASS")
        return match.group()


def clean_environment():
    """Nothing that the caller's shell sets for luthier or the loader gets in, except
    how many host threads the emulator may use: CTest knows best; and where scripts
    keep what they have fetched."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("LUTHIER_", "HSA_", "HIP_", "ROCR_", "LD_"))
        or name in ("LUTHIER_EMULATOR_THREADS", "LUTHIER_CACHE_DIR")
    }


def end_if_not_run(code, said):
    """Where commands run elsewhere and that cannot be had, the test ends as not run."""
    if within and code == NOT_RUN and " cannot run here: " in said:
        print(said, end="")
        sys.exit(NOT_RUN)


def run(command, variables=None):
    """What earlier runs have compiled does not get in, unless the test asks for it."""
    variables = {"LUTHIER_CACHE_SIZE": "0", **(variables or {})}
    environment = clean_environment()
    if within:
        command = within + ["env"] + [f"{name}={value}" for name, value in variables.items()] + command
    else:
        environment.update(variables)
    try:
        process = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=timeout_seconds,
        )
    except subprocess.TimeoutExpired as expired:
        raise Failure(
            f"no end after {timeout_seconds} s: {' '.join(command)}\n"
            f"--- stderr\n{(expired.stderr or b'').decode(errors='replace')}---"
        )
    result = Result(command, process)
    end_if_not_run(result.code, result.stderr)
    return result


def run_on_emulator(command, emulator, device, statistics, **settings):
    """Without luthier. `statistics` may contain %p, the process id; `settings` are
    further variables."""
    return run(
        command,
        {
            "LD_PRELOAD": emulator,
            "LUTHIER_EMULATED_GPU": device,
            "LUTHIER_EMULATOR_STATS": statistics,
            **settings,
        },
    )


FIELDS = ("dispatches", "wave_instructions", "lane_instructions")


def kernel_counts(pattern):
    """Sums over the files that match `pattern`: several processes may have
    written one each. ROCr's own kernels belong to no code object, so tools
    never see them; they are left out."""
    paths = glob.glob(pattern)
    if not paths:
        raise Failure(f"no file matches {pattern}")
    totals = {}
    for path in paths:
        for kernel in read_json(path)["kernels"]:
            if kernel["name"].startswith("rocr."):
                continue
            counts = totals.setdefault(kernel["name"], dict.fromkeys(FIELDS, 0))
            for field in FIELDS:
                counts[field] += kernel[field]
    return totals


def expect_same_counts(counted, executed):
    """Both by kernel name."""
    differences = []
    for name in sorted(counted.keys() | executed.keys()):
        if name not in counted:
            differences.append(f"{name}: not counted, but {executed[name]} executed")
        elif name not in executed:
            differences.append(f"{name}: counted {counted[name]}, but never executed")
        else:
            for field in FIELDS:
                tool, emulator = counted[name][field], executed[name][field]
                if tool != emulator:
                    differences.append(
                        f"{name}: {field}: counted {tool}, executed {emulator} ({tool - emulator:+})"
                    )
    if differences:
        raise Failure("counts differ from the emulator's:\n  " + "\n  ".join(differences))


def read_json(path):
    with open(path) as file:
        try:
            return json.load(file)
        except ValueError as error:
            raise Failure(f"{path}: {error}")


def read_json_lines(path):
    """One value a line; none if there is no file."""
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file]


def remove(path):
    if os.path.exists(path):
        os.remove(path)


def main(arguments, test):
    """Calls test(parsed arguments, empty directory)."""
    global timeout_seconds, within
    parser = argparse.ArgumentParser()
    parser.add_argument("--emulator", help="the library to preload for the emulated GPU")
    parser.add_argument("--luthier", help="the command; without it, runs plain programs only")
    parser.add_argument("--timeout", type=int, default=timeout_seconds, help="seconds per program")
    parser.add_argument("--within", default="", help="what runs a command elsewhere, such as 'scripts/rocm.sh 7.2 --'")
    for names, options in arguments:
        parser.add_argument(*names, **options)
    parsed = parser.parse_args()
    timeout_seconds = parsed.timeout
    within = parsed.within.split()
    with tempfile.TemporaryDirectory(prefix="luthier-e2e-") as directory:
        try:
            test(parsed, directory)
        except Failure as failure:
            print(f"FAIL: {failure}", file=sys.stderr)
            sys.exit(1)
