#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/demo-pgo.sh shows what it says: a gain, a loss by the wrong input, and
that the kernel that lost is dropped."""

import re

import builds  # noqa: F401 (the path of harness)
import harness


def test(arguments, directory):
    result = harness.run([arguments.demo, arguments.build])
    result.expect(result.code == 0, "the demo fails")
    first, second = result.stdout.split("== 2/2")
    gain = re.search(r"^better .*biased", first, re.M)
    result.expect(gain and float(gain[0].split()[6]) < -30, "there is no gain")
    result.expect(re.search(r"^worse .*biased", second, re.M), "there is no loss")
    result.expect("\ndropped from biased.prof: biased(" in second, "the loser is not dropped")
    result.expect(re.search(r"^same .*biased", second, re.M), "the next build is not as before")
    result.expect_in_stderr("biased is compiled with biased.prof")
    result.expect_in_stderr("biased is compiled without a profile, which brings nothing here")


if __name__ == "__main__":
    harness.main([(["--demo"], {"required": True}), (["build"], {})], test)
