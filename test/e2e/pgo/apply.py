#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`luthier pgo apply` compiles with a profile if it belongs to the source and the
target, whatever route it was collected by. If it does not, it says so, compiles
without it, and the exit code tells."""

import os
import re
import shutil
import subprocess

from builds import ARGUMENTS, Builds, Failure, harness

REFUSED = 4
# Code for the device is all that profiles change.
DEVICE = ["--offload-device-only", "--gpu-bundle-output"]
OLD, NEW = "if (Flag & 8)", "while (Flag & 8)"


class Applying:
    def __init__(self, arguments, directory, source):
        self.builds, self.directory = Builds(arguments, directory), directory
        self.luthier = arguments.luthier
        with open(source) as file:
            self.text = file.read()
        self.source = f"{directory}/program.hip"
        self.write()

    def write(self, old="", new=""):
        """The source, changed."""
        if old and old not in self.text:
            raise Failure(f"the program has no {old}")
        with open(self.source, "w") as file:
            file.write(self.text.replace(old, new) if old else self.text)

    def profile(self, route, target="gfx90a", one_in="20000"):
        name = f"{self.directory}/{route}.{target}.{one_in}.prof"
        flags = [*self.builds.flags("collect", "--route", route), f"--offload-arch={target}"]
        program = self.builds.compile(f"{route}-collecting", flags, source=self.source)
        device = ["--device", f"emulated:{target}"]
        result = harness.run([self.luthier, "pgo", "collect", *device, "-o", name, "--", program, one_in])
        result.expect(result.code == 0, f"no profile of route {route}")
        return name

    def apply(self, name, profiles, *more):
        """The result, and the path of the program."""
        path = f"{self.directory}/{name}"
        command = [*self.builds.clang, "-O3", *DEVICE, *more, self.source, "-o", path, "-lamdhip64"]
        result = harness.run([self.luthier, "pgo", "apply", *profiles.split(), "--", *command])
        if not os.path.exists(path):
            result.fail("the program is not compiled")
        return result, path

    def compile_nothing(self, profile, target, *options):
        """The result for a source that takes no time to compile."""
        source, path = f"{self.directory}/nothing.hip", f"{self.directory}/nothing.o"
        open(source, "w").close()
        command = [self.builds.clang[0], "-x", "hip", "-nogpuinc", "-nogpulib", f"--offload-arch={target}", "-c"]
        result = harness.run([self.luthier, "pgo", "apply", *options, profile, "--", *command, source, "-o", path])
        result.expect(os.path.exists(path), "the source is not compiled")
        os.remove(path)
        return result

    def plain(self, *more):
        """The path of a build without profile."""
        return self.builds.compile("plain", [*DEVICE, *more], source=self.source)

    def code(self, path, target="gfx90a"):
        """What is executed of a build."""
        command = [self.luthier, "lift", path, "--target", target, "--kernel", "biased", "--print", "cfg"]
        result = harness.run(command)
        result.expect(result.code == 0, "luthier lift fails")
        return result.stdout


def routes(test):
    """Of the source as it was, and of another."""
    plain = test.code(test.plain())
    profiles = {}
    for route in ("counters", "probes"):
        test.write()
        profiles[route] = test.profile(route)
        result, path = test.apply("used", profiles[route])
        result.expect(result.code == 0 and "luthier pgo" not in result.stderr, f"{route}: the profile is not used")
        # What the release computes ahead has no branch, so only counters make this code another.
        if route == "counters" and test.code(path) == plain:
            result.fail("counters: the profile changes nothing")
        test.write(OLD, NEW)
        changed = test.code(test.plain())
        os.remove(path)
        result, path = test.apply("used", profiles[route])
        result.expect(result.code == REFUSED, f"{route}: a profile of other source is used")
        result.expect_in_stderr("stale-profile: biased(unsigned int const*, float const*, float*, int) has changed")
        result.expect_in_stderr("compiling without the profile")
        if test.code(path) != changed:
            result.fail(f"{route}: the build is not as without a profile")
    test.write()
    return profiles


def compilers(test, profiles):
    """The device's compiler gets the profile, whatever the driver does with its flags."""
    for route, flag in (("counters", "-fprofile-instrument-use-path="), ("probes", "-fprofile-sample-use=")):
        command = [*test.builds.clang, "-###", test.source]
        result = harness.run([test.luthier, "pgo", "apply", "--no-check", profiles[route], "--", *command])
        result.expect(result.code == 0, f"{route}: luthier pgo apply fails")
        device = [line for line in result.stderr.splitlines() if '"-triple" "amdgcn' in line]
        if len(device) != 1 or f'"{flag}{profiles[route]}"' not in device[0]:
            result.fail(f"{route}: the device's compiler does not get the profile")


def cached(test, profile, other):
    """ccache takes a profile of the same name for another one if it is."""
    name, path = f"{test.directory}/cached.prof", f"{test.directory}/cached"
    codes = []
    for its in (profile, other, profile):
        shutil.copy(its, name)
        # ccache passes on what has several outputs or none.
        command = [*test.builds.clang, "-O3", "-c", test.source, "-o", path]
        found = []
        for launcher in (["ccache"], []):
            result = harness.run([test.luthier, "pgo", "apply", "--no-check", name, "--", *launcher, *command],
                                 {"CCACHE_DIR": f"{test.directory}/ccache"})
            result.expect(result.code == 0, "luthier pgo apply fails")
            found.append(test.code(path))
        if found[0] != found[1]:
            result.fail("what ccache has is of another profile")
        codes.append(found[0])
    if codes[0] == codes[1] or codes[0] != codes[2]:
        raise Failure("the two profiles make no difference, and ccache is not tested")


def languages(test, profile):
    """However the command says that the source is HIP."""
    test.write(OLD, NEW)
    source, configuration = f"{test.directory}/program.cpp", f"{test.directory}/hip.cfg"
    shutil.copy(test.source, source)
    test.write()
    with open(configuration, "w") as file:
        file.write("-x hip\n")
    clang, *flags = test.builds.clang
    at = flags.index("-x")
    flags[at:at + 2] = []
    for words in (["-xhip", source, "-x", "none"], [f"--config={configuration}", source]):
        command = [clang, *flags, "-O3", *DEVICE, *words, "-o", f"{test.directory}/language"]
        result = harness.run([test.luthier, "pgo", "apply", profile, "--", *command])
        result.expect(result.code == REFUSED, "a profile of other source is used")
        result.expect_in_stderr("stale-profile: biased(")


def parts(arguments, directory):
    """Where one of two kernels has changed, the profile of the other is used."""
    test = Applying(arguments, directory, arguments.other)
    for route in ("counters", "ir", "lines"):
        test.write()
        profile = test.profile(route)
        if route == "lines":
            result, _ = test.apply("whole", profile)
            result.expect(result.code == 0 and "luthier pgo" not in result.stderr, "lines: the profile is not used")
        test.write("] > 7)", "] > 7 &&\n      Out[1] > 8)")
        result, _ = test.apply("parts", profile)
        result.expect(result.code == REFUSED, f"{route}: all of the profile is used")
        result.expect_in_stderr("stale-profile: clear(unsigned int*) has changed")
        result.expect("decide" not in result.stderr, f"{route}: a kernel that is as it was has changed")
        result.expect("without the profile" not in result.stderr, f"{route}: none of the profile is used")


def inlined(arguments, directory):
    """Where a function has changed that is inlined into a kernel, only what is known of it is not used."""
    test = Applying(arguments, directory, arguments.inlined)
    for route in ("probes", "lines"):
        test.write()
        profile = test.profile(route)
        result, _ = test.apply("whole", profile)
        result.expect(result.code == 0 and "luthier pgo" not in result.stderr, f"{route}: the profile is not used")
        test.write("  return Value / 2;", "  if (Value & 2)\n    return Value - 1;\n  return Value / 2;")
        result, _ = test.apply("inlined", profile)
        result.expect(result.code == REFUSED, f"{route}: all of the profile is used")
        result.expect_in_stderr("stale-profile: step(unsigned int) has changed")
        result.expect("walk" not in result.stderr, f"{route}: a kernel that is as it was has changed")
        result.expect("without the profile" not in result.stderr, f"{route}: none of the profile is used")


def libraries(test, profile):
    """Device libraries are those that the command takes, marked for profiles of samples."""
    own = re.search(r"--rocm-device-lib-path=(\S+)", " ".join(test.builds.clang))[1]
    other = f"{test.directory}/other-libraries"
    shutil.copytree(own, other)
    result, _ = test.apply("libraries", profile, f"--rocm-device-lib-path={other}", "-v")
    result.expect(result.code == 0 and "luthier pgo" not in result.stderr, "the profile is not used")
    taken = re.findall(r"(\S+)/ocml\.bc", result.stderr)
    if not taken or {own, other, test.builds.arguments.libraries} & set(taken):
        result.fail(f"libraries are those of {taken}")
    with open(f"{other}/ocml.bc", "w") as file:
        file.write("no bitcode")
    result = harness.run([test.luthier, "pgo", "apply", "--no-check", profile, "--", *test.builds.clang,
                          f"--rocm-device-lib-path={other}", "-###", test.source])
    result.expect(result.code == REFUSED, "other libraries than the command's are taken")
    result.expect_in_stderr(f"luthier pgo: failure: {other}/ocml.bc: ")


def targets(test, profile):
    result, path = test.apply("both", profile, "--offload-arch=gfx1030")
    result.expect(result.code == 0, "a profile of one of the targets is refused")
    plain = test.plain("--offload-arch=gfx1030")
    if test.code(path, "gfx1030") != test.code(plain, "gfx1030"):
        result.fail("the profile is used for a target that it is not of")
    if test.code(path) == test.code(plain):
        result.fail("the profile is not used for its own target")
    other = test.profile("counters", "gfx1030")
    result, path = test.apply("both", f"{profile} {other}", "--offload-arch=gfx1030")
    result.expect(result.code == 0 and "luthier pgo" not in result.stderr, "not each target has its profile")
    if test.code(path, "gfx1030") == test.code(plain, "gfx1030") or test.code(path) == test.code(plain):
        result.fail("a profile is not used for its own target")


def refused(test, profiles):
    """Before anything is compiled to compare."""
    cases = [(profiles["counters"], "gfx1030", f"other-target: {profiles['counters']} is of gfx90a, and this code is for gfx1030"),
             (profiles["probes"], "gfx1030", f"other-target: {profiles['probes']} is of gfx90a, and this code is for gfx1030")]
    for route in ("counters", "probes"):
        short = f"{test.directory}/{route}.short"
        shutil.copy(profiles[route], short)
        os.truncate(short, os.path.getsize(short) // 2)
        cases.append((short, "gfx90a", "malformed-profile: "))
    # The version is the second word of the file.
    newer = f"{test.directory}/newer.prof"
    shutil.copy(profiles["counters"], newer)
    with open(newer, "r+b") as file:
        file.seek(8)
        file.write(bytes([99]))
    cases.append((newer, "gfx90a", "profile-version: "))
    cases.append((f"{test.directory}/none.prof", "gfx90a", "failure: "))
    for profile, target, message in cases:
        result = test.compile_nothing(profile, target)
        result.expect(result.code == REFUSED, "the profile is used")
        result.expect_in_stderr(f"luthier pgo: {message}")
    result = test.compile_nothing(profiles["counters"], "gfx90a", "--route", "probes")
    result.expect(result.code == REFUSED, "the profile is used")
    result.expect_in_stderr("mixed-build: ")
    for profile, message in ((profiles["counters"], "are both of gfx90a"),
                             (profiles["probes"], "clang gives a profile of samples to all targets")):
        result = test.compile_nothing(profile, "gfx90a", profiles["counters"])
        result.expect(result.code == REFUSED, "two profiles are used for one target")
        result.expect_in_stderr("other-target: ")
        result.expect_in_stderr(message)
    source, object = f"{test.directory}/host.cpp", f"{test.directory}/host.o"
    open(source, "w").close()
    result = harness.run([test.luthier, "pgo", "apply", profiles["counters"], "--", test.builds.clang[0], "-c", source,
                          "-o", object])
    result.expect(result.code == REFUSED and os.path.exists(object), "source without device code has a profile")
    result.expect_in_stderr("luthier pgo: no-device-code: this command compiles for the host alone; ")
    result = test.compile_nothing(newer, "gfx90a", "--lenient")
    result.expect(result.code == 0, "--lenient does not help")


def compiler(test, profile):
    command = [test.luthier, "pgo", "apply", profile, "--", *test.builds.clang, "/nowhere.hip"]
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode != 1 or "no such file or directory: '/nowhere.hip'" not in process.stderr:
        raise Failure(f"the compiler's own failure is not passed on:\n{process.stderr}")


def test(arguments, directory):
    test = Applying(arguments, directory, arguments.source)
    profiles = routes(test)
    compilers(test, profiles)
    cached(test, profiles["counters"], test.profile("counters", one_in="1"))
    languages(test, profiles["counters"])
    libraries(test, profiles["probes"])
    targets(test, profiles["counters"])
    refused(test, profiles)
    compiler(test, profiles["counters"])
    parts(arguments, directory)
    inlined(arguments, directory)


if __name__ == "__main__":
    harness.main([*ARGUMENTS, (["--other"], {"required": True, "help": "a program of several kernels"}),
                  (["--inlined"], {"required": True, "help": "a program whose kernel has an inlined function"})], test)
