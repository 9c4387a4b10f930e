#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program of several units that are linked for the GPU (-fgpu-rdc): functions
of one unit are inlined into kernels of another, and the profile says so. Functions
of the same name that each unit has for itself have counts of their own. Builds that
count have exactly the counts that follow from the input; of a unit that counts
alone, they are those of the probes. Profiles of each kind lead to a program that is
right, also without a word about units where Luthier sees the command. Lines of all
units are covered."""

import collections
import os
import re

from builds import ARGUMENTS, Builds, Failure, harness
from three_ways import Comparison, ThreeWays, blocks_of, counters, places, samples


def counted(builds, other, route):
    """Flags of the units, a release of theirs, and its profile."""
    units = ["-fgpu-rdc", other]
    release = builds.compile(f"release-{route}", [*units, *builds.flags("collect", "--route", route)])
    profile = builds.profile(f"profile-{route}", release, "--route", route, "--text")
    with open(profile) as file:
        text = file.read()
    # 16 waves, 9 rows each.
    inlined = "_Z7addRowsPjjj:" in text and ": _Z8weightOfj:" in text
    heads = sorted(int(n) for n in re.findall(r"^_ZL7boundedj\.__uniq\.\d+:\d+:(\d+)$", text, re.M))
    if not inlined or heads != [16, 144] or (route == "probes" and "\n  1: 144\n" not in text):
        raise Failure(f"{route}: not the profile of this program:\n{text}")
    return units, release, profile


def link(builds, name, objects, more=()):
    flags = list(builds.clang)
    at = flags.index("-x")
    del flags[at:at + 2]
    path = f"{builds.directory}/{name}"
    result = harness.run([*flags, *more, "-fgpu-rdc", "--hip-link", *objects, "-o", path, "-lamdhip64"])
    result.expect(result.code == 0, "the linker fails")
    return path


def compare_units(arguments, directory, release):
    """Each unit's counters with the probes of the release."""
    sources = [arguments.source, arguments.other]
    builds = Builds(arguments, directory)
    with open(builds.profile("lanes", release, "--weights", "lanes", "--text")) as file:
        executed, checksums = samples(file.read())
    rdc = ["-fgpu-rdc", *"-Xarch_device -funique-internal-linkage-names".split()]
    plain = [builds.compile(f"plain{n}.o", [*rdc, "-c"], source=source) for n, source in enumerate(sources)]
    for unit, source in enumerate(sources):
        arguments.source = source
        ways = ThreeWays(Builds(arguments, directory), arguments.profdata, arguments.opt)
        counting = [*builds.flags("collect"), *rdc]
        objects = list(plain)
        objects[unit] = builds.compile("counting.o", [*counting, "-c"], source=source)
        profile = builds.profile(f"unit{unit}", link(builds, f"counting{unit}", objects))
        counts, plain_ir, result = counters(arguments.profdata, profile), ways.ir("-O3", rdc), Comparison()
        for name, probe_of in places(ways.ir("-O3", counting), plain_ir).items():
            if name in counts and name in executed:
                if checksums[name] != {blocks_of(plain_ir)[1][name]}:
                    raise Failure(f"{name}: probes of the release are not those of clang's IR")
                result.add(name, counts[name], probe_of, *[executed[name]] * 3)
        if result.differences or len(result.functions) != 2:
            raise Failure(f"{source}: {sorted(result.functions)}: {result.differences}")
    arguments.source = sources[0]


def expected_counts():
    """Of each function, by its unit if it is static: how often it is executed, and its branches. See main() in Rows.hip."""
    values = [value + row for value in range(1000) for row in range(9)]
    bounded = [value for value in values if value % 10]
    sums = [sum(min(value, 700) if value % 10 else 77 for value in range(first, first + 9)) for first in range(1000)]
    return {
        "_Z7addRowsPjjj": [1024, 24, len(values)],
        "_Z8weightOfj": [len(values), len(bounded)],
        "Weights.hip:_ZL7boundedj": [len(bounded), sum(max(value - 700, 0) for value in bounded)],
        "Rows.hip:_ZL7boundedj": [len(sums), sum(value < 5000 for value in sums)],
    }


def shown_counts(profdata, profile, *options):
    result = harness.run([profdata, "show", "--all-functions", "--counts", *options, profile])
    result.expect(result.code == 0, "the profile cannot be read")
    counts, name = collections.defaultdict(list), None
    for line in result.stdout.splitlines():
        if match := re.match(r"  (\S+):$", line):
            name = os.path.basename(match[1]).replace(";", ":")
        elif match := re.match(r"    (?:Function count: (\d+)|Block counts: \[(.*)\])", line):
            counts[name] += [int(n) for n in (match[1] or match[2]).split(", ") if n]
    return counts


def front_end(counts):
    if counts != expected_counts():
        raise Failure(f"not the counts of this program: {dict(counts)}")


def flow_graph(counts):
    """IR counts edges from which all others follow: here, of the loops and the sides that are taken."""
    expected = expected_counts()
    for name, more in (("_Z8weightOfj", []), ("Weights.hip:_ZL7boundedj", []), ("_Z7addRowsPjjj", [1000])):
        edges = [*expected[name], *more]
        if not counts[name] or not set(counts[name]) <= set(edges) or max(counts[name]) != max(edges):
            raise Failure(f"{name}: {counts[name]} where there are {edges}")


def count_units(arguments, directory, release):
    """All units count; the program is linked by a command of its own, and by the one that compiles."""
    builds = Builds(arguments, directory)
    sources = [arguments.source, arguments.other]
    for route, check in (("counters", front_end), ("ir", flow_graph)):
        flags = ["-fgpu-rdc", *builds.flags("collect", "--rdc", "--route", route)]
        if route == "counters":
            strict = [*flags, "-Wunused-command-line-argument", "-Werror=unused-command-line-argument"]
            objects = [builds.compile(f"{route}{n}.o", [*strict, "-c"], source=source) for n, source in enumerate(sources)]
            program = link(builds, f"all-{route}", objects, flags)
        else:
            program = builds.compile(f"all-{route}", [*flags, arguments.other])
        profile = builds.profile(f"all-{route}.profdata", program)
        check(shown_counts(arguments.profdata, profile))
        use = [*builds.flags("use", "--rdc", "--route", route, profile), "-fgpu-rdc", arguments.other]
        result = builds.judge(release, builds.compile(f"used-{route}", use))
        result.expect(result.code == 0 and "same output" in result.stdout, f"{route}: the build computes something else")


def optimize(arguments, directory, *route):
    """One command that compiles and links all units. The path of the profile."""
    builds = Builds(arguments, directory)
    program = f"{directory}/optimized"
    compiling = [*builds.clang, "-O3", "-fgpu-rdc", arguments.source, arguments.other, "-o", program, "-lamdhip64"]
    result = harness.run([arguments.luthier, "pgo", "optimize", "--tolerance", "1000", *route, "--", *compiling, "--", program])
    result.expect(result.code == 0 and "same output" in result.stdout, "luthier pgo optimize fails")
    return f"{program}.prof"


def second_round(profdata, profile):
    """Beside the first, which is as if it were alone."""
    flow_graph(shown_counts(profdata, profile))
    # After inlining, the kernel has the branch of weightOf().
    second, (called, bounded) = shown_counts(profdata, profile, "--showcs"), expected_counts()["_Z8weightOfj"]
    if not {bounded, called - bounded} & set(second["_Z7addRowsPjjj"]):
        raise Failure(f"no second round of the kernel: {dict(second)}")


def cover(arguments, directory):
    """Lines of both units, of a build whose linker makes the counters."""
    builds = Builds(arguments, directory)
    flags = builds.flags("collect", "--rdc", "--route", "mcdc")
    program = builds.compile("covered", ["-fgpu-rdc", *flags, arguments.other])
    result = harness.run([arguments.luthier, "pgo", "coverage", "--format", "lcov", "--", program])
    result.expect(result.code == 0, "luthier pgo coverage fails")
    result.expect_in_stderr("luthier pgo: functions that are not shown: ")
    result.expect("mismatched" not in result.stderr, "functions have the regions of others")
    expected, counts = expected_counts(), dict()
    for source, texts in ((arguments.source, {"Value < 5000 ?": "Rows.hip:_ZL7boundedj", "I >= Count": "_Z7addRowsPjjj"}),
                          (arguments.other, {"return Value;": "Weights.hip:_ZL7boundedj"})):
        record = re.search(rf"SF:{re.escape(source)}\n(.*?)end_of_record", result.stdout, re.S)
        result.expect(record, f"{source} is not covered")
        executions = dict(re.findall(r"^DA:(\d+),(\d+)$", record[1], re.M))
        with open(source) as file:
            lines = file.read().splitlines()
        for text, function in texts.items():
            number = next(number for number, line in enumerate(lines, 1) if text in line)
            counts[function] = int(executions[str(number)])
    if counts != {function: expected[function][0] for function in counts}:
        raise Failure(f"not the lines of this program: {counts}")


def test(arguments, directory):
    builds = Builds(arguments, directory)
    counted(builds, arguments.other, "lines")
    units, release, profile = counted(builds, arguments.other, "probes")
    compare_units(arguments, directory, release)
    use = builds.flags("use", "--rdc", profile, "--route", "probes")
    result = builds.judge(release, builds.compile("used", [*units, *use]))
    result.expect(result.code == 0 and "same output" in result.stdout, "the build computes something else")
    count_units(arguments, directory, release)
    front_end(shown_counts(arguments.profdata, optimize(arguments, directory)))
    second_round(arguments.profdata, optimize(arguments, directory, "--route", "cs"))
    cover(arguments, directory)


if __name__ == "__main__":
    harness.main([*ARGUMENTS, (["--other"], {"required": True, "help": "the other unit"}),
                  (["--profdata"], {"required": True, "help": "llvm-profdata"}),
                  (["--opt"], {"required": True, "help": "LLVM's opt"})], test)
