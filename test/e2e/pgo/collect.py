#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`luthier pgo collect` decides for each code object of a process how it is counted:
by its counters, its probes, or its lines; or says what it lacks. Counts are exact
for several host threads, devices, processes and loads, whoever counts."""

import os

from builds import ARGUMENTS, Builds, Failure, harness
from three_ways import counters, samples

# Per launch: lanes, turns of the loop, lanes of the branch, which the release computes without a branch.
LAUNCH = [1000, 2997, 334]
MODULE = ["--offload-device-only", "--no-gpu-bundle-output"]


class Collecting:
    def __init__(self, arguments, directory):
        self.arguments, self.directory = arguments, directory

    def run(self, name, device, program, *options):
        command = [self.arguments.luthier, "pgo", "collect", "--device", f"emulated:{device}", "--weights", "lanes",
                   "--text", "-o", f"{self.directory}/{name}.prof", *options, "--", *program]
        return harness.run(command)

    def text(self, name):
        with open(f"{self.directory}/{name}.prof") as file:
            return file.read()

    def expect(self, name, launches, target="gfx90a"):
        text = self.text(name)
        counts = samples(text)[0]["counting"]
        lanes, turns = (launches * n for n in LAUNCH[:2])
        # The blocks of the loop are numbered as the compiler likes; one is of the turns and the way out.
        if counts[1] != lanes or set(counts.values()) != {lanes, turns, lanes + turns}:
            raise Failure(f"{name}: {launches} launches of {LAUNCH} expected, found\n{text}")
        if f"luthier.target.{target}:" not in text:
            raise Failure(f"{name}: not of {target}:\n{text}")


def test(arguments, directory):
    builds, collecting = Builds(arguments, directory), Collecting(arguments, directory)
    marks = builds.flags("collect", "--route", "probes")
    both = builds.compile("both", [*marks, "--offload-arch=gfx1030"])
    modules = {route: builds.compile(f"{route}.co", [*builds.flags("collect", "--route", route), *MODULE])
               for route in ("counters", "probes", "lines")}
    modules["plain"] = builds.compile("plain.co", MODULE)

    for way in ("emulator", "hooks"):
        count = ["--count-by", way]
        for name, device, program, launches in (
            (f"threads-{way}", "gfx90a", [both], 1),
            (f"processes-{way}", "gfx90a", [both, "processes"], 2),
            (f"loads-{way}", "gfx90a", [both, "modules", modules["probes"], modules["probes"]], 2),
        ):
            result = collecting.run(name, device, program, "--threads", "2", *count)
            result.expect(result.code == 0, "luthier pgo collect fails")
            collecting.expect(name, launches)
        result = collecting.run(f"devices-{way}", "gfx90a,gfx90a,gfx1030", [both], *count)
        result.expect(result.code == 0, "luthier pgo collect fails")
        collecting.expect(f"devices-{way}.gfx90a", 2)
        collecting.expect(f"devices-{way}.gfx1030", 1, target="gfx1030")

        # All four in one process.
        result = collecting.run(f"mixed-{way}", "gfx90a", [both, "modules", *modules.values()], *count)
        result.expect(result.code == 0, "luthier pgo collect fails")
        result.expect_in_stderr("no-marks: the code of counting: it has no counters, and no pseudo probes or line tables")
        collecting.expect(f"mixed-{way}.probes", 1)
        # Of the loop, which is unrolled, lines know less.
        lines = collecting.text(f"mixed-{way}.lines")
        if not lines.startswith(f"counting:{7 * LAUNCH[0]}:{LAUNCH[0]}\n 1: {LAUNCH[0]}\n"):
            result.fail(f"not the lines of {LAUNCH[0]} lanes:\n{lines}")
        found = counters(arguments.profdata, f"{directory}/mixed-{way}.counters.prof")
        if found != {"counting": LAUNCH}:
            result.fail(f"counters of {LAUNCH} expected, found {found}")

    result = collecting.run("loads-emulator", "gfx90a", [both], "--add")
    result.expect(result.code == 0, "luthier pgo collect fails")
    collecting.expect("loads-emulator", 3)
    result = collecting.run("plain", "gfx90a", [both, "modules", modules["plain"]])
    result.expect(result.code == 1, "code without marks has a profile")
    result.expect_in_stderr("no-marks: the code of counting: it has no counters, and no pseudo probes or line tables; luthier")
    # What counts by itself loses nothing then.
    result = collecting.run("beside", "gfx90a", [both, "beside", modules["counters"]])
    result.expect(result.code == 0, "a profile is called partial though it has all counts")
    collecting.expect("beside.probes", 1)
    found = counters(arguments.profdata, f"{directory}/beside.counters.prof")
    if found != {"counting": LAUNCH}:
        result.fail(f"counters of {LAUNCH} expected, found {found}")
    for way in ("emulator", "hooks"):
        result = collecting.run(f"exits-{way}", "gfx90a", [both, "_exit"], "--count-by", way)
        result.expect(result.code == 0, "luthier pgo collect fails")
        collecting.expect(f"exits-{way}", 1)
        # The program that follows in the same process leaves its own counts.
        result = collecting.run(f"exec-{way}", "gfx90a", [both, "exec"], "--count-by", way)
        result.expect(result.code == 0, "luthier pgo collect fails")
        collecting.expect(f"exec-{way}", 2)
        # What was launched before is counted, but the program may have had more to do.
        result = collecting.run(f"signal-{way}", "gfx90a", [both, "SIGTERM"], "--count-by", way)
        result.expect(result.code == 128 + 15, "the program's end is not passed on")
        result.expect_in_stderr("ended by SIGTERM")
        collecting.expect(f"signal-{way}.partial", 1)

    left = '"$(dirname "$LUTHIER_EMULATOR_COUNTS")/counts-$$.json"'
    result = collecting.run("killed", "gfx90a", ["sh", "-c", f"exec {both} SIGKILL {left}"])
    result.expect(result.code == 128 + 9, "the program's end is not passed on")
    result.expect_in_stderr("was killed; what it counted is that of some time before, or lost")
    if os.path.exists(f"{directory}/killed.prof"):
        result.fail("a profile is called whole though counts are lost")
    lanes = samples(collecting.text("killed.partial"))[0]["counting"][1]
    if lanes == 0 or lanes % LAUNCH[0]:
        result.fail(f"not the lanes of some launches: {lanes}")


if __name__ == "__main__":
    harness.main([*ARGUMENTS, (["--profdata"], {"required": True, "help": "llvm-profdata"})], test)
