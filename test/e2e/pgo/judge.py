#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The two builds by stock clang 22 that compute something else, and what
`luthier pgo judge` says about them: a wave reduction that is compiled with a
profile of its waves (control-height reduction), and a stencil that is compiled
to count, or with pseudo probes (hoisting in the structurizer). With the flags of
`luthier pgo flags`, all are right: the builds that collect and those that use."""

from builds import ARGUMENTS, Builds, harness


def without(flags, word):
    """Without the flag that has the word, and its -Xarch_device."""
    at = next(n for n, flag in enumerate(flags) if word in flag)
    return [*flags[:at - 1], *flags[at + 1:]]


def reduction(builds):
    probes = builds.flags("collect", "--route", "probes")
    release = builds.compile("release", probes)
    profile = builds.profile("profile", release)
    use = builds.flags("use", profile, "--route", "probes")
    result = builds.judge(release, builds.compile("stock", without(use, "-enable-chr=false")))
    result.expect(result.code == 1, "a wrong build is not refused")
    result.expect("DIFFERENT OUTPUT: the exit code was 0 and is 1" in result.stdout, "the verdict is not DIFFERENT")
    report = f"{builds.directory}/report.json"
    result = builds.judge(release, builds.compile("used", use), "--json", report)
    result.expect(result.code == 0, "a right build is refused")
    result.expect("same output" in result.stdout, "the verdict is not 'same'")
    verdict = harness.read_json(report)
    result.expect(verdict["output"] == "same" and len(verdict["kernels"]) == 1, f"a wrong report: {verdict}")


def judged(builds, before, name, flags, is_right):
    """A build, and that the judge says what it has to."""
    after = builds.compile(name, ["-ffp-contract=off", *flags])
    result = builds.judge(before, after)
    if is_right:
        result.expect(result.code == 0 and "same output" in result.stdout, f"{name}: a right build is refused")
    else:
        result.expect(result.code == 1 and "DIFFERENT OUTPUT" in result.stdout, f"{name}: a wrong build is not refused")
    return after


def stencil(builds):
    plain = builds.compile("plain", ["-ffp-contract=off"])
    for route in ("counters", "probes"):
        flags = builds.flags("collect", "--route", route)
        judged(builds, plain, f"{route}-stock", without(flags, "-enable-pre=false"), False)
        profile = builds.profile(f"{route}-profile", judged(builds, plain, f"{route}-collect", flags, True))
        flags = builds.flags("use", profile, "--route", route)
        judged(builds, plain, f"{route}-used", flags, True)
        if route == "probes":
            judged(builds, plain, f"{route}-used-stock", without(flags, "-enable-pre=false"), False)


def test(arguments, directory):
    builds = Builds(arguments, directory)
    {"reduction": reduction, "stencil": stencil}[arguments.source.rsplit("/", 1)[1].removesuffix(".hip")](builds)


if __name__ == "__main__":
    harness.main(ARGUMENTS, test)
