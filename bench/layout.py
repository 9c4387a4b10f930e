#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/pgo-layout.md: what another order of the blocks of finished kernels could gain at most, and what else `luthier
pgo show` has of programs on the emulated gfx90a. All figures are exact: every run gives the same.

Usage: bench/layout.py [--output FILE] [--only REGEX] [BUILD_DIR]"""
import argparse
import dataclasses
import pathlib
import re
import subprocess
import sys
import tempfile

from figures import commit, measured, table
from profiles import programs as profiled
from profiles.measure import Measurement, Unusable
from programs import DEVICE, PROGRAMS

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Where the kernels of programs are that have none of their own.
LIBRARIES = {"rocrand": "/usr/lib/x86_64-linux-gnu/librocrand.so.1"}
UNUSED = re.compile(r"^  \d+ of \d+ blocks never executed, ([\d.]+) % of the code$", re.M)
LINE = re.compile(r"^  (\d+) lines of 64 bytes hold what was executed, (\d+) would do; "
                  r"(\d+) of (\d+) instructions are jumps, (\d+) taken branches, of which (\d+) could be spared at most$", re.M)
# A row of a branch or a load: how often it was executed, and how many per cent of that diverged.
CLASSES = "always uniform|uniform so far|divergent"
BRANCH = re.compile(rf"^ +[0-9a-f]+ +(\d+) +([\d.]+)  (?:{CLASSES}) +(?:s|v)_", re.M)
LOAD = re.compile(rf"^ +[0-9a-f]+ +(\d+) +([\d.]+)  (?:{CLASSES}) +(?!s_|v_)\S+ +\S+_", re.M)

HEAD = f"""# Blocks of finished kernels in another order

A post-link optimiser moves the blocks of a finished binary: executed blocks stand together, so that fewer lines of the instruction
cache hold them, and the frequent successor of a block is its fall-through, so that unconditional branches disappear. Luthier has no
such command, because little is left to gain. `bench/layout.py` writes this page; it gives an upper bound of what any block order
could gain, for the kernels that each program launches on the emulated {DEVICE}:

- **lines**: cache lines of 64 bytes that hold an executed instruction. An instruction cache of {DEVICE} has 512.
- **fewest**: how many would suffice if the executed code stood together.
- **of the largest**: the lines of the kernel that has the most.
- **jumps**: the share of `s_branch` among the instructions that waves executed. No block order removes more instructions.
- **taken**: the share of conditional branches that jumped.
- **spared**: how much of that another order could turn into fall-through at most: of each branch that is taken more often than not,
  the difference. Branches back into a loop do not count, since each round of a loop jumps once in any order. That removes no
  instruction, but may keep an instruction cache or a prefetcher from stalling; the emulator's model has neither.

Programs are those of [cost-table.md](cost-table.md), as they are built there, and those of [pgo-table.md](pgo-table.md), compiled
as there, without a profile.

`luthier pgo show` shows the same for your own program. Where it shows more, a profile for the compiler moves the blocks, too: see
[pgo-release.md](pgo-release.md).

"""
EXECUTED = """
## What kernels execute

The same command counts what other optimisations would need, for all kernels of a program together:

- **unused**: the share of the kernels' code in blocks that no wave executed, the mean of the kernels.
- **branches that diverged**: of all times that a wave executed a conditional branch, or took lanes out of EXEC, how often its active
  lanes did not agree.
- **loads of several addresses**: of all times that a wave executed a load with active lanes, scalar ones included, how often they
  did not have one address.

"""


@dataclasses.dataclass
class Shown:
    """What `luthier pgo show` has printed of a program."""

    name: str
    layout: list  # Of each kernel, the numbers of LINE.
    unused: list  # Of each kernel, per cent.
    branches: list  # Executions, and per cent that diverged.
    loads: list

    def layout_row(self):
        lines, fewest, jumps, executed, taken, spared = (sum(column) for column in zip(*self.layout))
        measured("instructions", executed)
        return [self.name, len(self.layout), measured("lines", lines), measured("fewest", fewest),
                max(kernel[0] for kernel in self.layout),
                *(f"{100 * number / executed:.1f} %" for number in (jumps, taken, spared))]

    def executed_row(self):
        return [self.name, f"{sum(self.unused) / len(self.unused):.1f} %", share(self.branches), share(self.loads)]


def share(rows):
    executed = sum(count for count, _ in rows)
    return f"{sum(count * part for count, part in rows) / executed:.1f} %" if executed else "-"


def parsed(name, text):
    """Exits if the text has no kernels."""
    layout = [[int(number) for number in found] for found in LINE.findall(text)]
    if not layout:
        sys.exit(f"error: {name} shows nothing")
    branches, loads = ([(int(count), float(part)) for count, part in regex.findall(text)] for regex in (BRANCH, LOAD))
    return Shown(name, layout, [float(part) for part in UNUSED.findall(text)], branches, loads)


def shown(name, luthier, options, command, folder=None):
    r"""Programs leave their files in \p folder."""
    result = subprocess.run([*luthier, "pgo", "show", "--no-source", "--device", DEVICE, *options, "--", *command],
                            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, errors="replace", cwd=folder)
    if result.returncode:
        sys.exit(f"error: {name} ended with {result.returncode}")
    return parsed(name, result.stdout)


def of_costs(program, build):
    code = [option for name, path in LIBRARIES.items() if program.name.startswith(name) for option in ("--code", path)]
    return shown(program.name, [build / "bin/luthier"], code, [build / program.command[0], *program.command[1:]])


def of_profiles(program, toolchains):
    with tempfile.TemporaryDirectory(prefix="luthier-layout-") as folder:
        measurement = Measurement(profiled.with_sources(program), toolchains.of(program), folder)
        return shown(program.name, measurement.luthier, [], [measurement.compile("plain"), *program.arguments],
                     folder)


def all_shown(build, pattern):
    """Each program once; those that cannot be compiled here are named."""
    toolchains = profiled.Toolchains(build)
    for program in PROGRAMS:
        if re.search(pattern, program.name):
            yield of_costs(program, build)
    known = {program.name for program in PROGRAMS}
    for program in profiled.PROGRAMS:
        if program.name not in known and re.search(pattern, program.name):
            try:
                yield of_profiles(program, toolchains)
            except (profiled.Unavailable, Unusable) as reason:
                print(f"{program.name} is left out: {reason}", file=sys.stderr)


def most(rows):
    """In words."""
    jumps, spared = (max(rows, key=lambda row, column=column: float(row[column].split()[0])) for column in (5, 7))
    return (f"So no order of blocks removes more than {jumps[5]} of a program's instructions (`{jumps[0]}`), or makes more than "
            f"{spared[7]} of them fall\nthrough (`{spared[0]}`).\n\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/pgo-layout.md")
    parser.add_argument("--only", default="")
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build")
    arguments = parser.parse_args()
    every = []
    for program in all_shown(arguments.build.resolve(), arguments.only):
        print(program.layout_row(), program.executed_row(), flush=True)
        every.append(program)
    if not every:
        sys.exit("error: no program is called so")
    rows = [program.layout_row() for program in every]
    arguments.output.write_text(
        HEAD + f"Measured: commit {commit('docs/pgo-layout.md')}.\n\n" + most(rows)
        + table(["program", "kernels", "lines", "fewest", "of the largest", "jumps", "taken", "spared"], rows)
        + EXECUTED
        + table(["program", "unused", "branches that diverged", "loads of several addresses"],
                [program.executed_row() for program in every]))


if __name__ == "__main__":
    main()
