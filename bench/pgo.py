#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/pgo-table.md: how much of what a release executes its probes and lines know, and what profiles of the
release bring, as `luthier pgo judge` has it on the emulated gfx90a. All figures are exact: every run gives the same.

Usage: bench/pgo.py [--output FILE] [BUILD_DIR [PROGRAM...]]; programs are names of examples or paths of sources."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

from figures import measured, table

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test/e2e/pgo"))
from builds import Builds, Failure, harness  # noqa: E402

LLVM = "/usr/lib/llvm-22/bin"
EXACT = ["-ffp-contract=off"]
PROGRAMS = ["axpy-half", "collatz", "dot-product", "hash64", "histogram", "matmul", "nbody", "prefix-scan", "reduction",
            "saxpy", "stencil", "transpose", "vector-add", ROOT / "test/e2e/pgo/BiasedBranches.hip"]
USES = [("probes", "waves"), ("probes", "lanes"), ("lines", "waves")]

HEAD = """# Profiles of a release: what they know, and what they bring

`bench/pgo.py` writes this page. [pgo-release.md](pgo-release.md) says how profiles of a release are made,
[pgo-judge.md](pgo-judge.md) how builds are compared. Programs are compiled by clang 22 with `-O3 -ffp-contract=off` for gfx90a and run
on the emulated one. The device libraries are those that may be inlined into functions with a profile of samples (`luthier pgo flags
use --device-libraries`); with others, `saxpy` executes 16 % more instructions than without a profile.

- **code**: whether the machine code of the release with probes, and with lines, is byte for byte that of the release without. *Other*
  code computes the same. DIFFERENT code does not: see [Known wrong builds](pgo-judge.md#known-wrong-builds).
- **probes**, **lines**: of the instructions that waves executed, how many are in a basic block with a pseudo probe, and how many
  have a line. Blocks that the compiler adds behind the marks, such as those between the sides of a divergent branch, have no probe
  and need none: their counts follow from others.
- The other columns are builds that use a profile of the release, by the weight of waves or lanes: *wave instructions / cycles of
  the [model](emulator-cycles.md)*, changes in per cent from the release without profile.

"""


def share(text, what):
    """The mean over the kernels of `luthier pgo show`, each as it is printed."""
    found = [float(n) for n in re.findall(rf"{what} ([\d.]+) % of what waves executed", text)]
    return measured(f"share of {what}", sum(found) / max(len(found), 1))


def row(arguments, program, directory):
    source = program if isinstance(program, pathlib.Path) else ROOT / f"examples/programs/{program}.hip"
    build = arguments.build
    clang = (f"{LLVM}/clang++ -x hip --offload-arch=gfx90a -mcode-object-version=4 -w --rocm-path=/usr "
             f"-I {ROOT}/include -I {ROOT}/examples/programs --rocm-device-lib-path={build}/device-libs "
             f"-include luthier/detail/WavefrontSize.h -include {ROOT}/test/e2e/pgo/Fence.h")
    builds = Builds(argparse.Namespace(clang=clang, source=str(source), luthier=f"{build}/bin/luthier",
                                       device="gfx90a",
                                       libraries=arguments.libraries or f"{build}/device-libs"), directory)
    plain = builds.compile("plain", EXACT)
    code = text_of(builds, "plain", EXACT)
    cells, release = [], {}
    for route, shown in (("probes", "probes mark"), ("lines", "lines are known of")):
        flags = EXACT + builds.flags("collect", "--route", route)
        path = builds.compile(f"release-{route}", flags)
        is_right = builds.judge(plain, path).code == 0
        cells.append("same" if text_of(builds, route, flags) == code else "other" if is_right else "DIFFERENT")
        if is_right:
            release[route] = path
            result = harness.run([f"{build}/bin/luthier", "pgo", "show", "--no-branches", "--no-loads", "--no-source", "--", path])
            result.expect(result.code == 0, "luthier pgo show fails")
            cells.append(f"{share(result.stdout, shown):.1f} %")
        else:
            cells.append("-")
    for route, weights in USES:
        cells.append(gain(builds, plain, release[route], route, weights) if route in release else "-")
    return [source.stem, *cells]


def text_of(builds, name, flags):
    """The code of a build, without anything else."""
    path = builds.compile(f"{name}.co", [*flags, "--offload-device-only", "--no-gpu-bundle-output"])
    text = f"{path}.text"
    subprocess.run([f"{LLVM}/llvm-objcopy", f"--dump-section=.text={text}", path, "/dev/null"], check=True)
    return pathlib.Path(text).read_bytes()


def gain(builds, plain, release, route, weights):
    profile = builds.profile(f"{route}-{weights}", release, "--route", route, "--weights", weights)
    used = builds.compile("used", EXACT + builds.flags("use", profile, "--route", route))
    report = f"{builds.directory}/report.json"
    if builds.judge(plain, used, "--json", report).code:
        return "DIFFERENT"
    kernels = harness.read_json(report)["kernels"]
    return " / ".join(change(kernels, key) for key in ("wave_instructions", "cycles"))


def change(kernels, key):
    before, after = (measured(key, sum(kernel[side][key] for kernel in kernels)) for side in ("before", "after"))
    return f"{(after / before - 1) * 100:+.1f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", default=ROOT / "docs/pgo-table.md")
    parser.add_argument("--libraries", help="device libraries for profiles of samples")
    parser.add_argument("build", nargs="?", default=ROOT / "build", type=pathlib.Path)
    parser.add_argument("programs", nargs="*")
    arguments = parser.parse_args()
    chosen = [pathlib.Path(p) if "/" in p else p for p in arguments.programs] or PROGRAMS
    rows = []
    for program in chosen:
        with tempfile.TemporaryDirectory() as directory:
            rows.append(row(arguments, program, directory))
            print(*rows[-1], sep=" | ", flush=True)
    header = ["program", "code", "probes", "code", "lines", *[f"{route}, {weights}" for route, weights in USES]]
    pathlib.Path(arguments.output).write_text(HEAD + table(header, rows))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"error: {failure}")
