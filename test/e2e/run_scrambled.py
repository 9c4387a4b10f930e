#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs on the emulated GPU in strict mode, scrambled: what Luthier calls free
is overwritten everywhere, and nothing may change. Under the first seed original and
scrambled kernels also run in lockstep. Targets that ROCr does not know are run with the
replacement of the HIP runtime (test/hip-on-emulator). Prints how many kernels took
part, at how many places, and what they executed; `--results` keeps that for test/evidence.py."""

import json
import os
import re

import harness


class Counts:
    """By kernel: places that were scrambled, and wave instructions."""

    def __init__(self):
        self.points = {}
        self.executed = 0

    def kernels(self):
        return len(self.points)


class ThroughTheRuntime:
    def __init__(self, arguments, directory):
        self.arguments = arguments
        self.timings = f"{directory}/timings"
        self.statistics = f"{directory}/statistics.json"
        self.directory = directory

    def plain(self, command):
        # Those of the program before.
        harness.remove(self.timings)
        result = harness.run_on_emulator(command, self.arguments.emulator, self.arguments.device, self.statistics)
        return result, self.counts()

    def scrambled(self, command, seed, lockstep, stack=False):
        harness.remove(self.timings)
        result = harness.run(
            ["env", f"LUTHIER_SCRAMBLE_SEED={seed}", f"LUTHIER_SCRAMBLE_STACK={int(stack)}",
             f"LUTHIER_TIMINGS={self.timings}", self.arguments.luthier]
            + ["verify" if lockstep else "run", "--tool", self.arguments.tool]
            + ["--device", f"emulated:{self.arguments.device}", "--strict", "--stats", self.statistics]
            + ["--output", self.directory, "--"]
            + command
        )
        result.expect("unchanged" not in result.stderr, "a kernel was not scrambled")
        if lockstep:
            result.expect(re.search(r"no difference: \d+ kernel", result.stderr), "lockstep found something")
            result.expect("not compared" not in result.stderr, "lockstep left something out")
        return result, self.counts()

    def counts(self):
        counts = Counts()
        for kernel in harness.read_json(self.statistics)["kernels"]:
            if not kernel["name"].startswith("rocr."):
                counts.points[kernel["name"]] = 0
                counts.executed += kernel["wave_instructions"]
        for record in harness.read_json_lines(self.timings):
            counts.points[record["kernel"]] = record["points"]
        return counts


class OnTheReplacement:
    def __init__(self, arguments, directory):
        self.arguments = arguments
        self.statistics = f"{directory}/dispatches"

    def run(self, command, **settings):
        harness.remove(self.statistics)
        counts = Counts()
        result = harness.run(
            command,
            {
                "LD_LIBRARY_PATH": self.arguments.hip,
                "LUTHIER_EMULATED_GPU": self.arguments.device,
                "LUTHIER_HIP_WAVE_SIZE": self.arguments.wave_size,
                "LUTHIER_HIP_REPORT": self.statistics,
                **settings,
            },
        )
        for record in harness.read_json_lines(self.statistics):
            counts.points[record["kernel"]] = record["points"]
            counts.executed += record["wave_instructions"]
        return result, counts

    def plain(self, command):
        return self.run(command)

    def scrambled(self, command, seed, lockstep, stack=False):
        return self.run(command, LUTHIER_SCRAMBLE_SEED=str(seed), LUTHIER_EMULATOR_STRICT="1",
                        LUTHIER_SCRAMBLE_STACK=str(int(stack)), LUTHIER_HIP_LOCKSTEP=str(int(lockstep)))


def keep(arguments, record):
    if arguments.results:
        os.makedirs(os.path.dirname(arguments.results), exist_ok=True)
        with open(arguments.results, "a") as file:
            file.write(json.dumps(record) + "\n")


def run_scrambled(command, way, plain, original, **how):
    """The scrambled program, which must not notice."""
    result, scrambled = way.scrambled(command, **how)
    result.expect(result.code == 0, f"the program fails with {how}")
    result.expect(result.digest_line() == plain.digest_line(), f"results differ with {how}")
    result.expect(scrambled.points.keys() == original.points.keys(), "other kernels ran than unscrambled")
    result.expect(not original.kernels() or scrambled.executed > original.executed, "nothing was scrambled")
    result.expect(all(scrambled.points.values()), f"a kernel has no scrambled place: {scrambled.points}")
    return scrambled


def test_program(program, arguments, way):
    command = program.split()
    plain, original = way.plain(command)
    plain.expect(plain.code == 0, "the program fails unscrambled")
    has_kernels = original.kernels() > 0
    for seed in range(1, arguments.seeds + 1):
        scrambled = run_scrambled(command, way, plain, original, seed=seed, lockstep=seed == 1 and has_kernels)
        if seed == 1:
            first = scrambled
    stack_points = 0
    if arguments.stack:
        stack = run_scrambled(command, way, plain, original, seed=1, lockstep=has_kernels, stack=True)
        plain.expect(not has_kernels or stack.points != first.points, "the stack was not overwritten")
        stack_points = sum(stack.points.values())
    points = sum(scrambled.points.values())
    print(f"{program}: {original.kernels()} kernels, {points} places, {original.executed} wave instructions, "
          f"{scrambled.executed} scrambled", flush=True)
    keep(arguments, {
        "target": arguments.device + ("w64" if arguments.wave_size == "64" else ""),
        "group": arguments.group,
        "program": " ".join([os.path.basename(command[0]), *command[1:]]),
        "kernels": original.kernels(),
        "points": points,
        "stack_points": stack_points,
        "seeds": arguments.seeds,
        "executed": original.executed,
        "executed_scrambled": scrambled.executed,
        "way": "C API" if arguments.hip else "runtime",
    })


def test(arguments, directory):
    way = OnTheReplacement(arguments, directory) if arguments.hip else ThroughTheRuntime(arguments, directory)
    for program in arguments.programs:
        test_program(program, arguments, way)


if __name__ == "__main__":
    harness.main(
        [
            (["--device"], {"default": "gfx90a", "help": "the emulated GPU"}),
            (["--group"], {"default": "", "help": "what the programs are, in the table"}),
            (["--hip"], {"help": "directory of the HIP runtime to use instead of the distribution's"}),
            (["--results"], {"help": "append a line of JSON for each program"}),
            (["--seeds"], {"type": int, "default": 1, "help": "run under the seeds 1 to this"}),
            (["--stack"], {"action": "store_true", "help": "and once with garbage on the stack of hooks, too"}),
            (["--tool"], {"help": "the tool scramble; without --hip"}),
            (["--wave-size"], {"default": "", "help": "of RDNA programs that are not built for the usual one"}),
            (["programs"], {"nargs": "+", "help": "programs with their arguments"}),
        ],
        test,
    )
