#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a variable of the libraries has a destructor.

Both libraries are used while the process ends: ROCr copies memory with kernels
from its own destructors, tools report from theirs. Whatever lives as long as
the process therefore has no destructor, or is allocated and never freed.

Arguments: the nm to use, and the folder with the objects of src/.
"""
import pathlib
import subprocess
import sys

REGISTER = {"__cxa_atexit", "__cxa_thread_atexit", "__cxa_thread_atexit_impl"}

# Commands of their own, which end as they please.
COMMANDS = {"cli"}


def registers_destructor(nm, path):
    text = subprocess.run([nm, "--undefined-only", path], capture_output=True, text=True, check=True).stdout
    return any(line.split()[-1].split("@")[0] in REGISTER for line in text.splitlines() if line.strip())


def main(nm, root):
    paths = [p for p in sorted(root.rglob("*.o")) if p.relative_to(root).parts[0] not in COMMANDS]
    if len(paths) < 100:
        sys.exit(f"only {len(paths)} objects in {root}")
    bad = [p for p in paths if registers_destructor(nm, p)]
    for path in bad:
        print(f"{path.relative_to(root)}: a static or thread_local variable has a destructor")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
