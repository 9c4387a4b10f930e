#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Three ways to count the blocks of one program agree: LLVM's own counters in a
build that counts, the emulated GPU's counts of the release, and the engine's.

Probes are those of the release at the same level. LLVM's counters belong to
regions of the source, probes to blocks of IR, so not each has a partner; but
every counter of a kernel has to be the number of some probe of it, or, for a
region without code of its own such as an early return, the difference of two."""

import re
import subprocess

from builds import ARGUMENTS, Builds, Failure, harness


def numbers(text):
    """Of each function in a text profile of samples, with what is inlined."""
    counts, name = {}, None
    for line in text.splitlines():
        if match := re.match(r"(\S+?):\d+:\d+$", line):
            name = match[1]
            counts[name] = set()
        elif match := re.match(r"\s+[\d.]+: (\d+)$", line):
            counts[name].add(int(match[1]))
    return counts


def counters(profdata, profile):
    """Of each function, LLVM's."""
    text = subprocess.run(
        [profdata, "show", "--all-functions", "--counts", profile], capture_output=True, text=True, check=True
    ).stdout
    counts, name = {}, None
    for line in text.splitlines():
        if match := re.match(r"  (\S+):$", line):
            name = match[1].rsplit(";", 1)[-1]
        elif match := re.match(r"    (?:Function count: (\d+)|Block counts: \[(.*)\])", line):
            found = match[1] or match[2]
            counts.setdefault(name, set()).update(int(n) for n in found.split(", ") if n)
    return counts


def test(arguments, directory):
    builds = Builds(arguments, directory)
    for level in ("-O1", "-O3"):
        marks = builds.flags("collect", "--route", "probes")
        release = builds.compile(f"release{level}", marks, level)
        profile = {}
        for way in ("emulator", "hooks"):
            path = builds.profile(f"{way}{level}", release, "--weights", "lanes", "--text", "--count-by", way)
            with open(path) as file:
                profile[way] = file.read()
        if profile["emulator"] != profile["hooks"]:
            raise Failure(f"{level}: the engine counts\n{profile['hooks']}\nand the emulator\n{profile['emulator']}")
        counting = builds.compile(f"counting{level}", builds.flags("collect"), level)
        raw = f"{directory}/counters{level}"
        device = ["--device", f"emulated:{arguments.device}"]
        result = harness.run([arguments.luthier, "pgo", "collect", *device, "-o", raw, "--", counting])
        result.expect(result.code == 0, "luthier pgo collect fails")
        probes = numbers(profile["emulator"])
        compared = 0
        for name, counts in counters(arguments.profdata, raw).items():
            if name not in probes:
                continue
            compared += 1
            without_code = {a - b for a in probes[name] for b in probes[name]}
            if missing := counts - probes[name] - without_code:
                raise Failure(f"{level}: {name}: LLVM counts {missing}, and probes {probes[name]}")
        if not compared:
            raise Failure(f"{level}: no kernel was compared")


if __name__ == "__main__":
    harness.main([*ARGUMENTS, (["--profdata"], {"required": True, "help": "llvm-profdata"})], test)
