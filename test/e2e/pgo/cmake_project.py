#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A project that finds an installed Luthier builds a program with a profile, by
luthier_add_profiled_program(). The program runs without Luthier's build, and is built
again when a header of any of its sources changes."""

import shutil

import builds  # noqa: F401 (the path of harness)
import harness

ARGUMENTS = [
    (["--cmake"], {"required": True}),
    (["--build"], {"required": True, "help": "Luthier's build, to install from"}),
    (["--project"], {"required": True}),
    (["sources"], {"nargs": "+", "help": "of the program, and headers"}),
]


def expect_success(command, what):
    result = harness.run(command)
    result.expect(result.code == 0, f"{what} fails")
    return result.stdout + result.stderr


def test(arguments, directory):
    # A shell would take the quote for the beginning of a word's part.
    project, prefix, build = (f"{directory}/{name}" for name in ("project", "prefix", "user's"))
    shutil.copytree(arguments.project, project)
    for source in arguments.sources:
        shutil.copy(source, project)
    expect_success([arguments.cmake, "--install", arguments.build, "--prefix", prefix], "the installation")
    configure = [arguments.cmake, "-S", project, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"]
    expect_success([*configure, "-B", build], "CMake")
    result = harness.run([arguments.cmake, "--build", build, "--target", "biased"])
    result.expect(result.code == 0, "the build fails")
    result.expect("/biased is compiled with " in result.stdout, "the program is compiled without a profile")
    result = harness.run([arguments.cmake, "--build", build, "--target", "biased"])
    result.expect("no work to do" in result.stdout, "a second build compiles again")

    # The same without a profile, by other commands.
    plain = f"{directory}/plain"
    configure[configure.index("Ninja")] = "Unix Makefiles"
    expect_success([*configure, "-B", plain, "-DLUTHIER_USE_PROFILES=OFF"], "CMake")
    expect_success([arguments.cmake, "--build", plain], "the build without profiles")
    result = harness.run([f"{prefix}/bin/luthier", "run", "--", f"{plain}/bin/biased", "20000"])
    result.expect(result.code == 0 and len(result.stdout.splitlines()) == 1024, "the program without profile is wrong")
    for header, text, printed in ((None, "", 40), ("Pair.h", "#define VALUE 30", 60), ("Scaled.h", "#define FACTOR 3", 90)):
        if header:
            with open(f"{project}/{header}", "w") as file:
                file.write(text + "\n")
        expect_success([arguments.cmake, "--build", plain], "the build after a change")
        result = harness.run([f"{prefix}/bin/luthier", "run", "--", f"{plain}/bin/pair"])
        result.expect(result.stdout == f"{printed}\n", f"the program is not that of {header}")

    # A program of several files with profiles.
    result = harness.run([arguments.cmake, plain, "-DLUTHIER_USE_PROFILES=ON"])
    result.expect(result.code == 0, "CMake fails")
    result = harness.run([arguments.cmake, "--build", plain, "--target", "pair"])
    result.expect(result.code == 0 and "same output" in result.stdout, "a program of several files has no profile")
    result = harness.run([f"{prefix}/bin/luthier", "run", "--", f"{plain}/bin/pair"])
    result.expect(result.stdout == "90\n", "the program of several files is wrong")


if __name__ == "__main__":
    harness.main(ARGUMENTS, test)
