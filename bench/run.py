#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What instrumentation costs, on the emulated GPU: writes docs/cost-table.md. A figure that was not measured is an error.
Builds what it runs, but for --as-built.

  bench/run.py [--only SECTION[:PROGRAMS]]... [--output FILE] [--as-built] [BUILD_DIR]

Sections are in-kernel, divergence, first-launch, start-up, versions, many-kernels, channel, compiling and emulator; those
that are not asked for stay as they are in the page. Programs are separated by commas; a number there makes the other
sections small (instructions, launches, kernels, workgroups, rounds). emulator:[PROGRAMS]@FOLDER=COMMIT compares with an older build in FOLDER, made of COMMIT."""
import argparse
import datetime
import pathlib
import subprocess
import sys

import channel
import compiling
import divergence
import emulator_speed
import first_launch
import in_kernel
import many_kernels
import start_up
import versions
from figures import commit, machine, with_section

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECTIONS = {"in-kernel": in_kernel, "divergence": divergence, "first-launch": first_launch, "start-up": start_up,
            "versions": versions, "many-kernels": many_kernels, "channel": channel, "compiling": compiling,
            "emulator": emulator_speed}
BEGINNING = """\
# What costs what, measured

`bench/run.py` writes this page. [costs.md](costs.md) says what decides the costs. Each section says when it was measured, of
which commit and where; times of different sections or runs should not be compared.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="SECTION[:PROGRAMS]")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/cost-table.md")
    parser.add_argument("--as-built", action="store_true")
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build", metavar="BUILD_DIR")
    arguments = parser.parse_args()
    asked = dict(only.partition(":")[::2] for only in arguments.only) or dict.fromkeys(SECTIONS, "")
    if unknown := sorted(set(asked) - set(SECTIONS)):
        sys.exit(f"error: no section is called {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    if not arguments.as_built:
        subprocess.run(["cmake", "--build", arguments.build, "--target", "bench-costs"], check=True)
    for name in filter(asked.__contains__, SECTIONS):
        when = f"Measured {datetime.date.today()} at commit {commit('docs/cost-table.md')}: {machine()}."
        body = SECTIONS[name].section(arguments.build.resolve(), asked[name])
        page = arguments.output.read_text() if arguments.output.exists() else BEGINNING
        arguments.output.write_text(with_section(page, SECTIONS[name].TITLE, f"{when}\n\n{body}"))


if __name__ == "__main__":
    main()
