#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program of several units that are linked for the GPU (-fgpu-rdc): functions
of one unit are inlined into kernels of another, and the profile says so. Functions
of the same name that each unit has for itself have counts of their own. To use
the profile, clang 22 needs -foffload-lto: its linker breaks off otherwise."""

import re

from builds import ARGUMENTS, Builds, Failure, harness


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


def test(arguments, directory):
    builds = Builds(arguments, directory)
    counted(builds, arguments.other, "lines")
    units, release, profile = counted(builds, arguments.other, "probes")
    use = builds.flags("use", profile, "--route", "probes")
    result = builds.judge(release, builds.compile("used", [*units, "-foffload-lto", *use]))
    result.expect(result.code == 0 and "same output" in result.stdout, "the build computes something else")


if __name__ == "__main__":
    harness.main([*ARGUMENTS, (["--other"], {"required": True, "help": "the other unit"})], test)
