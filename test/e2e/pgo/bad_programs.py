#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `luthier pgo judge` says of builds that crash, launch other kernels or none, or
print something else in each run, and of a profile that it cannot change; and `luthier
pgo show` of code whose source is gone."""

import os
import shutil

from builds import ARGUMENTS, Builds, Failure, harness


class Programs:
    """Scripts stand for builds: both get the same arguments."""

    def __init__(self, arguments, directory):
        self.builds, self.directory = Builds(arguments, directory), directory
        self.program = self.builds.compile("program")

    def script(self, how):
        path = f"{self.directory}/{how}"
        with open(path, "w") as file:
            if how.startswith("writes-"):
                file.write(f"#!/bin/sh\necho {how[-1]} > {self.directory}/written\nexec {self.program} first\n")
            elif how == "quiet":
                file.write(f"#!/bin/sh\nexec {self.program} first >/dev/null\n")
            else:
                file.write(f"#!/bin/sh\nexec {self.program} {how}\n")
        os.chmod(path, 0o755)
        return path

    def judge(self, before, after, *options):
        return self.builds.judge(self.script(before), self.script(after), *options)

    def expect(self, before, after, code, *texts, options=()):
        result = self.judge(before, after, *options)
        result.expect(result.code == code, f"the exit code is not {code}")
        for text in texts:
            result.expect(text in result.stdout + result.stderr, f"'{text}' is not said")


def judged(programs):
    programs.expect("first", "first", 0, "same output; kernels: 0 better, 0 worse, 1 the same")
    programs.expect("first", "second", 0, "\ngone ", "\nnew ", "same output; kernels: 0 better, 0 worse, 0 the same")
    programs.expect("first", "aborts", 1, "DIFFERENT OUTPUT: the exit code was 0 and is 134")
    programs.expect("aborts", "first", 1, "DIFFERENT OUTPUT: the exit code was 134 and is 0")
    programs.expect("aborts", "aborts", 0, "both programs end with 134", "same output; kernels: 0 better, 0 worse, 1 the same")
    programs.expect("first", "time", 1, "DIFFERENT OUTPUT: ")
    programs.expect("time", "first", 1, "NOT COMPARABLE: ", "time differs from run to run: line 2 was 'time: ")
    programs.expect("time", "time", 1, "NOT COMPARABLE: ")
    programs.expect("time", "time", 0, "same output", options=["--ignore", "^time: "])
    programs.expect("first", "nothing", 1, "luthier: error: ", "nothing has run no kernel (exit code 0)")


def printed(programs):
    """Nothing to compare is told."""
    told = "the programs print nothing, so only their exit codes were compared"
    programs.expect("quiet", "quiet", 0, told)
    result = programs.judge("first", "first")
    result.expect(told not in result.stdout, "the programs print something")


def compared(programs):
    """Files that builds write are compared; what no build writes is told, and not lost."""
    written, mistaken = f"{programs.directory}/written", f"{programs.directory}/mistaken"
    programs.expect("writes-1", "writes-1", 0, "same output", options=["--compare", written])
    programs.expect("writes-1", "writes-2", 1, f"DIFFERENT OUTPUT: {written} differs from byte 0 on",
                    options=["--compare", written])
    programs.expect("writes-1", "first", 1, f"DIFFERENT OUTPUT: only the program before writes {written}",
                    options=["--compare", written])
    with open(mistaken, "w") as file:
        file.write("what users need")
    programs.expect("first", "first", 1, f"luthier: error: --compare {mistaken}: neither build has written such a file",
                    options=["--compare", mistaken])
    with open(mistaken) as file:
        if file.read() != "what users need":
            raise Failure("a file that no build has written is another")


def dropped(programs):
    """A profile is changed only if the output is the same, and only if it is one."""
    profile = f"{programs.directory}/app.profdata"
    with open(profile, "w") as file:
        file.write("no profile")
    drop = ["--drop-worse", profile]
    programs.expect("slow", "aborts", 1, "DIFFERENT OUTPUT", options=drop)
    programs.expect("first", "slow", 1, "worse", "luthier: error: malformed-profile: ", options=drop)
    programs.expect("first", "slow", 1, "luthier: error: failure: cannot read ", options=["--drop-worse", f"{profile}.none"])
    with open(profile) as file:
        if file.read() != "no profile":
            raise Failure("what is no profile was changed")


def shown(programs, source):
    copy = f"{programs.directory}/gone.hip"
    shutil.copy(source, copy)
    program = programs.builds.compile("lines", programs.builds.flags("collect", "--route", "lines"), source=copy)
    os.remove(copy)
    result = programs.builds.show("--kernel", "first", "--no-branches", "--no-loads", "--", program, "slow")
    result.expect(result.code == 0, "luthier pgo show fails")
    text = f"  {copy}: cannot be read, so its lines are not shown\n"
    result.expect(text in result.stdout, f"'{text}' is not said")
    result = programs.builds.show("--no-branches", "--no-loads", "--no-source", "--", program, "fails")
    result.expect(result.code == 7, "the program's end is not passed on")
    result.expect_in_stderr("luthier pgo: the program ended with 7 under luthier run --counts ")
    result.expect(result.stdout.startswith("first, gfx90a\n"), "what the program executed is not shown")


def test(arguments, directory):
    programs = Programs(arguments, directory)
    judged(programs)
    printed(programs)
    compared(programs)
    dropped(programs)
    shown(programs, arguments.source)


if __name__ == "__main__":
    harness.main(ARGUMENTS, test)
