#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The whole way of each route but the usual one: `luthier pgo optimize` leaves a
profile of that route and a program that is right. A second round (cs) is put into
the profile of the first, and is not used without."""

import os
import re
import subprocess

from apply import REFUSED, Applying
from builds import ARGUMENTS, Failure, harness


def show(arguments, *options):
    command = [arguments.profdata, "show", *options]
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode:
        raise Failure(f"{' '.join(command)}\n{process.stderr}")
    return process.stdout


def optimized(test, route, *options):
    """The profile. What a kernel of so few instructions gains does not matter here."""
    program = f"{test.directory}/{route}"
    compiling = [*test.builds.clang, "-O1", test.source, "-o", program, "-lamdhip64"]
    result = harness.run([test.luthier, "pgo", "optimize", "--route", route, "--tolerance", "1000", *options,
                          "--", *compiling, "--", program, "10"])
    result.expect(result.code == 0, f"{route}: luthier pgo optimize fails")
    result.expect_in_stderr(f"compiling to collect, route {route}\n")
    result.expect("same output" in result.stdout, f"{route}: the build with the profile is not judged")
    result = harness.run([test.luthier, "run", "--", program, "10"])
    result.expect(result.stdout == "69\n", f"{route}: the program is wrong")
    return f"{program}.prof"


def functions(arguments, *options):
    """Counts of each function, by its name and the hash of its control flow."""
    shown = show(arguments, "--counts", "--all-functions", *options)
    return dict(re.findall(r"^  (\S+:\n    Hash: 0x\w+)\n    Counters: \d+\n    Block counts: \[(.*)\]$", shown, re.M))


def counting(test, arguments):
    """IR's counters, and a second round of them."""
    first, second = optimized(test, "ir"), optimized(test, "cs")
    for profile in (first, second):
        if "Instrumentation level: IR" not in show(arguments, profile):
            raise Failure(f"{profile} is not of IR")
    own, rounds = functions(arguments, first), [functions(arguments, second), functions(arguments, "--showcs", second)]
    if len(own) != 3 or functions(arguments, "--showcs", first):
        raise Failure(f"not a first round alone: {own}")
    # A second round's hashes say so.
    if rounds[0] != own or sorted(rounds[1].values()) != sorted(own.values()) or set(rounds[1]) & set(own):
        raise Failure(f"not the first round and a second one: {rounds}")
    return first, second


def second_round(test, first, second):
    """Is used with the first alone."""
    result, _ = test.apply("whole", second, "-O1")
    result.expect(result.code == 0 and "luthier pgo" not in result.stderr, "cs: the profile is not used")
    program = test.builds.compile("again", test.builds.flags("collect", "--route", "cs", "--profile", first), "-O1")
    alone = f"{test.directory}/alone.prof"
    result = harness.run([test.luthier, "pgo", "collect", "-o", alone, "--", program, "10"])
    result.expect(result.code == 0 and os.path.exists(alone), "cs: nothing is collected")
    result, _ = test.apply("alone", alone, "-O1")
    result.expect(result.code == REFUSED, "cs: a second round is used without the first")
    result.expect_in_stderr(f"mixed-build: {alone} has the second round alone")


def sampling(test):
    """What collect is asked for reaches it."""
    profiles = {}
    for route in ("probes", "lines"):
        for weights in ("waves", "lanes"):
            with open(optimized(test, route, "--weights", weights, "--count-by", "hooks"), "rb") as file:
                profiles[route, weights] = file.read()
        if profiles[route, "waves"] == profiles[route, "lanes"]:
            raise Failure(f"{route}: weights make no difference")
    optimized(test, "lines", "--calls", "--device-libraries", test.builds.arguments.libraries)


def decisions(test):
    """A profile with them is used as one without."""
    program = test.builds.compile("mcdc", test.builds.flags("collect", "--route", "mcdc"), "-O1")
    profile = f"{test.directory}/mcdc.prof"
    result = harness.run([test.luthier, "pgo", "collect", "-o", profile, "--", program, "10"])
    result.expect(result.code == 0, "mcdc: no profile")
    result, _ = test.apply("decisions", profile, "-O1")
    result.expect(result.code == 0 and "luthier pgo" not in result.stderr, "mcdc: the profile is not used")


def test(arguments, directory):
    test = Applying(arguments, directory, arguments.source)
    second_round(test, *counting(test, arguments))
    sampling(test)
    decisions(test)


if __name__ == "__main__":
    harness.main([*ARGUMENTS, (["--profdata"], {"required": True, "help": "llvm-profdata"})], test)
