#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what collecting profiles costs and what they bring, for programs of this tree and of others, on the emulated
gfx90a, and writes docs/pgo-table.md. Figures are counts, so that every run gives the same; a complete one takes long.

Records go to --records, one line for each build and run. Programs whose records are all there are not run again; what
was cut off in the middle is. When the tool block-count has changed, --hooks-again measures what that concerns. --page
writes the page of what is there."""
import argparse
import json
import pathlib
import sys
import tempfile

from figures import commit, machine
from profiles import page
from profiles.measure import COUNTERS, RELEASES, measure, measure_hooks
from profiles.programs import ROOT, Toolchains, Unavailable, chosen, with_sources


def records_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def measure_program(program, toolchains, path, routes, about):
    def emit(record):
        with open(path, "a") as file:
            file.write(json.dumps({"program": program.name, "group": program.group, **record}) + "\n")
        print(program.name, *(record.get(key, "") for key in ("kind", "route", "weights", "verdict")), flush=True)

    try:
        program, toolchain = with_sources(program), toolchains.of(program)
    except Unavailable as reason:
        emit({"kind": "plain", "verdict": f"fails: {reason}"})
    else:
        with tempfile.TemporaryDirectory(prefix="luthier-profiles-") as folder:
            measure(program, toolchain, folder, emit, routes)
    emit({"kind": "end", "measured": about})


def measure_hooks_again(program, toolchains, path, about):
    def emit(record):
        with open(path, "a") as file:
            file.write(json.dumps({"program": program.name, "group": program.group, **record, "measured": about}) + "\n")
        print(program.name, record["verdict"], flush=True)

    program, toolchain = with_sources(program), toolchains.of(program)
    with tempfile.TemporaryDirectory(prefix="luthier-profiles-") as folder:
        measure_hooks(program, toolchain, folder, emit)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--records", type=pathlib.Path, help="default: BUILD/profiles.jsonl")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/pgo-table.md")
    parser.add_argument("--routes", default=",".join((*COUNTERS, *RELEASES)), help="separated by commas (%(default)s)")
    parser.add_argument("--page", action="store_true", help="measures nothing")
    parser.add_argument("--hooks-again", action="store_true", help="measures what hooks cost, of programs that have records")
    parser.add_argument("--keep", type=pathlib.Path, help="an earlier page: its rows of programs without records stay")
    parser.add_argument("programs", nargs="?", default="", help="regular expression of programs or groups")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    path = arguments.records or build / "profiles.jsonl"
    if not arguments.page:
        ended = {record["program"] for record in records_of(path) if record["kind"] == "end"}
        toolchains, routes = Toolchains(build), arguments.routes.split(",")
        about = f"commit {commit('docs/pgo-table.md')}, {machine()}"
        for program in chosen(arguments.programs):
            if arguments.hooks_again and program.name in ended:
                measure_hooks_again(program, toolchains, path, about)
            elif program.name not in ended:
                measure_program(program, toolchains, path, routes, about)
    records = records_of(path)
    if not records:
        sys.exit("error: no program was measured")
    arguments.output.write_text(page.written(records, arguments.keep.read_text() if arguments.keep else ""))


if __name__ == "__main__":
    main()
