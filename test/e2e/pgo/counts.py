#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Three ways to count the blocks of programs agree: LLVM's own counters in a build
that counts, the emulated GPU's counts of the release, and the engine's."""

import argparse
import pathlib

from builds import ARGUMENTS, Builds, harness
from three_ways import HALVED, ThreeWays, expect_known


def test(arguments, directory):
    for source in arguments.source:
        if arguments.halves and pathlib.Path(source).stem in HALVED:
            continue
        builds = Builds(argparse.Namespace(**{**vars(arguments), "source": source}), directory)
        ways = ThreeWays(builds, arguments.profdata, arguments.opt)
        for level in ("-O1", "-O3"):
            expect_known(source, level, ways.compare(level))


if __name__ == "__main__":
    harness.main([*ARGUMENTS[:-1], (["--profdata"], {"required": True, "help": "llvm-profdata"}),
                  (["--opt"], {"required": True, "help": "LLVM's opt"}),
                  (["--halves"], {"action": "store_true", "help": "waves of 64 lanes, where there are waves of 32, too"}),
                  (["source"], {"nargs": "+"})], test)
