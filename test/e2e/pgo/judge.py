#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The two builds by stock clang 22 that compute something else, and what
`luthier pgo judge` says about them: a wave reduction that is compiled with a
profile of its waves (control-height reduction), and a stencil that is compiled
to count (hoisting in the structurizer)."""

from builds import ARGUMENTS, Builds, harness


def reduction(builds):
    probes = builds.flags("collect", "--route", "probes")
    release = builds.compile("release", probes)
    profile = builds.profile("profile", release)
    use = builds.flags("use", profile, "--route", "probes")
    stock = list(use)
    at = next(n for n, flag in enumerate(stock) if "-enable-chr=false" in flag)
    del stock[at - 1 : at + 1]  # With -Xarch_device.
    result = builds.judge(release, builds.compile("stock", stock))
    result.expect(result.code == 1, "a wrong build is not refused")
    result.expect("DIFFERENT OUTPUT: the exit code was 0 and is 1" in result.stdout, "the verdict is not DIFFERENT")
    report = f"{builds.directory}/report.json"
    result = builds.judge(release, builds.compile("used", use), "--json", report)
    result.expect(result.code == 0, "a right build is refused")
    result.expect("same output" in result.stdout, "the verdict is not 'same'")
    verdict = harness.read_json(report)
    result.expect(verdict["output"] == "same" and len(verdict["kernels"]) == 1, f"a wrong report: {verdict}")


def stencil(builds):
    release = builds.compile("release", ["-ffp-contract=off"])
    counting = builds.compile("counting", ["-ffp-contract=off", *builds.flags("collect")])
    result = builds.judge(release, counting)
    result.expect(result.code == 1 and "DIFFERENT OUTPUT" in result.stdout, "a wrong build is not refused")


def test(arguments, directory):
    builds = Builds(arguments, directory)
    {"reduction": reduction, "stencil": stencil}[arguments.source.rsplit("/", 1)[1].removesuffix(".hip")](builds)


if __name__ == "__main__":
    harness.main(ARGUMENTS, test)
