#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a first launch would wait for is done while the program gets ready for it: in programs that make a queue, if their
tool inserts something at all and wants this process; once in each process, and from the cache the second time."""

import re

import harness


def prepared(arguments, directory, *options, tool=None, **variables):
    """What is said of one run."""
    variables = {"LUTHIER_LOG": "debug", "LUTHIER_CACHE_SIZE": "0", **variables}
    result = harness.run(
        [arguments.luthier, "run", "--device", "emulated:gfx90a", "--output", f"{directory}/out", "--tool",
         tool or arguments.tool, *options, "--", *arguments.program], variables)
    result.expect(result.code == 0, "the program fails")
    return result, re.findall(r"prepared the engine for (\S+) with hook (\w+)", result.stderr)


def prepared_at_last(arguments, directory, **variables):
    """What has not begun is left out where the launch is faster, on a machine that is busy."""
    for _ in range(5):
        result, seen = prepared(arguments, directory, **variables)
        if seen:
            break
    return result, seen


def test(arguments, directory):
    result, seen = prepared_at_last(arguments, directory)
    result.expect(0 < len(seen) <= 2 and seen[0][0] == "gfx90a", f"{seen} were prepared")
    result.expect(len(seen) < 2 or seen[1][0] == "gfx90a:xnack-", f"{seen} were prepared")
    result.expect("instrumented " in result.stderr, "nothing was instrumented")
    cache = {"LUTHIER_CACHE_SIZE": "100", "XDG_CACHE_HOME": f"{directory}/cache"}
    for _ in range(2):
        result, again = prepared_at_last(arguments, directory, **cache)
        result.expect(again[:1] == seen[:1], f"{again} with a cache, {seen} without")
    result, others = prepared(arguments, directory, "--process", "nobody")
    result.expect(not others, f"{others} for a process that no tool is to see")
    result, hookless = prepared(arguments, directory, tool=arguments.hookless)
    result.expect(not hookless, f"{hookless} for a tool without hooks")


harness.main([(["--tool"], {"required": True}), (["--hookless"], {"required": True}), (["program"], {"nargs": "+"})], test)
