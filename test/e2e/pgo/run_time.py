#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that a program compiles while it runs, by hipRTC, has a profile if the
program gives hipRTC the flags for it: exactly the waves of the launches. Without
them, collect names the kernel that has no marks."""

import re

from builds import ARGUMENTS, Builds, Failure, harness

# Without -Xarch_device, since hipRTC compiles for nothing else.
FLAGS = {
    "probes": ["-gline-tables-only", "-Xclang", "-fpseudo-probe-for-profiling"],
    "lines": ["-gline-tables-only", "-fdebug-info-for-profiling"],
}
# Two launches of 300 lanes in groups of one wave.
WAVES = 2 * 5


def test(arguments, directory):
    builds = Builds(arguments, directory)
    program = builds.compile("program", ["-pthread"], level="-O1")
    profile = f"{directory}/profile"
    for route, flags in FLAGS.items():
        command = [arguments.luthier, "pgo", "collect", "--route", route, "--text", "-o", profile, "--", program, *flags]
        result = harness.run(command)
        result.expect(result.code == 0 and " PASS" in result.stdout, f"{route}: luthier pgo collect fails")
        with open(profile) as file:
            text = file.read()
        counts = {name: {int(n) for n in re.findall(r"^ \d\S*: (\d+)$", body, re.M)}
                  for name, body in re.findall(r"^(times\d):.*\n((?: .*\n)+)", text, re.M)}
        if counts != {"times3": {WAVES}, "times4": {WAVES}}:
            raise Failure(f"{route}: not the profile of this program:\n{text}")
    result = harness.run([arguments.luthier, "pgo", "collect", "-o", f"{directory}/none", "--", program])
    result.expect(result.code != 0 and re.search(r"no-marks: the code of times[34]: ", result.stderr),
                  "a kernel without marks is not told")


if __name__ == "__main__":
    harness.main(ARGUMENTS, test)
