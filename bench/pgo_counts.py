#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the blocks of the example programs in three ways, and writes docs/pgo-counts.md, which says how many are equal.
Fails where they are not, and nothing is known that explains it.

  bench/pgo_counts.py [--output FILE] [BUILD_DIR [PROGRAM...]]"""
import argparse
import datetime
import pathlib
import sys
import tempfile

from figures import commit, table

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test/e2e/pgo"))
from builds import Builds, Failure, harness  # noqa: E402
from three_ways import HALVED, KNOWN, ThreeWays, expect_known  # noqa: E402

LLVM = pathlib.Path("/usr/lib/llvm-22/bin")
ROCM = "7.2"  # Which knows all of the targets.
# And lanes of waves, where a target has both sizes.
TARGETS = [("gfx90a", None), ("gfx942", None), ("gfx1030", 32), ("gfx1030", 64), ("gfx1100", 32), ("gfx1100", 64)]
LEVELS = ["-O1", "-O3"]
PROGRAMS = ["axpy-half", "calls", "collatz", "dot-product", "fork-first", "hash64", "histogram", "matmul", "nbody",
            "overlap", "prefix-scan", "reduction", "saxpy", "stencil", "transpose", "vector-add"]

HEAD = f"""# Blocks counted in three ways

`bench/pgo_counts.py` writes this page, on {{date}} at commit {{commit}}. It compiles the example programs with clang 22, and runs
them on the emulated GPU below ROCm {ROCM}. Each block of a kernel, and of the functions that it calls, is counted

- by LLVM: the counters of a build with `luthier pgo flags collect`,
- by the emulated GPU: a release with probes, by active lanes,
- by the engine: the same release, by the tool [block-count](../tools/block-count/README.md).

Clang's own IR says which probe stands in the block of which counter, and its assembly which probes are left in the release: each
of them has to be counted, if its kernel is launched. A cell has *equal / compared*: the blocks that all three count alike, of those
that have code of their own in the release. `sweep/blocks-are-counted-alike-in-three-ways-on-...` tests the same. Where a target has
waves of 32 and of 64 lanes, both are compiled.

Of the counters, *edges* are of no block of the release: the front end makes one for the case that the right side of `&&` or `||` is
true, to count it. What is missing besides are blocks that the compiler has merged with others or made a selection of.

"""


def cells(arguments, program, target, lanes):
    """Of each level; nothing where the program is wrong."""
    with tempfile.TemporaryDirectory() as directory:
        source = f"{ROOT}/examples/programs/{program}.hip"
        clang = f"{LLVM}/clang++ -x hip --offload-arch={target} -w -I {ROOT}/examples/programs"
        if lanes == 64:
            clang += " -mwavefrontsize64"
        build = arguments.build.resolve()
        builds = Builds(argparse.Namespace(clang=clang, source=source, luthier=f"{build}/bin/luthier", device=target,
                                           libraries=f"{build}/device-libs"), directory)
        ways = ThreeWays(builds, LLVM / "llvm-profdata", LLVM / "opt")
        for level in LEVELS:
            if lanes == 64 and program in HALVED:
                yield None
                continue
            comparison = ways.compare(level)
            expect_known(source, level, comparison)
            yield comparison


def reasons():
    notes = [f"- `{program}` at `{level}`, {number} of `{name}`: {why}." for (program, level, name), (number, why) in KNOWN.items()]
    notes += [f"- `{program}` in waves of 64 lanes on targets that have waves of 32: HIP's shuffles do not cross the halves of such "
              "waves, so it is wrong by itself." for program in sorted(HALVED)]
    return "Where counts differ:\n\n" + "\n".join(notes) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/pgo-counts.md")
    parser.add_argument("build", nargs="?", default=ROOT / "build", type=pathlib.Path)
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    arguments = parser.parse_args()
    harness.within = [str(ROOT / "scripts/rocm.sh"), ROCM, "--"]
    head = HEAD.format(date=datetime.date.today(), commit=commit('docs/pgo-counts.md'))
    header = ["program", "counters", "edges", *[f"{target}{f' of {lanes}' if lanes else ''} `{level}`"
                                              for target, lanes in TARGETS for level in LEVELS]]
    rows, equal, compared = [], 0, 0
    for program in arguments.programs:
        found = [c for target, lanes in TARGETS for c in cells(arguments, program, target, lanes)]
        first = next(c for c in found if c)
        rows.append([f"`{program}`", first.counters, first.edges, *[f"{c.equal} / {c.compared}" if c else "-" for c in found]])
        equal += sum(c.equal for c in found if c)
        compared += sum(c.compared for c in found if c)
        print(*rows[-1], sep=" | ", flush=True)
        total = f"\nTogether, {equal} of {compared} are equal. "
        arguments.output.write_text(head + table(header, rows) + total + reasons())


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"error: {failure}")
