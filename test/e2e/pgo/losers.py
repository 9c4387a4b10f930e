#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel gains by a profile of what it does, and loses where it does something
else; then the judge takes it out of the profile, and the next build is as
without one."""

from builds import ARGUMENTS, Builds, Failure, harness


def verdict(builds, before, after, rate, *options):
    """Of the one kernel, and by how many per cent its cycles changed."""
    report = f"{builds.directory}/report.json"
    result = builds.judge(before, after, "--json", report, *options, "--", rate)
    result.expect(result.code == 0 and "same output" in result.stdout, "the output differs")
    (kernel,) = harness.read_json(report)["kernels"]
    return kernel["verdict"], (kernel["after"]["cycles"] / kernel["before"]["cycles"] - 1) * 100


def test(arguments, directory):
    builds = Builds(arguments, directory)
    exact = ["-ffp-contract=off"]
    before = builds.compile("before", exact)
    counting = builds.compile("counting", [*exact, *builds.flags("collect")])

    rare, often = "20000", "1"
    profile = f"{directory}/rare.profdata"
    result = harness.run([arguments.luthier, "pgo", "collect", "-o", profile, "--", counting, rare])
    result.expect(result.code == 0, "luthier pgo collect fails")
    after = builds.compile("after", [*exact, *builds.flags("use", profile)])
    change, percent = verdict(builds, before, after, rare)
    if change != "better" or percent > -30:
        raise Failure(f"with conditions as they were, the profile gives {change}, {percent:.1f} %")
    change, percent = verdict(builds, before, after, often, "--drop-worse", profile)
    if change != "worse":
        raise Failure(f"with other conditions, the profile gives {change}, {percent:.1f} %")
    dropped = builds.compile("dropped", [*exact, *builds.flags("use", profile)])
    change, percent = verdict(builds, before, dropped, often)
    if change != "same" or percent:
        raise Failure(f"without the kernel in it, the profile gives {change}, {percent:.1f} %")


if __name__ == "__main__":
    harness.main(ARGUMENTS, test)
