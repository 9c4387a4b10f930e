#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`luthier pgo optimize --program` compiles with profiles what a build of several
commands makes: CMake's with Ninja and make, by a launcher before the compiler, ccache
behind it, and a makefile that takes the flags from the environment. Where a build does
not take them, fails or makes nothing, it says so. `luthier pgo apply` is a launcher,
too: it uses the profile in a build of several commands."""

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
        return harness.run([self.arguments.luthier, "pgo", "optimize", "--program", program, "--compiler", self.clang,
                            *options, "--", *command, "--", program, "2000"])

    def expect_profile(self, result, program, is_sampled=False):
        """Of kernels of both files, and a program that is right. Only counters see that the conditions are rare."""
        result.expect(result.code == 0, "luthier pgo optimize fails")
        result.expect("luthier pgo judge: same output" in result.stdout, "the build with the profile is not judged")
        shown = subprocess.run([self.arguments.profdata, "show", *(["--sample"] if is_sampled else []), "--all-functions",
                                f"{program}.prof"], capture_output=True, text=True).stdout
        for kernel in ("_Z6biasedPfj", "_Z7rotatedPj"):
            if kernel not in shown:
                raise Failure(f"{kernel} is not in the profile:\n{shown}")
        if not is_sampled:
            result.expect_in_stderr(f"{program} is compiled with {program}.prof\n")
        self.expect_right(program)

    def configure(self, build, generator, *launcher):
        result = harness.run([
            self.arguments.cmake, "-S", self.source, "-B", build, "-G", generator, "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_CXX_COMPILER={self.clang}", f"-DCMAKE_CXX_FLAGS={' '.join(self.flags)}",
            f"-DCMAKE_CXX_COMPILER_LAUNCHER={';'.join(launcher)}"])
        result.expect(result.code == 0, "CMake fails")
        return f"{build}/separate"

    def expect_applied(self, profiled):
        """What the profile of that program makes of this one."""
        build = f"{self.directory}/applied"
        program = self.configure(build, "Ninja", self.arguments.luthier, "pgo", "apply", "--lenient", f"{profiled}.prof", "--")
        result = harness.run([self.arguments.cmake, "--build", build])
        result.expect(result.code == 0 and "stale-profile" not in result.stdout, "the build with apply fails")
        result = harness.run([self.arguments.luthier, "pgo", "judge", "--before", profiled, "--after", program, "--", "2000"])
        result.expect("kernels: 0 better, 0 worse, 2 the same\n" in result.stdout, "apply makes another program than optimize")

    def expect_right(self, program):
        result = harness.run([self.arguments.luthier, "run", "--", program, "2000"])
        result.expect(result.code == 0, "the program fails")
        self.printed = getattr(self, "printed", result.stdout)
        result.expect(result.stdout == self.printed and len(result.stdout.splitlines()) == 2, "the program prints something else")


def test(arguments, directory):
    building = Building(arguments, directory)
    os.environ["CCACHE_DIR"] = f"{directory}/ccache"
    launcher = [arguments.luthier, "pgo", "launch", *([arguments.ccache] if arguments.ccache else [])]
    for generator, route in (("Ninja", "counters"), ("Unix Makefiles", "lines")):
        build = f"{directory}/{route}"
        program = building.configure(build, generator, *launcher)
        result = building.optimize(program, [arguments.cmake, "--build", build, "--clean-first"], "--route", route)
        building.expect_profile(result, program, is_sampled=route == "lines")
    building.expect_applied(f"{directory}/counters/separate")
    if arguments.ccache:
        statistics = subprocess.run([arguments.ccache, "--print-stats"], capture_output=True, text=True).stdout
        if not any(line.startswith("cache_miss") and line.split()[1] != "0" for line in statistics.splitlines()):
            raise Failure(f"ccache was not asked:\n{statistics}")

    program = f"{building.source}/separate"
    make = [arguments.make, "-C", building.source, f"CXX={building.clang}",
            f"HIPFLAGS=--offload-arch=gfx90a {' '.join(building.flags)}"]
    # Units are linked for the GPU by a command of its own, with the flags of a launcher.
    units = f"--offload-arch=gfx90a -fgpu-rdc {' '.join(building.flags)}"
    linked = [arguments.make, "-B", "-C", building.source, f"CXX={arguments.luthier} pgo launch {building.clang}", "PROFILEFLAGS=",
              f"HIPFLAGS={units}", f"LINKFLAGS={units} --hip-link"]
    building.expect_profile(building.optimize(program, linked, "--rdc"), program)

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
        # What was there before.
        building.expect_right(program)


if __name__ == "__main__":
    harness.main([*ARGUMENTS, *([[f"--{name}"], {"required": name != "ccache"}] for name in
                                ("cmake", "make", "profdata", "ccache"))], test)
