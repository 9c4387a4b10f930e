# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts of the same blocks in three ways: LLVM's own counters in a build that
counts, the emulated GPU's counts of the release, and the engine's.

clang's IR with its counters and the numbers of probes says which probe stands
beside each counter. Both numberings are clang's own: a checksum says whether the
probes of a release are the same. Which of them are left in its code, clang's
assembly says: each of those has to be counted."""

import collections
import pathlib
import re
import subprocess

from builds import Failure, harness


# Of programs at a level, functions of which counts are known to differ, how many, and why.
MOVED = "the compiler takes a condition out of a loop, and the probes of its blocks with it"
KNOWN = {
    ("transpose", "-O3", "_Z9transposePKjPjjj"): (2, MOVED),
}
# Programs that are wrong in waves of 64 lanes on targets that have waves of 32, too: HIP's shuffles do not cross the halves.
HALVED = {"reduction"}


def samples(text):
    """Of each function in a text profile of samples, its executions by probe, in
    whatever it is inlined into, and the checksums of its control flow."""
    counts = collections.defaultdict(collections.Counter)
    checksums = collections.defaultdict(set)
    names = {}  # By depth.
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip())
        if match := re.match(r"(?:\s*\d+: )?([\w.$]+):\d+(?::\d+)?$", line):
            names[depth] = match[1]
        elif match := re.match(r"\s+(\d+): (\d+)", line):
            counts[names[depth - 1]][int(match[1])] += int(match[2])
        elif match := re.match(r"\s+!CFGChecksum: (\d+)$", line):
            checksums[names[depth - 1]].add(int(match[1]))
    return counts, checksums


def counters(profdata, profile):
    """Of each function, LLVM's, in their order."""
    text = subprocess.run(
        [profdata, "show", "--all-functions", "--counts", profile], capture_output=True, text=True, check=True
    ).stdout
    counts, name = collections.defaultdict(list), None
    for line in text.splitlines():
        if match := re.match(r"  (\S+):$", line):
            name = re.split("[;:]", match[1])[-1]  # Behind the file of a static function.
        elif match := re.match(r"    (?:Function count: (\d+)|Block counts: \[(.*)\])", line):
            counts[name] += [int(n) for n in (match[1] or match[2]).split(", ") if n]
    return counts


class Block:
    def __init__(self, name):
        self.name, self.probe, self.counters = name, None, []


def blocks_of(ir):
    """Of each function in clang's IR, its blocks; and the checksums of their probes, and names by which probes refer to it."""
    functions, checksums, names = {}, {}, {}
    for line in ir.splitlines():
        if match := re.match(r'define .*?@"?([\w.$]+)"?\(', line):
            blocks = functions[match[1]] = [Block("entry")]
        elif (match := re.match(r"([\w.]*?)\d*:", line)) and match[1] != "entry":
            blocks.append(Block(match[1]))
        elif match := re.search(r"@llvm\.pseudoprobe\(i64 -?\d+, i64 (\d+), i32 0,", line):
            blocks[-1].probe = int(match[1])
        elif match := re.search(r"@llvm\.instrprof\.increment\(.*, i32 (\d+)\)", line):
            blocks[-1].counters.append(int(match[1]))
        elif match := re.match(r'!\d+ = !\{i64 (-?\d+), i64 (-?\d+), !"(.+)"\}$', line):
            checksums[match[3]] = int(match[2]) % 2**64
            names[int(match[1]) % 2**64] = match[3]
    return functions, checksums, names


def probes_of(assembly, names):
    """Of each function that has code of its own, the probes of blocks in it, by the function that they belong to."""
    probes = collections.defaultdict(lambda: collections.defaultdict(set))
    for function, probe, within in re.findall(r"^\t\.pseudoprobe\t(\d+) (\d+) 0 .*?(\S+)$", assembly, re.M):
        probes[within][names[int(function)]].add(int(probe))
    return probes


def places(counting, plain):
    """Of each function in clang's IR with and without counters, the probe in the
    block of each counter: none of those for which the front end has made a block,
    for the case that the right side of && or || is true."""
    result, plain = {}, blocks_of(plain)[0]
    for name, blocks in blocks_of(counting)[0].items():
        if not any(b.counters for b in blocks):
            continue
        shared = [b for b in blocks if not b.name.endswith("rhscnt")]
        if [b.name for b in shared] != [b.name for b in plain.get(name, [])]:
            raise Failure(f"{name}: clang's blocks with and without counters are not alike")
        result[name] = {counter: None for b in blocks for counter in b.counters}
        result[name].update((counter, p.probe) for b, p in zip(shared, plain[name]) for counter in b.counters)
    return result


class Comparison:
    """Of the blocks of a program at one level of optimisation."""

    def __init__(self):
        self.functions = set()
        self.counters = 0
        self.edges = 0  # Counters of what is no block without counters.
        self.compared = self.equal = 0  # Blocks with code of their own in what the release executes.
        self.differences = []  # Function, and what each counts.

    def add(self, name, counts, probe_of, present, emulator, engine):
        """`present` are the probes that have to be counted, and no others."""
        self.functions.add(name)
        self.counters += len(counts)
        for counter, count in enumerate(counts):
            probe = probe_of[counter]
            self.edges += probe is None
            if probe is None or not any(probe in way for way in (present, emulator, engine)):
                continue
            self.compared += 1
            if probe in present and count == emulator.get(probe) == engine.get(probe):
                self.equal += 1
            else:
                self.differences.append((name, f"LLVM's counter {counter} has {count}, probe {probe}, "
                                               f"{'of' if probe in present else 'not of'} the code, by the emulator "
                                               f"{emulator.get(probe)}, by the engine {engine.get(probe)}"))


class ThreeWays:
    """`builds` of a program; programs of LLVM's."""

    def __init__(self, builds, profdata, opt):
        self.builds, self.profdata, self.opt = builds, profdata, opt

    def ir(self, level, flags):
        """Before any pass but the one that numbers the probes."""
        code = self.builds.compile(f"code{level}", [*flags, "--offload-device-only", "-c", "-emit-llvm",
                                                    "-fno-discard-value-names", "-Xclang", "-disable-llvm-passes"], level)
        process = subprocess.run([self.opt, "-passes=pseudo-probe", "-S", code, "-o", "-"], capture_output=True, text=True)
        if process.returncode:
            raise Failure(f"{self.opt}: {process.stderr}")
        return process.stdout

    def assembly(self, level, flags):
        """Of the release."""
        path = self.builds.compile(f"assembly{level}", [*flags, "--offload-device-only", "-S"], level)
        with open(path) as file:
            return file.read()

    def sampled(self, level, way, release):
        path = self.builds.profile(f"{way}{level}", release, "--weights", "lanes", "--text", "--count-by", way)
        with open(path) as file:
            return samples(file.read())

    def compare(self, level):
        unique = "-Xarch_device -funique-internal-linkage-names".split()
        counting = [*self.builds.flags("collect"), *unique]
        probes = self.builds.flags("collect", "--route", "probes")
        release = self.builds.compile(f"release{level}", probes, level)
        emulator, checksums = self.sampled(level, "emulator", release)
        engine = self.sampled(level, "hooks", release)[0]
        program = self.builds.compile(f"counting{level}", counting, level)
        counts = counters(self.profdata, self.builds.profile(f"counters{level}", program))
        plain = self.ir(level, unique)
        _, known, names = blocks_of(plain)
        present = collections.defaultdict(set)
        for within, functions in probes_of(self.assembly(level, probes), names).items():
            if any(counts.get(within, [])[:1]):  # It was called.
                for name, numbers in functions.items():
                    present[name] |= numbers
        result = Comparison()
        for name, probe_of in places(self.ir(level, counting), plain).items():
            if name not in emulator and not present[name]:
                continue
            if name not in counts:
                raise Failure(f"{level}: {name}: has no counters of LLVM's")
            if name in checksums and checksums[name] != {known[name]}:
                raise Failure(f"{level}: {name}: probes of the release are not those of clang's IR")
            result.add(name, counts[name], probe_of, present[name], emulator.get(name, {}), engine.get(name, {}))
        if not result.compared:
            raise Failure(f"{level}: no block was compared")
        return result


def expect_known(source, level, comparison):
    program = pathlib.Path(source).stem
    known = {name: number for (which, at, name), (number, _) in KNOWN.items() if (which, at) == (program, level)}
    found = collections.Counter(name for name, _ in comparison.differences)
    if found != known:
        raise Failure(f"{program} {level}: other functions differ than {known}: {comparison.differences}")
