#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if code knows what only a table may know.

A fact about a processor is a column of src/amdgpu/Targets.def: no other file of
the engine compares names of processors or asks LLVM for a generation. A fact
about an opcode is in src/amdgpu/OpcodeFacts: no other file looks for parts of
an opcode's name.
"""
import pathlib
import re
import sys

ENGINE = ["amdgpu", "codeobject", "lift", "analysis", "hook", "rewrite", "runtime", "offline", "cli"]

PROCESSORS = re.compile(r'"gfx\d|FeatureGFX|\bisGFX|\bgetGeneration\b|\bgeneration\(\)')
OPCODES = re.compile(r'"(?:[VS]_|DS_|BUFFER_|TBUFFER_|GLOBAL_|FLAT_|SCRATCH_|IMAGE_)\w*"|getName\(\w+\.getOpcode\(\)\)\s*\.\s*\w')

# Tables, and what they are read by.
TABLES = {
    "src/amdgpu/Targets.def",
    # Names of processors for e_flags, also of those without a row.
    "src/codeobject/Processors.def",
}

# Lines that are left, at most so many.
LEFT = {
    # Devices of the emulator, which the command names.
    "src/cli/RunPlan.cpp": 4,
}


def code(text):
    """Without comments; line numbers stay."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    return [re.sub(r"//.*", "", line) for line in text.splitlines()]


def main(root):
    checked = 0
    errors = []
    for folder in ENGINE:
        for path in sorted((root / "src" / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in {".cpp", ".h", ".def", ".inc"} or name in TABLES:
                continue
            checked += 1
            found = [f"{name}:{number}: {line.strip()}" for number, line in enumerate(code(path.read_text()), 1)
                     if PROCESSORS.search(line)]
            if len(found) > LEFT.get(name, 0):
                errors += found
    print("\n".join(errors))
    print(f"{checked} files checked, {len(errors)} lines know what a table has to say")
    return 1 if errors or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
