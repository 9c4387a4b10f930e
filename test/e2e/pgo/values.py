#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counters of LLVM's IR come with the functions that pointers call and the sizes of
copies, exact by lanes, and clang calls the usual function directly by them. HIP 5.2
starts kernels with such calls only if the compiler knows all functions that can be
called; so here it is told that it does."""

import re
import subprocess

from builds import ARGUMENTS, Builds, Failure, harness

KNOWS_ALL = [word for flag in ("-attributor-assume-closed-world", "-amdgpu-indirect-call-specialization-threshold=0")
             for word in ("-Xarch_device", f"-mllvm={flag}")]
LANES, TURNS, RARE = 512, 32, 8


def text(arguments, *profiles):
    command = [arguments.profdata, "merge", "-text", *profiles, "-o", "-"]
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode:
        raise Failure(f"{' '.join(command)}\n{process.stderr}")
    return process.stdout


def values(profile, kernel):
    """Of the kernel's only place, in the first round: how often there was what."""
    of_second_round = 1 << 60  # In a hash.
    its = [part for part in profile.split("\n\n") if kernel in part.lstrip().split("\n")[0]
           and not int(re.search(r"# Func Hash:\n(\d+)", part)[1]) & of_second_round]
    if len(its) != 1 or "# NumValueSites:\n1\n" not in its[0]:
        raise Failure(f"{kernel} has no place of values, or several, in\n{profile}")
    found = {what: int(count) for what, count in re.findall(r"^(?:.*;)?([^:;#\n]+):(\d+)$", its[0], re.M)}
    return {next((name for name in ("usual", "rare") if name in what), what): n for what, n in found.items()}


def expect_values(name, profile, launches):
    """As counted by hand."""
    for kernel, expected in (("callThroughPointer", {"usual": (LANES - RARE) * TURNS, "rare": RARE * TURNS}),
                             ("copyBytes", {"16": LANES - RARE, "3": RARE})):
        found = values(profile, kernel)
        if found != {what: launches * count for what, count in expected.items()}:
            raise Failure(f"{name}, {launches} launches of {expected} expected, found {found} in\n{profile}")


def use(builds, name, profile):
    """A program, and what the compiler says of calls."""
    program = f"{builds.directory}/{name}"
    command = [*builds.clang, "-O3", *KNOWS_ALL, *builds.flags("use", profile), "-Wbackend-plugin",
               "-Rpass=pgo-icall-prom", builds.arguments.source, "-o", program, "-lamdhip64"]
    result = harness.run(command)
    result.expect(result.code == 0, "the compiler fails")
    result.expect("Inconsistent number of value sites" not in result.stderr, "places of values are missing")
    return program, result.stderr


def test(arguments, directory):
    builds = Builds(arguments, directory)
    counting = builds.compile("counting", [*KNOWS_ALL, *builds.flags("collect", "--route", "ir")])
    profile = builds.profile("ir.profdata", counting, "--keep-raw", f"{directory}/raw")
    ours = text(arguments, profile)
    expect_values("ir", ours, 1)
    raw = subprocess.run(f"ls {directory}/raw/*.profraw", shell=True, capture_output=True, text=True).stdout.split()
    if ours != text(arguments, *raw):
        raise Failure(f"not what llvm-profdata merges:\n{ours}")

    before = builds.compile("before", KNOWS_ALL)
    after, remarks = use(builds, "after", profile)
    if f"Promote indirect call to _Z5usualjj with count {(LANES - RARE) * TURNS} out of {LANES * TURNS}" not in remarks:
        raise Failure(f"no call becomes direct:\n{remarks}")
    result = builds.judge(before, after)
    result.expect(result.code == 0 and "same output" in result.stdout, "the build computes something else")

    # Without the values, it does not: so nothing else makes it direct.
    without = f"{directory}/without.proftext"
    with open(without, "w") as file:
        file.write(re.sub(r"# Num Value Kinds:\n.*?\n\n", "\n", ours, flags=re.S))
    subprocess.run([arguments.profdata, "merge", without, "-o", f"{directory}/without.profdata"], check=True)
    program = [*builds.clang, "-O3", *KNOWS_ALL, *builds.flags("use", f"{directory}/without.profdata"), "-w",
               "-Rpass=pgo-icall-prom", arguments.source, "-o", f"{directory}/without", "-lamdhip64"]
    result = harness.run(program)
    result.expect(result.code == 0 and "Promote" not in result.stderr, "a call becomes direct without values")

    builds.profile("ir.profdata", counting, "--add")
    expect_values("--add", text(arguments, profile), 2)

    # The second round keeps those of the first.
    second = builds.compile("second", [*KNOWS_ALL, *builds.flags("collect", "--route", "cs", "--profile", profile)])
    builds.profile("ir.profdata", second, "--add")
    expect_values("cs", text(arguments, profile), 2)
    use(builds, "both", profile)


if __name__ == "__main__":
    harness.main([*ARGUMENTS, (["--profdata"], {"required": True, "help": "llvm-profdata"})], test)
