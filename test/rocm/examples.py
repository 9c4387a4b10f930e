#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on another version of ROCm: plain, counted (exactly what the emulator
counts), with everything free overwritten, and verified in lockstep in strict mode; the
same results each time. With --no-digest they check themselves, and print "passed" and
the same lines each time, in any order. Before them rocminfo, which has to name the
device. Appends a line for docs/rocm.md's table to --record, also where something fails."""

import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "e2e"))
import harness


class Runs:
    def __init__(self, arguments, directory):
        self.arguments = arguments
        self.directory = directory

    def luthier(self, command, tool, program, statistics=None, options=()):
        options = ["--tool", tool, "--device", f"emulated:{self.arguments.device}", "--output", self.directory, *options]
        if statistics:
            options += ["--stats", statistics]
        return harness.run([self.arguments.luthier, command] + options + ["--"] + program)

    def results(self, result):
        """In which runs have to agree."""
        if not self.arguments.no_digest:
            return result.digest_line()
        result.expect(re.search("^passed$", result.stdout, re.M), 'the program does not print "passed"')
        return "\n".join(sorted(result.stdout.splitlines()))

    def steady(self, counts):
        """Of kernels that wait for the host, which takes its time, nothing but how often they ran."""
        for name, kernel in counts.items():
            if self.arguments.waiting and re.search(self.arguments.waiting, name):
                if not all(kernel[field] for field in harness.FIELDS):
                    raise harness.Failure(f"{name} has executed nothing")
                kernel.update({field: 0 for field in harness.FIELDS if field != "dispatches"})
        return counts

    def plain(self, program, name="executed"):
        path = f"{self.directory}/{name}.%p.json"
        result = harness.run_on_emulator(program, self.arguments.emulator, self.arguments.device, path)
        result.expect(result.code == 0, "the program fails without luthier")
        self.expect_said(result)
        counts = harness.kernel_counts(path.replace("%p", "*"))
        result.expect(any(c["wave_instructions"] for c in counts.values()), "no kernel was executed")
        return self.results(result), counts

    def counted(self, program, digest, executed):
        result = self.luthier("run", "instr-count", program)
        self.expect_same(result, digest)
        counts = harness.kernel_counts(f"{self.directory}/instr-count*.json")
        harness.expect_same_counts(self.steady(counts), self.steady(executed))

    def scrambled(self, program, digest):
        path = f"{self.directory}/scrambled.%p.json"
        result = self.luthier("run", "scramble", program, path)
        self.expect_same(result, digest)
        result.expect("unchanged" not in result.stderr, "a kernel was not scrambled")

    def verified(self, program, digest):
        result = self.luthier("verify", "instr-count", program, options=["--strict"])
        self.expect_same(result, digest)
        result.expect_in_stderr("luthier verify: no difference: ")

    def instrumented_in_file(self, program, digest, executed):
        """For the GPU's processor: HIP takes that code, and not the generic code beside it."""
        path = f"{self.directory}/instrumented"
        made = harness.run([self.arguments.luthier, "instrument", program, "--tool", "instr-count", "--target",
                            self.arguments.device, "-o", path])
        made.expect(made.code == 0, "the file is not instrumented")
        found, counts = self.plain([path], "instrumented")
        made.expect(found == digest, "the instrumented program computes something else")
        for name, kernel in executed.items():
            made.expect(counts[name]["wave_instructions"] > kernel["wave_instructions"], f"{name} runs without hooks")

    def expect_said(self, result):
        for text in self.arguments.says:
            result.expect(text in result.stdout, f'the program does not print "{text}"')

    def expect_same(self, result, digest):
        result.expect(result.code == 0, "the program fails under luthier")
        result.expect(self.results(result) == digest, f"results differ; without luthier:\n{digest}")
        self.expect_said(result)


def run_all(arguments, directory):
    """The wave instructions of the plain runs."""
    info = harness.run([arguments.luthier, "run", "--device", f"emulated:{arguments.device}", "--", "rocminfo"])
    info.expect(info.code == 0, "rocminfo fails")
    for device in arguments.device.split(","):
        info.expect(f"Luthier emulated {device}" in info.stdout, f"rocminfo does not name {device}")
    instructions = 0
    for words in arguments.program:
        name, *options = words.split()
        program = [os.path.abspath(name), *options]
        runs = Runs(arguments, os.path.join(directory, words.replace(" ", "_")))
        os.mkdir(runs.directory)
        digest, executed = runs.plain(program)
        instructions += sum(counts["wave_instructions"] for counts in executed.values())
        runs.counted(program, digest, executed)
        runs.scrambled(program, digest)
        runs.verified(program, digest)
        if arguments.in_file:
            runs.instrumented_in_file(program[0], digest, executed)
    return instructions


def commit():
    words = ["git", "-C", os.path.dirname(os.path.abspath(__file__)), "describe", "--always", "--dirty"]
    return subprocess.run(words, capture_output=True, text=True).stdout.strip() or "unknown"


def record(arguments, line):
    if arguments.record:
        with open(arguments.record, "a") as file:
            file.write(json.dumps(line) + "\n")


def test(arguments, directory):
    line = {"rocm": arguments.rocm, "device": arguments.device, "commit": commit(), "programs": len(arguments.program)}
    try:
        line["wave_instructions"] = run_all(arguments, directory)
    except harness.Failure as failure:
        line["failure"] = str(failure).splitlines()[0]
        record(arguments, line)
        raise
    record(arguments, line)


harness.main(
    [
        (["--rocm"], {"required": True, "help": "the version, for the record"}),
        (["--device"], {"default": "gfx90a", "help": "what is emulated; several with commas"}),
        (["--in-file"], {"action": "store_true", "help": "the programs' files are instrumented, too"}),
        (["--says"], {"action": "append", "default": [], "help": "what every run has to print"}),
        (["--no-digest"], {"action": "store_true", "help": "the programs check themselves"}),
        (["--waiting"], {"help": "pattern for kernels that wait for the host"}),
        (["--record"], {"help": "file for a line of JSON"}),
        (["program"], {"nargs": "+", "help": "each with its arguments"}),
    ],
    test,
)
