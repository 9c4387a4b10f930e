#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache of compiled hooks by many processes at once, damaged, in the wrong place and in none: programs compute and
tools count the same, and nothing is compiled that need not be."""

import concurrent.futures
import glob
import os
import stat

import harness


class Runner:
    def __init__(self, arguments, directory):
        self.arguments, self.directory, self.runs = arguments, directory, 0
        self.expected = None

    def run(self, *options, cache="cache", **variables):
        """How many payloads were compiled; what Luthier said is left in `self.said`."""
        self.runs += 1
        return self.run_as(self.runs, *options, cache=cache, **variables)[0]

    def run_as(self, number, *options, cache="cache", **variables):
        folder = f"{self.directory}/run{number}"
        os.mkdir(folder)
        command = [self.arguments.luthier, "run", "--device", "emulated", "--tool", "instr-count", "--output", folder,
                   *options, "--", *self.arguments.program]
        result = harness.run(command, {"XDG_CACHE_HOME": f"{self.directory}/{cache}", "LUTHIER_CACHE_SIZE": "100",
                                       "LUTHIER_TIMINGS": f"{folder}/timings", **variables})
        result.expect(result.code == 0, "the program fails")
        seen = (result.digest_line(), harness.read_json(f"{folder}/instr-count.json"))
        self.expected = self.expected or seen
        result.expect(seen == self.expected, "other results")
        self.said = [line for line in result.stderr.splitlines() if "cache of compiled hooks" in line]
        compiled = sum(kernel["payloads_compiled"] for kernel in harness.read_json_lines(f"{folder}/timings"))
        return compiled, result

    def files(self, cache="cache"):
        return glob.glob(f"{self.directory}/{cache}/luthier/code/*")


def expect(condition, message):
    if not condition:
        raise harness.Failure(message)


def many_at_once(runner):
    def start(number):
        return runner.run_as(f"-at-once-{number}", cache="shared")[0]

    for name in ("empty", "full"):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            compiled = list(pool.map(start, [f"{name}-{n}" for n in range(8)]))
        expect(name == "empty" or not any(compiled), f"compiled with a full cache: {compiled}")
    expect(all(not os.path.basename(file).startswith(".") for file in runner.files("shared")), "something is unfinished")


def test(arguments, directory):
    runner = Runner(arguments, directory)
    every = runner.run("--no-cache")
    expect(every, "nothing is compiled without a cache")
    expect(not os.path.exists(f"{directory}/cache"), "--no-cache leaves something behind")
    expect(runner.run(LUTHIER_CACHE_SIZE="0") == every and not os.path.exists(f"{directory}/cache"), "0 MiB are some")

    expect(runner.run() == every, "an empty cache has something")
    expect(runner.run() == 0, "a full one lacks something")
    expect(runner.run("--no-cache") == every, "--no-cache uses the cache")

    for damage in (lambda data: data[:-1], lambda data: data[:100] + bytes([data[100] ^ 4]) + data[101:],
                   lambda data: b""):
        for file in runner.files():
            with open(file, "rb") as source:
                data = source.read()
            with open(file, "wb") as target:
                target.write(damage(data))
        expect(runner.run() == every, "damaged entries are used")
        expect(runner.run() == 0, "damaged entries are not replaced")

    for file in runner.files():
        os.chmod(file, 0o660)
    expect(runner.run() == every and len(runner.said) == 1, f"entries that others may write: {runner.said}")
    expect(runner.run() == 0 and not runner.said, "they are not replaced")
    folder = f"{directory}/cache/luthier/code"
    os.chmod(folder, 0o770)
    expect(runner.run() == every and len(runner.said) == 1, f"a folder that others may write: {runner.said}")
    os.chmod(folder, 0o700)
    expect(runner.run() == 0, "the folder is its user's alone again")

    expect(runner.run(LUTHIER_CACHE_SIZE="some") == 0, "a size that is none turns the cache off")
    for place in ({"XDG_CACHE_HOME": "", "HOME": ""}, {"XDG_CACHE_HOME": "/proc/none"},
                  {"XDG_CACHE_HOME": "/dev/null"}):
        expect(runner.run(**place) == every and not runner.said, f"{place}: {runner.said}")

    cleared = harness.run([arguments.luthier, "cache", "clear"], {"XDG_CACHE_HOME": f"{directory}/cache"})
    cleared.expect(cleared.code == 0 and not runner.files(), "the cache is not clear")
    expect(runner.run() == every, "a cleared cache has something")
    for file in runner.files():
        expect(stat.S_IMODE(os.stat(file).st_mode) == 0o600, f"others have access to {file}")
    many_at_once(runner)


harness.main([(["program"], {"nargs": "+"})], test)
