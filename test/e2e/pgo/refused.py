#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel of a release that no hooks can be put into is missing in the profile that
`luthier pgo collect --count-by hooks` makes. It says which, and that the profile is
partial."""

import os

from builds import ARGUMENTS, Builds, harness
from three_ways import samples

MESSAGE = "partial-profile: counts of opaque are missing, for it runs without hooks: undecodable-instruction"


def test(arguments, directory):
    builds = Builds(arguments, directory)
    program = builds.compile("program", builds.flags("collect", "--route", "probes"))
    path, partial = f"{directory}/app.prof", f"{directory}/app.partial.prof"

    def collect(*options, program=(program,)):
        command = [arguments.luthier, "pgo", "collect", "--device", f"emulated:{arguments.device}", "--text", "-o", path]
        return harness.run([*command, *options, "--", *program])

    def functions(file):
        with open(file) as text:
            return {"counted", "opaque"} & set(samples(text.read())[0])

    result = collect()
    result.expect(result.code == 0 and functions(path) == {"counted", "opaque"}, "the emulator does not count both kernels")
    os.remove(path)

    result = collect("--count-by", "hooks")
    result.expect(result.code == 1, "a partial profile is a success")
    result.expect_in_stderr(MESSAGE)
    result.expect(not os.path.exists(path), "a partial profile has the name of a whole one")
    result.expect(functions(partial) == {"counted"}, "not the profile of the kernel that was counted")
    result = collect("--count-by", "hooks", "--accept-partial")
    result.expect(result.code == 0 and functions(path) == {"counted"}, "a partial profile is not accepted")
    result.expect_in_stderr(MESSAGE)
    os.remove(path)

    result = collect("--count-by", "hooks", program=(program, "only"))
    result.expect(result.code == 1 and not os.path.exists(path), "there is a profile of nothing")
    result.expect_in_stderr(f"luthier: error: {MESSAGE}")

    # Blocks are counted without hooks, calls are not.
    result = collect("--calls")
    result.expect(result.code == 1 and functions(partial) == {"counted", "opaque"}, "not the blocks of both kernels")
    result.expect_in_stderr(MESSAGE.replace("counts of", "calls through pointers of"))


if __name__ == "__main__":
    harness.main(ARGUMENTS, test)
