#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that a release calls through pointers are in its profile, by probes
and by lines, and the compiler turns the calls into direct ones by it. The release
is built by another compiler; HIP 5.2 does not start kernels of this one that call functions
which it does not know."""

import re
import shlex
import subprocess

from builds import ARGUMENTS, Builds, Failure, harness

LINES = ["-gline-tables-only", "-fdebug-info-for-profiling"]
PROBES = [*LINES, "-Xclang", "-fpseudo-probe-for-profiling"]
# Each of 79 waves calls both; one lane in three calls count(). The functions are
# those of examples/programs/calls.hip.
TARGETS = {"waves": {"_Z8scramblejj": 79, "_Z5countjj": 79}, "lanes": {"_Z8scramblejj": 3335, "_Z5countjj": 1668}}


def compiled(builds, route, profile):
    """What the compiler says about calls."""
    flags = [*builds.flags("use", profile, "--route", route), "--offload-device-only", "-S", "-Rpass=pgo-icall-prom"]
    command = [*builds.clang, "-O3", *flags, builds.arguments.source, "-o", "/dev/null"]
    return subprocess.run(command, capture_output=True, text=True).stderr


def test(arguments, directory):
    builds = Builds(arguments, directory)
    for route, flags in (("lines", LINES), ("probes", PROBES)):
        release = f"{directory}/{route}"
        device = [word for flag in flags for word in ([flag] if "-Xclang" in flags[-2:] else ["-Xarch_device", flag])]
        command = [*shlex.split(arguments.hipcc), "-w", "-O3", *device, arguments.source, "-o", release]
        process = subprocess.run(command, capture_output=True, text=True)
        if process.returncode:
            raise Failure(f"{shlex.join(command)}\n{process.stderr}")
        for weights, expected in TARGETS.items():
            path = builds.profile(f"{route}-{weights}", release, "--route", route, "--weights", weights, "--calls", "--text")
            with open(path) as file:
                text = file.read()
            if weights == "waves":
                remarks = compiled(builds, route, path)
                if not all(f"Promote indirect call to {name} with count 79 out of" in remarks for name in expected):
                    raise Failure(f"{route}: no call becomes direct:\n{remarks}")
            found = {name: int(n) for name, n in re.findall(r" (_Z8scramblejj|_Z5countjj):(\d+)", text)}
            if not all(f"{name}:{n}" in text for name, n in expected.items()):
                raise Failure(f"{route}, {weights}: expected {expected}, found {found} in\n{text}")
        for options in [], ["--calls"]:
            same_by_hooks(builds, release, "--route", route, *options)
    read_twice(arguments, directory, release)


def same_by_hooks(builds, release, *options):
    """Hooks count calls along with instructions, in one run, and only if they are asked for."""
    profiles = {}
    for way in ("emulator", "hooks"):
        with open(builds.profile(f"by-{way}", release, "--text", "--count-by", way, *options)) as file:
            profiles[way] = file.read()
    if profiles["emulator"] != profiles["hooks"]:
        raise Failure(f"{options}: not alike:\n{profiles['emulator']}\n{profiles['hooks']}")


def read_twice(arguments, directory, release):
    """The run that finds calls leaves what a pipe has for the run that counts."""
    command = [arguments.luthier, "pgo", "collect", "--device", f"emulated:{arguments.device}", "--calls", "-o",
               f"{directory}/piped", "--", "sh", "-c", 'cat; exec "$0"', release]
    process = subprocess.run(command, input="from a pipe\n", capture_output=True, text=True, env=harness.clean_environment())
    if process.returncode or process.stdout.count("from a pipe\n") != 1 or "PASS" not in process.stdout:
        raise Failure(f"the program does not read its input again:\n{process.stdout}{process.stderr}")


if __name__ == "__main__":
    harness.main([*ARGUMENTS, (["--hipcc"], {"required": True, "help": "the compiler of the release"})], test)
