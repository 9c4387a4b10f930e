#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`luthier pgo optimize` leaves a program that is right, whatever happens on the
way: runs that collect add up; a run that fails, and a build that counts or uses the
profile and is wrong, leave the program without a profile, and the exit code tells.
Where a kernel stays worse, all kernels together decide."""

import os
import subprocess

from builds import ARGUMENTS, Builds, Failure, harness

WITHOUT = 4


class Optimizing:
    def __init__(self, arguments, directory):
        self.builds, self.luthier, self.source = Builds(arguments, directory), arguments.luthier, arguments.source
        self.program, self.profile = f"{directory}/program", f"{directory}/program.prof"

    def run(self, *runs, flags=(), options=()):
        compiling = [*self.builds.clang, "-O1", *flags, self.source, "-o", self.program, "-lamdhip64"]
        command = [self.luthier, "pgo", "optimize", *options, "--", *compiling]
        for run in runs:
            command += ["--", self.program, *run]
        if os.path.exists(self.program):
            os.remove(self.program)
        result = harness.run(command)
        result.expect(os.access(self.program, os.X_OK), "there is no program")
        return result


def test(arguments, directory):
    test = Optimizing(arguments, directory)
    # So small a kernel may become worse, which is not what this is about.
    result = test.run(["10"], ["20"], options=["--tolerance", "1000"])
    result.expect(result.code == 0, "luthier pgo optimize fails")
    result.expect_in_stderr(f"judging: {test.program} 10\n")
    result.expect_in_stderr(f"judging: {test.program} 20\n")
    command = [arguments.profdata, "show", "--counts", "--all-functions", test.profile]
    shown = subprocess.run(command, capture_output=True, text=True).stdout
    # Lanes of both runs, those below the limit, and the odd ones of them.
    if "Function count: 128" not in shown or "Block counts: [15, 30, " not in shown:
        raise Failure(f"not the profile of both runs:\n{shown}")

    result = test.run(["10"], flags=["-DGAIN=300", "-DLOSS=100"])
    result.expect(result.code == 0, "luthier pgo optimize fails")
    result.expect_in_stderr("clear(unsigned int*) is worse though it is not in the profile\n")
    result.expect_in_stderr(f"{test.program} is compiled with {test.profile}\n")

    result = test.run(["10", "fails"])
    result.expect(result.code == WITHOUT, "a run that fails makes a profile")
    result.expect_in_stderr("no profile: collect ended with 7")
    result = test.run(["10"], flags=["-DCOUNTS_WRONG"])
    result.expect(result.code == WITHOUT, "what another program counted is used")
    result.expect_in_stderr("no profile: the build that counts does something else than the one without a profile: "
                            "line 1 was '69' and is '133'\n")
    result.expect_in_stderr(f"{test.program} is compiled without a profile")
    result = test.run(["10"], flags=["-DIS_WRONG"])
    result.expect(result.code == WITHOUT, "a wrong build is taken")
    result.expect("DIFFERENT OUTPUT: " in result.stdout, "the judge has not seen it")
    result.expect_in_stderr(f"{test.program} is compiled without a profile")
    result = harness.run([arguments.luthier, "run", "--", test.program, "10"])
    result.expect(result.stdout == "69\n", "what is left is the wrong build")


if __name__ == "__main__":
    harness.main([*ARGUMENTS, (["--profdata"], {"required": True})], test)
