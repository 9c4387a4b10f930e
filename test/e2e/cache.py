#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one process has compiled, the next one finds: it compiles no payload, and everything else is the same. Each
process has its variables elsewhere."""

import json
import os

import harness


def run(arguments, directory, name, **variables):
    """What the program printed, what was executed, what the tool wrote, and how payloads came about."""
    folder = f"{directory}/{name}"
    os.mkdir(folder)
    result = harness.run(
        [arguments.luthier, "run", "--device", arguments.device, "--tool", arguments.tool, "--stats",
         f"{folder}/stats-%p", "--output", folder, *arguments.option, "--", *arguments.program],
        {"XDG_CACHE_HOME": f"{directory}/cache", "LUTHIER_CACHE_SIZE": "100", "LUTHIER_TIMINGS": f"{folder}/timings",
         **variables})
    result.expect(result.code == 0, f"the program fails: {name}")
    kernels = harness.read_json_lines(f"{folder}/timings")
    result.expect(kernels, "no kernel was instrumented")
    files = [file for file in os.listdir(folder) if not file.startswith(("stats-", "timings"))]
    reports = sorted(json.dumps(harness.read_json(f"{folder}/{file}")) for file in files if file.endswith(".json"))
    result.expect(reports, "the tool wrote nothing")
    total = {count: sum(kernel[count] for kernel in kernels) for count in ("payloads_compiled", "payloads_found")}
    return (result.stdout, harness.kernel_counts(f"{folder}/stats-*"), reports), total


def test(arguments, directory):
    variables = dict(variable.split("=", 1) for variable in arguments.variable)
    cold, first = run(arguments, directory, "cold", **variables)
    warm, second = run(arguments, directory, "warm", **variables)
    if not first["payloads_compiled"]:
        raise harness.Failure(f"nothing is compiled in the first run: {first}")
    if second["payloads_compiled"] or second["payloads_found"] != sum(first.values()):
        raise harness.Failure(f"first {first}, then {second}")
    if cold != warm:
        raise harness.Failure(f"the second run differs:\n{cold}\n{warm}")


harness.main(
    [(["--device"], {"default": "emulated"}), (["--tool"], {"required": True}),
     (["--option"], {"action": "append", "default": [], "help": "of luthier run"}),
     (["--variable"], {"action": "append", "default": []}), (["program"], {"nargs": "+"})], test)
