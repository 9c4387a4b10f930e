#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a folder of src/ includes a folder it must not know.

Dependencies point downwards: a row may include itself and the rows above it.
The emulator judges the engine and shares nothing with it.
"""
import pathlib
import re
import sys

ENGINE = ["amdgpu", "codeobject", "lift", "analysis", "hook", "rewrite", "runtime", "cli"]
EMULATOR = "emulator"


def allowed(folder):
    if folder == EMULATOR:
        return {EMULATOR}
    rows = set(ENGINE[: ENGINE.index(folder) + 1])
    return rows | {"luthier"}


# The command checks device names against the emulator's own list; the emulator
# implements public headers, which are declarations in C.
EXCEPTIONS = {
    ("cli", "emulator/cp/Devices.def"),
    ("emulator", "luthier/emulator.h"),
    ("emulator", "luthier/detail/EmulatorFaults.h"),
    ("emulator", "luthier/detail/EmulatorVerify.h"),
}


def main(root):
    folders = set(ENGINE) | {EMULATOR}
    checked = 0
    errors = []
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in {".cpp", ".h", ".def", ".inc"}:
            continue
        folder = path.relative_to(root / "src").parts[0]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+["<](([^/">]+)/[^">]+)', line)
            if not match or match[2] not in folders | {"luthier"}:
                continue
            checked += 1
            if match[2] not in allowed(folder) and (folder, match[1]) not in EXCEPTIONS:
                errors.append(f"{path.relative_to(root)}:{number}: {folder} must not include {match[2]}")
    print("\n".join(errors))
    print(f"{checked} includes checked, {len(errors)} point the wrong way")
    return 1 if errors or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
