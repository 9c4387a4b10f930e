#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program of several units that are linked for the GPU (-fgpu-rdc): functions
of one unit are inlined into kernels of another, and the profile says so. To use
it, clang 22 needs -foffload-lto: its linker breaks off otherwise."""

from builds import ARGUMENTS, Builds, Failure, harness


def test(arguments, directory):
    builds = Builds(arguments, directory)
    units = ["-fgpu-rdc", arguments.other]
    release = builds.compile("release", [*units, *builds.flags("collect", "--route", "probes")])
    profile = builds.profile("profile", release, "--text")
    with open(profile) as file:
        text = file.read()
    # 16 waves, 9 rows each.
    if "_Z7addRowsPjjj:" not in text or ": _Z8weightOfj:" not in text or "\n  1: 144\n" not in text:
        raise Failure(f"not the profile of this program:\n{text}")
    use = builds.flags("use", profile, "--route", "probes")
    result = builds.judge(release, builds.compile("used", [*units, "-foffload-lto", *use]))
    result.expect(result.code == 0 and "same output" in result.stdout, "the build computes something else")


if __name__ == "__main__":
    harness.main([*ARGUMENTS, (["--other"], {"required": True, "help": "the other unit"})], test)
