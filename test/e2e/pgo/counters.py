#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles of LLVM's own counters are exact, whatever loads the code and however
the process ends: several host threads, devices, processes, and loads. They are
what llvm-profdata makes of the raw files."""

import glob
import json
import os
import re
import subprocess

from builds import ARGUMENTS, Builds, Failure, harness

# Per launch: lanes, turns of the loop, lanes of the branch.
LAUNCH = [1000, 2997, 334]


class Collecting:
    def __init__(self, arguments, directory):
        self.arguments, self.directory = arguments, directory

    def run(self, name, device, program, *options):
        self.raw = f"{self.directory}/{name}-raw"
        command = [self.arguments.luthier, "pgo", "collect", "--device", f"emulated:{device}", "--keep-raw", self.raw]
        return harness.run([*command, "-o", f"{self.directory}/{name}.profdata", *options, "--", *program])

    def text(self, *paths):
        command = [self.arguments.profdata, "merge", "-text", *paths, "-o", "-"]
        process = subprocess.run(command, capture_output=True, text=True)
        if process.returncode:
            raise Failure(f"{' '.join(command)}\n{process.stderr}")
        return process.stdout

    def expect(self, name, launches, loads, target="gfx90a"):
        """A profile of so many launches, or one of several numbers, and of as many raw files as there were loads."""
        launches = launches if isinstance(launches, list) else [launches]
        raw = glob.glob(f"{self.raw}/*.{target}.profraw")
        if len(raw) != loads:
            raise Failure(f"{name}: {len(raw)} raw profiles, {loads} expected")
        ours = self.text(f"{self.directory}/{name}.profdata")
        if ours != self.text(*raw):
            raise Failure(f"{name}: not what llvm-profdata merges:\n{ours}")
        self.expect_counts(name, ours, launches)

    def expect_counts(self, name, text, launches):
        counts = [int(n) for n in re.search(r"# Counter Values:\n((?:\d+\n)+)", text)[1].split()]
        if counts not in [[number * n for n in LAUNCH] for number in launches]:
            raise Failure(f"{name}: {launches} launches of {LAUNCH} expected, found {counts}")


def test(arguments, directory):
    builds, collecting = Builds(arguments, directory), Collecting(arguments, directory)
    flags = builds.flags("collect")
    both = builds.compile("both", [*flags, "--offload-arch=gfx1030"])
    module = builds.compile("module.co", [*flags, "--offload-device-only", "--no-gpu-bundle-output"])

    result = collecting.run("threads", "gfx90a", [both], "--threads", "2")
    result.expect(result.code == 0, "luthier pgo collect fails")
    collecting.expect("threads", launches=1, loads=1)
    result = collecting.run("threads", "gfx90a", [both], "--add")
    if "Maximum function count: 2000\n" not in subprocess.run(
            [arguments.profdata, "show", f"{directory}/threads.profdata"], capture_output=True, text=True).stdout:
        result.fail("--add does not add")

    result = collecting.run("devices", "gfx90a,gfx90a,gfx1030", [both])
    result.expect(result.code == 0, "luthier pgo collect fails")
    collecting.expect("devices.gfx90a", launches=2, loads=2)
    collecting.expect("devices.gfx1030", launches=1, loads=1, target="gfx1030")

    result = collecting.run("processes", "gfx90a", [both, "processes"])
    result.expect(result.code == 0, "luthier pgo collect fails")
    collecting.expect("processes", launches=2, loads=2)

    if arguments.mpirun:
        ranks = [arguments.mpirun, "--allow-run-as-root", "--oversubscribe", "-np", "3"]
        result = collecting.run("ranks", "gfx90a", [*ranks, both])
        result.expect(result.code == 0, "luthier pgo collect fails")
        collecting.expect("ranks", launches=3, loads=3)
        # Each rank by itself; of the raw files, each has those of the same names.
        result = harness.run([*ranks, arguments.luthier, "pgo", "collect", "--device", "emulated:gfx90a", "--add",
                              "-o", f"{directory}/each.profdata", "--", both])
        result.expect(result.code == 0, "luthier pgo collect fails in a rank")
        collecting.expect_counts("each", collecting.text(f"{directory}/each.profdata"), [3])

    # The program's own code object is not loaded then.
    result = collecting.run("modules", "gfx90a", [both, "modules", module, module])
    result.expect(result.code == 0, "luthier pgo collect fails")
    collecting.expect("modules", launches=2, loads=2)

    result = collecting.run("_exit", "gfx90a", [both, "_exit"])
    result.expect(result.code == 0, "luthier pgo collect fails")
    collecting.expect("_exit", launches=1, loads=1)
    result = collecting.run("SIGTERM", "gfx90a", [both, "SIGTERM"])
    result.expect(result.code == 128 + 15, "the program's end is not passed on")
    result.expect_in_stderr("ended by SIGTERM")
    if os.path.exists(f"{directory}/SIGTERM.profdata"):
        result.fail("a partial profile has the name of a whole one")
    collecting.expect("SIGTERM.partial", launches=1, loads=1)
    result = collecting.run("abort", "gfx90a", [both, "abort"])
    result.expect(result.code == 128 + 6, "the program's end is not passed on")
    result.expect_in_stderr("partial-profile: process")
    result.expect_in_stderr("ended by SIGABRT")
    collecting.expect("abort.partial", launches=1, loads=1)
    # What the launch has counted that was cut off is not sure.
    result = collecting.run("fault", "gfx90a", [both, "fault"])
    result.expect(result.code == 128 + 6, "the program's end is not passed on")
    result.expect_in_stderr("partial-profile: process")
    result.expect_in_stderr("fault of the GPU")
    if os.path.exists(f"{directory}/fault.profdata") or not os.path.exists(f"{directory}/fault.partial.profdata"):
        result.fail("there is no partial profile, or one with the name of a whole one")
    # What the emulated GPU has counted comes once, also to where it cannot be replaced.
    for tool in ([], ["--tool", "block-count"]):
        result = harness.run([arguments.luthier, "run", *tool, "--output", directory, "--stats", "/dev/stdout", "--", both,
                              "fault"])
        result.expect(json.loads(result.stdout)["kernels"], "the fault leaves no statistics")
    result = collecting.run("SIGKILL", "gfx90a", [both, "SIGKILL"])
    result.expect(result.code == 128 + 9, "the program's end is not passed on")
    result.expect_in_stderr("partial-profile: process")
    result.expect_in_stderr("was killed; what it counted is that of some time before, or lost")
    # The second launch cannot begin before the first one's counters are read; its own may be lost.
    collecting.expect("SIGKILL.partial", launches=[1, 2], loads=1)

    plain = builds.compile("plain")
    result = collecting.run("plain", "gfx90a", [plain])
    result.expect(result.code == 1, "no counters, and no failure")
    result.expect_in_stderr("no-marks: the code of counting: it has no counters, and no pseudo probes or line tables")


if __name__ == "__main__":
    harness.main([*ARGUMENTS, (["--profdata"], {"required": True}),
                  (["--mpirun"], {"help": "of MPI, which starts programs that know nothing of it, too"})], test)
