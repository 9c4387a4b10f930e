#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a variable of the libraries has a destructor.

Both libraries are used while the process ends: ROCr copies memory with kernels
from its own destructors, tools report from theirs. Whatever lives as long as
the process therefore has no destructor, or is allocated and never freed.

Arguments: the nm to use, and the build folder. Objects that an earlier build
left in it are no part of the libraries: compile_commands.json names those that
are.
"""
import json
import pathlib
import shlex
import subprocess
import sys

REGISTER = {"__cxa_atexit", "__cxa_thread_atexit", "__cxa_thread_atexit_impl"}

# Commands of their own, which end as they please, and what they alone use of a
# library: LLVM's header of sample profiles has such a variable.
COMMANDS = {"cli"}
OF_COMMANDS = {"SampleFile.cpp.o"}


def registering(nm, paths):
    """Those of the objects that register a destructor; nm takes all at once."""
    lines = subprocess.run([nm, "--undefined-only", "-A", *paths], capture_output=True, text=True, check=True).stdout
    return sorted({line.split(":")[0] for line in lines.splitlines() if line.split()[-1].split("@")[0] in REGISTER})


def objects(build):
    root = build / "src"
    for command in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(command["command"])
        path = build / words[words.index("-o") + 1]
        if path.suffix == ".o" and path.exists() and path.is_relative_to(root) and path.relative_to(root).parts[0] not in COMMANDS and (
                path.name not in OF_COMMANDS):
            yield path


def main(nm, build):
    root = build / "src"
    paths = sorted(objects(build))
    if len(paths) < 100:
        sys.exit(f"only {len(paths)} objects in {root}")
    bad = registering(nm, paths)
    for path in bad:
        print(f"{pathlib.Path(path).relative_to(root)}: a static or thread_local variable has a destructor")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
