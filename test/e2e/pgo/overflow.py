#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No count of a wave is wrong without a message, however often it goes round a loop.
The tool block-count is compiled here with counters in which parts of a loop have room
for 256 executions instead of 2^29: up to there, they are the emulated GPU's. Beyond,
the kernel's counts are left out, and `luthier pgo collect` says so. Loops of one part,
and those that are not entered by a head, have wider counters, and are always counted."""

import os
import shutil

from builds import ARGUMENTS, Builds, Failure, harness
from instructions import counts
from three_ways import samples

LIMIT = 256
MESSAGE = ("partial-profile: counts of branchyTurns are missing, for they do not fit into counters (counter-overflow): a wave "
           f"has executed a block of a loop {LIMIT} times or more")


def with_tool(luthier, tool, prefix):
    """Luthier as it would be installed with another block-count."""
    build = os.path.dirname(os.path.dirname(luthier))
    for folder in ("bin", "lib/luthier/tools"):
        os.makedirs(f"{prefix}/{folder}")
    shutil.copy(luthier, f"{prefix}/bin")
    shutil.copytree(f"{build}/libexec", f"{prefix}/libexec")
    for folder, left_out in (("lib", "luthier"), ("lib/luthier", "tools")):
        for name in os.listdir(f"{build}/{folder}"):
            if name != left_out:
                os.symlink(f"{build}/{folder}/{name}", f"{prefix}/{folder}/{name}")
    os.symlink(tool, f"{prefix}/lib/luthier/tools/libblock-count.so")
    return f"{prefix}/bin/luthier"


def expect_counts(luthier, device, directory, program, overflown):
    """Those of the emulated GPU, but for kernels that are overflown."""
    run = [luthier, "run", "--device", f"emulated:{device}"]
    for options in (["--tool", "block-count", "--output", directory], ["--counts", f"{directory}/emulator.json"]):
        result = harness.run([*run, *options, "--", *program])
        result.expect(result.code == 0, "the program fails")
    tool, emulator = counts(f"{directory}/block-count.json"), counts(f"{directory}/emulator.json")
    named = {(kernel["name"], kernel["code"]) for kernel in harness.read_json(f"{directory}/block-count.json")["overflown"]}
    if {name for name, _ in named} != overflown:
        raise Failure(f"{program}: overflown are {named}, {overflown} expected")
    if tool != {kernel: executed for kernel, executed in emulator.items() if kernel not in named}:
        raise Failure(f"{program}: the tool counts {tool}, the emulator {emulator}")


def test(arguments, directory):
    builds = Builds(arguments, directory)
    turns = builds.compile("turns", builds.flags("collect", "--route", "probes"))
    luthier = with_tool(arguments.luthier, arguments.tool, f"{directory}/few")
    for short, long, overflown in ((100, LIMIT - 2, set()), (20000, 3, set()), (20000, LIMIT + 10, {"branchyTurns"})):
        expect_counts(luthier, arguments.device, directory, [turns, str(short), str(long)], overflown)

    path, partial = f"{directory}/app.prof", f"{directory}/app.partial.prof"
    command = [luthier, "pgo", "collect", "--device", f"emulated:{arguments.device}", "--text", "-o", path, "--count-by", "hooks"]
    result = harness.run([*command, "--", turns, "20000", "300"])
    result.expect(result.code == 1 and not os.path.exists(path), "a profile without all counts is called whole")
    result.expect_in_stderr(MESSAGE)
    with open(partial) as file:
        functions = set(samples(file.read())[0])
    result.expect({"shortTurns", "oddTurns"} <= functions and "branchyTurns" not in functions,
                  f"not the profile of the kernel whose counts are right: {functions}")
    result = harness.run([*command, "--", turns, "20000", "100"])
    result.expect(result.code == 0 and os.path.exists(path), "counts that fit make no profile")


if __name__ == "__main__":
    harness.main([*ARGUMENTS, (["--tool"], {"required": True, "help": "block-count with fewer bits"})], test)
