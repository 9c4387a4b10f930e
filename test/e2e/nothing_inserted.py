#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in which a tool inserts nothing, or hooks that compile to nothing, are dispatched as they are; and the tool
is called as ever."""

import re

import harness


def counts(path):
    return {
        kernel["name"]: {field: kernel[field] for field in (*harness.FIELDS, "cycles")}
        for kernel in harness.read_json(path)["kernels"]
    }


def run(arguments, directory, name, *options, **variables):
    path = f"{directory}/{name}.json"
    result = harness.run(
        [arguments.luthier, "run", "--device", "emulated", "--stats", path, "--output", f"{directory}/{name}", *options,
         "--", *arguments.program],
        variables)
    result.expect(result.code == 0, f"the program fails: {name}")
    return result, counts(path)


def test(arguments, directory):
    _, plain = run(arguments, directory, "plain")
    kernels = {name for name in plain if not name.startswith("rocr.")}
    if not kernels:
        raise harness.Failure("the program runs no kernels")
    for hook in ("none", "empty"):
        result, seen = run(arguments, directory, hook, "--tool", arguments.tool, LUTHIER_COST_HOOK=hook,
                           LUTHIER_LOG="debug")
        # What HIP and ROCr load, they copy with kernels; with nothing to insert Luthier loads nothing of its own.
        result.expect(seen == plain, f"{hook}: {seen} instead of {plain}")
        left = set(re.findall(r"kernel (\S+) stays as it is", result.stderr))
        result.expect(left == kernels, f"{hook}: {left} stay as they are")
        result.expect("instrumented " not in result.stderr, f"{hook}: something was instrumented")
        told = {row["name"] for row in harness.read_json(f"{directory}/{hook}/cost-hooks.json")["kernels"]}
        result.expect(kernels <= told, f"{hook}: the tool was called for {told} alone")
    # The check can fail: a hook that does something shows in the counts.
    result, seen = run(arguments, directory, "store", "--tool", arguments.tool, LUTHIER_COST_HOOK="store")
    for name in kernels:
        result.expect(seen[name]["wave_instructions"] > plain[name]["wave_instructions"], f"{name} runs without hooks")


harness.main([(["--tool"], {"required": True}), (["program"], {"nargs": "+"})], test)
