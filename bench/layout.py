#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/pgo-layout.md: what another order of the blocks of finished kernels could gain at most, as `luthier pgo show`
has it on the emulated gfx90a. All figures are exact: every run gives the same.

Usage: bench/layout.py [--output FILE] [--only PROGRAM,...] [BUILD_DIR]"""
import argparse
import pathlib
import re
import subprocess
import sys

from figures import measured, table
from programs import DEVICE, chosen

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Where the kernels of programs are that have none of their own.
LIBRARIES = {"rocrand": "/usr/lib/x86_64-linux-gnu/librocrand.so.1"}
LINE = re.compile(r"^  (\d+) lines of 64 bytes hold what was executed, (\d+) would do; "
                  r"(\d+) of (\d+) instructions are jumps, (\d+) taken branches, of which (\d+) could be spared at most$", re.M)

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

None of the programs is as large as the backend of llama.cpp, where more code may be cold.

`luthier pgo show` shows the same for your own program. Where it shows more, a profile for the compiler moves the blocks, too: see
[pgo-release.md](pgo-release.md).

"""


def row(program, build):
    command = [build / program.command[0], *program.command[1:]]
    code = [option for name, path in LIBRARIES.items() if program.name.startswith(name) for option in ("--code", path)]
    show = [build / "bin/luthier", "pgo", "show", "--no-branches", "--no-loads", "--no-source", "--device", DEVICE]
    shown = subprocess.run([*show, *code, "--", *command], stdout=subprocess.PIPE, text=True)
    kernels = [[int(number) for number in found] for found in LINE.findall(shown.stdout)]
    if shown.returncode or not kernels:
        sys.exit(f"error: {program.name} shows nothing; exit code {shown.returncode}")
    lines, fewest, jumps, executed, taken, spared = (sum(column) for column in zip(*kernels))
    measured("instructions", executed)
    return [program.name, len(kernels), measured("lines", lines), measured("fewest", fewest), max(kernel[0] for kernel in kernels),
            *(f"{100 * number / executed:.1f} %" for number in (jumps, taken, spared))]


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
    build = arguments.build.resolve()
    rows = [row(program, build) for program in chosen(arguments.only)]
    columns = ["program", "kernels", "lines", "fewest", "of the largest", "jumps", "taken", "spared"]
    arguments.output.write_text(HEAD + most(rows) + table(columns, rows))


main()
