#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What several host threads, devices and loads count is added up on each route, with
counters of the compiler's and without. Where there are counters, the profile is what
llvm-profdata makes of the raw files, also that of a second round (cs), and with bits of
conditions (MC/DC)."""

import glob
import os
import shutil
import subprocess

from builds import ARGUMENTS, Builds, Failure, harness


class Route:
    def __init__(self, arguments, builds, name, *collecting):
        self.arguments, self.directory = arguments, f"{builds.directory}/{name}"
        os.mkdir(self.directory)
        self.name, self.collecting = name, collecting
        self.is_sampled = name.split("-")[0] in ("probes", "lines")
        self.first = None  # What the profile is put into.

    def merged(self, *paths):
        options = ["--sample"] if self.is_sampled else []
        command = [self.arguments.profdata, "merge", *options, "-text", *paths, "-o", "-"]
        process = subprocess.run(command, capture_output=True, text=True)
        if process.returncode:
            raise Failure(f"{' '.join(command)}\n{process.stderr}")
        return process.stdout

    def collect(self, name, device, *program, loads=1):
        """As text."""
        path, raw = f"{self.directory}/{name}", f"{self.directory}/{name}-raw"
        if self.first:
            shutil.copy(self.first, path)
        result = harness.run([self.arguments.luthier, "pgo", "collect", "--device", f"emulated:{device}", "--keep-raw", raw,
                              "-o", path, *self.collecting, *(["--add"] if self.first else []), "--", *program])
        result.expect(result.code == 0, f"{self.name}: luthier pgo collect fails")
        text = self.merged(path)
        if not self.is_sampled:
            files = glob.glob(f"{raw}/*.profraw")
            result.expect(len(files) == loads, f"{self.name}: {len(files)} raw profiles, {loads} expected")
            result.expect(text == self.merged(*files, *([self.first] if self.first else [])),
                          f"{self.name}, {name}: not what llvm-profdata merges:\n{text}")
        return text

    def expect_sums(self, program, module):
        once = self.collect("once", "gfx90a", program)
        single = f"{self.directory}/once"
        if self.collect("threads", "gfx90a", program, "--threads", "2") != once:
            raise Failure(f"{self.name}: two host threads count something else than one")
        if self.first:
            # The first round is in both.
            return
        twice = self.merged(single, single)
        if twice == once:
            raise Failure(f"{self.name}: nothing is counted:\n{once}")
        for name, text in (("devices", self.collect("devices", "gfx90a,gfx90a", program, loads=2)),
                           ("modules", self.collect("modules", "gfx90a", program, "modules", module, module, loads=2))):
            if text != twice:
                raise Failure(f"{self.name}: {name} do not add up to two launches:\n{text}expected:\n{twice}")


def test(arguments, directory):
    builds = Builds(arguments, directory)

    def programs(name, *request):
        flags = builds.flags("collect", "--route", *request)
        return (builds.compile(name, flags),
                builds.compile(f"{name}.co", [*flags, "--offload-device-only", "--no-gpu-bundle-output"]))

    route = Route(arguments, builds, "ir")
    route.expect_sums(*programs("ir-program", "ir"))
    first = f"{route.directory}/once"
    route = Route(arguments, builds, "cs")
    program, module = programs("cs-program", "cs", "--profile", first)
    route.first = first
    route.expect_sums(program, module)
    # By itself, the second round has no functions of the first.
    for name, device, words in (("devices", "gfx90a,gfx90a", [program]), ("modules", "gfx90a", [program, "modules", module, module])):
        text = route.collect(name, device, *words, loads=2)
        if text == route.merged(f"{route.directory}/once"):
            raise Failure(f"cs: {name} count as one launch")
    for name in ("probes", "lines"):
        both = programs(f"{name}-program", name)
        for way in ("emulator", "hooks"):
            Route(arguments, builds, f"{name}-{way}", "--count-by", way).expect_sums(*both)

    route = Route(arguments, builds, "mcdc")
    program = builds.compile("mcdc-program", builds.flags("collect", "--route", "mcdc"), source=arguments.decisions)
    text = route.collect("once", "gfx90a", program, "10")
    if "# Num Bitmap Bytes:" not in text or text == route.collect("none", "gfx90a", program, "0"):
        raise Failure(f"mcdc: no bits of conditions are in the profile, or always the same:\n{text}")


if __name__ == "__main__":
    harness.main([*ARGUMENTS, (["--profdata"], {"required": True}),
                  (["--decisions"], {"required": True, "help": "a program with decisions of several conditions"})], test)
