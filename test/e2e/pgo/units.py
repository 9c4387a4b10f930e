#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program of several units that are linked for the GPU (-fgpu-rdc): functions
of one unit are inlined into kernels of another, and the profile says so. Functions
of the same name that each unit has for itself have counts of their own: those of
LLVM's counters, of which clang 22 links only one unit's at a time. To use the
profile, clang 22 needs -foffload-lto: its linker breaks off otherwise."""

import re

from builds import ARGUMENTS, Builds, Failure, harness
from three_ways import Comparison, ThreeWays, blocks_of, counters, places, samples


def counted(builds, other, route):
    """Flags of the units, a release of theirs, and its profile."""
    units = ["-fgpu-rdc", other]
    release = builds.compile(f"release-{route}", [*units, *builds.flags("collect", "--route", route)])
    profile = builds.profile(f"profile-{route}", release, "--route", route, "--text")
    with open(profile) as file:
        text = file.read()
    # 16 waves, 9 rows each.
    inlined = "_Z7addRowsPjjj:" in text and ": _Z8weightOfj:" in text
    heads = sorted(int(n) for n in re.findall(r"^_ZL7boundedj\.__uniq\.\d+:\d+:(\d+)$", text, re.M))
    if not inlined or heads != [16, 144] or (route == "probes" and "\n  1: 144\n" not in text):
        raise Failure(f"{route}: not the profile of this program:\n{text}")
    return units, release, profile


def link(builds, name, objects):
    flags = list(builds.clang)
    at = flags.index("-x")
    del flags[at:at + 2]
    path = f"{builds.directory}/{name}"
    result = harness.run([*flags, "-fgpu-rdc", "--hip-link", *objects, "-o", path, "-lamdhip64"])
    result.expect(result.code == 0, "the linker fails")
    return path


def compare_units(arguments, directory, release):
    """Each unit's counters with the probes of the release."""
    sources = [arguments.source, arguments.other]
    builds = Builds(arguments, directory)
    with open(builds.profile("lanes", release, "--weights", "lanes", "--text")) as file:
        executed, checksums = samples(file.read())
    rdc = ["-fgpu-rdc", *"-Xarch_device -funique-internal-linkage-names".split()]
    plain = [builds.compile(f"plain{n}.o", [*rdc, "-c"], source=source) for n, source in enumerate(sources)]
    for unit, source in enumerate(sources):
        arguments.source = source
        ways = ThreeWays(Builds(arguments, directory), arguments.profdata, arguments.opt)
        counting = [*builds.flags("collect"), *rdc]
        objects = list(plain)
        objects[unit] = builds.compile("counting.o", [*counting, "-c"], source=source)
        profile = builds.profile(f"unit{unit}", link(builds, f"counting{unit}", objects))
        counts, plain_ir, result = counters(arguments.profdata, profile), ways.ir("-O3", rdc), Comparison()
        for name, probe_of in places(ways.ir("-O3", counting), plain_ir).items():
            if name in counts and name in executed:
                if checksums[name] != {blocks_of(plain_ir)[1][name]}:
                    raise Failure(f"{name}: probes of the release are not those of clang's IR")
                result.add(name, counts[name], probe_of, *[executed[name]] * 3)
        if result.differences or len(result.functions) != 2:
            raise Failure(f"{source}: {sorted(result.functions)}: {result.differences}")
    arguments.source = sources[0]


def test(arguments, directory):
    builds = Builds(arguments, directory)
    counted(builds, arguments.other, "lines")
    units, release, profile = counted(builds, arguments.other, "probes")
    compare_units(arguments, directory, release)
    use = builds.flags("use", profile, "--route", "probes")
    result = builds.judge(release, builds.compile("used", [*units, "-foffload-lto", *use]))
    result.expect(result.code == 0 and "same output" in result.stdout, "the build computes something else")


if __name__ == "__main__":
    harness.main([*ARGUMENTS, (["--other"], {"required": True, "help": "the other unit"}),
                  (["--profdata"], {"required": True, "help": "llvm-profdata"}),
                  (["--opt"], {"required": True, "help": "LLVM's opt"})], test)
