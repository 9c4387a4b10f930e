#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tools that are made of luthier/Counters.h: what they count of each kind and of each
instruction adds up to what the emulator executed."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

KINDS = ("scalar", "vector", "memory", "branches")


def test(arguments, directory):
    path = f"{directory}/executed.json"
    plain = harness.run_on_emulator(arguments.program, arguments.emulator, "gfx90a", path)
    plain.expect(plain.code == 0, "the program fails without luthier")
    executed = harness.kernel_counts(path)
    tools = [f"{arguments.kinds}:runtime-kernels", f"{arguments.places}:most=3"]
    result = harness.run(
        [arguments.luthier, "run", "--device", "emulated", "--output", directory,
         *[text for tool in tools for text in ("--tool", tool)], "--", *arguments.program])
    result.expect(result.code == 0 and result.digest_line() == plain.digest_line(), "the program fails")
    result.expect("without the hooks" not in result.stderr, "a tool is left out")

    kinds = {row["name"]: row for row in harness.read_json(f"{directory}/kind-count.json")["kernels"]}
    places = {}
    for place in harness.read_json(f"{directory}/hot-spots.json")["places"]:
        places[place["kernel"]] = places.get(place["kernel"], 0) + place["count"]
        result.expect(place["instruction"], f"no name at {place['address']}")
    result.expect(kinds.keys() == executed.keys() == places.keys(), "other kernels")
    for name, row in executed.items():
        of_kinds = sum(kinds[name][kind] for kind in KINDS)
        result.expect(kinds[name]["dispatches"] == row["dispatches"], f"{name}: other launches")
        result.expect(of_kinds == places[name], f"{name}: {of_kinds} by kinds, {places[name]} by places")
        wanted = row["wave_instructions"]
        result.expect(of_kinds == wanted, f"{name}: counted {of_kinds}, executed {wanted}")


harness.main(
    [
        (["--kinds"], {"help": "library of kind-count"}),
        (["--places"], {"help": "library of hot-spots"}),
        (["program"], {"nargs": "+"}),
    ],
    test,
)
