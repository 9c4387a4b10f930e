#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`luthier pgo optimize --program` compiles with profiles what a build of several
commands makes: CMake's with Ninja and make, by a launcher before the compiler, ccache
behind it, and a makefile that takes the flags from the environment. Where a build does
not take them, fails or makes nothing, it says so."""

import os
import shutil
import subprocess

from builds import ARGUMENTS, Builds, Failure, harness

WITHOUT = 4


class Building:
    def __init__(self, arguments, directory):
        self.arguments, self.directory = arguments, directory
        self.source = f"{directory}/separate"
        shutil.copytree(os.path.dirname(arguments.source), self.source)
        words = Builds(arguments, directory).clang
        self.clang = words[0]
        at = words.index("-x")
        # The project says itself what is HIP, and for which target.
        self.flags = [word for word in words[1:at] + words[at + 2:] if not word.startswith("--offload-arch=")]
        self.prefix = os.path.dirname(os.path.dirname(arguments.luthier))

    def optimize(self, program, command, *options):
        if os.path.exists(program):
            os.remove(program)
        # So small kernels may become worse, which is not what this is about.
        return harness.run([self.arguments.luthier, "pgo", "optimize", "--program", program, "--compiler", self.clang,
                            "--tolerance", "1000", *options, "--", *command, "--", program, "2000"])

    def expect_profile(self, result, program):
        """Of kernels of both files, and a program that is right."""
        result.expect(result.code == 0, "luthier pgo optimize fails")
        shown = subprocess.run([self.arguments.profdata, "show", *self.sampled, "--all-functions", f"{program}.prof"],
                               capture_output=True, text=True).stdout
        for kernel in ("_Z6biasedPjj", "_Z7rotatedPj"):
            if kernel not in shown:
                raise Failure(f"{kernel} is not in the profile:\n{shown}")
        result.expect(f"{program} is compiled with" in result.stderr, "the profile is not used")
        self.expect_right(program)

    def expect_right(self, program):
        result = harness.run([self.arguments.luthier, "run", "--", program, "2000"])
        result.expect(result.code == 0, "the program fails")
        self.printed = getattr(self, "printed", result.stdout)
        result.expect(result.stdout == self.printed and len(result.stdout.splitlines()) == 2, "the program prints something else")

    sampled = ()


def test(arguments, directory):
    building = Building(arguments, directory)
    os.environ["CCACHE_DIR"] = f"{directory}/ccache"
    launcher = [arguments.luthier, "pgo", "launch", *([arguments.ccache] if arguments.ccache else [])]
    for generator, route in (("Ninja", "counters"), ("Unix Makefiles", "lines")):
        build = f"{directory}/{route}"
        result = harness.run([
            arguments.cmake, "-S", building.source, "-B", build, "-G", generator, "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_CXX_COMPILER={building.clang}", f"-DCMAKE_CXX_FLAGS={' '.join(building.flags)}",
            f"-DCMAKE_CXX_COMPILER_LAUNCHER={';'.join(launcher)}"])
        result.expect(result.code == 0, "CMake fails")
        program = f"{build}/separate"
        result = building.optimize(program, [arguments.cmake, "--build", build, "--clean-first"], "--route", route)
        building.sampled = ["--sample"] if route == "lines" else []
        building.expect_profile(result, program)
    if arguments.ccache:
        statistics = subprocess.run([arguments.ccache, "--print-stats"], capture_output=True, text=True).stdout
        if not any(line.startswith("cache_miss") and line.split()[1] != "0" for line in statistics.splitlines()):
            raise Failure(f"ccache was not asked:\n{statistics}")

    building.sampled = []
    program = f"{building.source}/separate"
    make = [arguments.make, "-C", building.source, f"CXX={building.clang}",
            f"HIPFLAGS=--offload-arch=gfx90a {' '.join(building.flags)}"]
    building.expect_profile(building.optimize(program, [*make, "-B"]), program)

    # Objects are those of the build without a profile.
    result = building.optimize(program, make)
    result.expect(result.code == WITHOUT, "a build that does not compile anew has a profile")
    result.expect_in_stderr("no profile: the build makes the same program whatever is in LUTHIER_PGO_FLAGS")
    building.expect_right(program)
    for command, said in (("exit 3", "the build ended with 3"), ("true", f"the build has made no {program}")):
        result = building.optimize(program, ["sh", "-c", command])
        result.expect(result.code == 1, "a build that makes no program is a success")
        result.expect_in_stderr(said)


if __name__ == "__main__":
    harness.main([*ARGUMENTS, *([[f"--{name}"], {"required": name != "ccache"}] for name in
                                ("cmake", "make", "profdata", "ccache"))], test)
