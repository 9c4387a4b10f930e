#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tool's code is loaded onto a device where a hook needs a variable that is not managed, and only there; also where
another process has compiled the hook."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness


def run(arguments, directory, hook, times, **variables):
    result = harness.run(
        [arguments.luthier, "run", "--device", "emulated", "--output", directory, "--tool", arguments.tool, "--",
         *arguments.program],
        {"LUTHIER_LOG": "debug", "LUTHIER_COST_HOOK": hook, **variables})
    result.digest_line()
    result.expect(result.code == 0, "the program fails")
    loaded = result.stderr.count("loaded the device code of")
    result.expect(loaded == times, f"{hook}: the tool's code was loaded {loaded} times, not {times}")
    result.expect(("instrumented " in result.stderr) == (hook in ("atomic", "store")), f"{hook}: what is inserted?")


def test(arguments, directory):
    for hook, times in (("none", 0), ("empty", 0), ("atomic", 0), ("store", 1)):
        run(arguments, directory, hook, times)
    log = f"{directory}/timings"
    cache = {"XDG_CACHE_HOME": f"{directory}/cache", "LUTHIER_CACHE_SIZE": "100", "LUTHIER_TIMINGS": log}
    for _ in range(2):
        run(arguments, directory, "store", 1, **cache)
    compiled = [kernel["payloads_compiled"] for kernel in harness.read_json_lines(log)]
    if not compiled[0] or compiled[-1]:
        raise harness.Failure(f"the second process is to find what the first has compiled: {compiled}")


harness.main(
    [(["--tool"], {"required": True, "help": "the library cost-hooks"}), (["program"], {"nargs": "+"})], test)
