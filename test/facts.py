#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if code knows what only a table may know.

A fact about a processor is a column of src/amdgpu/Targets.def: no other file of
the engine compares names of processors or asks LLVM for a generation. In the
emulator it is one of src/emulator/core/Target.cpp, and a fact about an operation
is a row in src/emulator/isa: no other file compares names of either. A fact
about an opcode is in src/amdgpu/OpcodeFacts: no other file looks for parts of
an opcode's name.

It also fails if a list of all processors, in tests and tools, has not got a new one.
"""
import pathlib
import re
import sys

ENGINE = ["amdgpu", "codeobject", "lift", "analysis", "hook", "rewrite", "runtime", "offline", "cli"]

PROCESSORS = re.compile(r'"gfx\d|FeatureGFX|\bisGFX|\bgetGeneration\b|\bgeneration\(\)')
OPCODES = re.compile(r'"(?:V|S|DS|T?BUFFER|GLOBAL|FLAT|SCRATCH|IMAGE)_(?!SCR\b|SCR_)[A-Z0-9_]*"|getName\([^()]*getOpcode\(\)\)'
                     r'\s*\.\s*(?:starts_with|ends_with|contains|find|count|consume|split)')

EMULATED_PROCESSORS = re.compile(r'"gfx\d|Generation\s*(?:[<>]=?|[!=]=)\s*(?:\d|\w+\.(?:First|Last)Generation)')
MNEMONICS = re.compile(r'(?:[sS]tarts_?[wW]ith|[eE]nds_?[wW]ith|contains|find|[!=]=|Begins|Has)\s*\(?\s*'
                       r'"(?:[vs]_|_?(?:ds|buffer|tbuffer|global|flat|scratch|atomic|rtn|inv)_|_[A-Z]+")')

# Tables, and what they are read by.
TABLES = {
    "src/amdgpu/Targets.def",
    "src/amdgpu/OpcodeFacts.cpp",
    "src/amdgpu/MemoryOperations.def",
    "src/amdgpu/ScalarOperations.def",
    "src/amdgpu/VectorOperations.def",
    # Names of processors for e_flags, also of those without a row.
    "src/codeobject/Processors.def",
    "src/emulator/core/Target.cpp",
    "src/emulator/cp/Devices.def",
}

# Lines that are left, at most so many.
LEFT = {
    # The device that there is without a choice.
    "src/cli/RunPlan.h": 1,
}


LEFT_IN_EMULATOR = {
    # The device that there is without a choice.
    "src/emulator/kfd/Configuration.cpp": 1,
    # A table with a row for some generations each.
    "src/emulator/exec/UnusedFields.cpp": 1,
    # LLVM says only in an opcode's name which addresses a buffer operation has.
    "src/emulator/exec/InstBuilder.cpp": 3,
}


def code(text):
    """Without comments; line numbers stay."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    return [re.sub(r"//.*", "", line) for line in text.splitlines()]


def lines(root, folder, patterns, left):
    """Files below \p folder, and the lines of them that match without being left."""
    checked, errors = 0, []
    for path in sorted((root / "src" / folder).rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix not in {".cpp", ".h", ".def", ".inc"} or name in TABLES:
            continue
        checked += 1
        found = [f"{name}:{number}: {line.strip()}" for number, line in enumerate(code(path.read_text()), 1)
                 if any(pattern.search(line) for pattern in patterns)]
        if len(found) > left.get(name, 0):
            errors += found
    return checked, errors


def incomplete_lists(root):
    """Files that name nearly all processors with a row. Those that mean some name fewer."""
    known = re.findall(r'^LUTHIER_TARGET\("(\w+)"', (root / "src/amdgpu/Targets.def").read_text(), re.M)
    errors = [] if known else ["no processors in src/amdgpu/Targets.def"]
    for path in sorted(path for folder in ["test", "tools"] for path in (root / folder).rglob("*")):
        if path.suffix not in {".cpp", ".h", ".def", ".txt", ".py"}:
            continue
        text = path.read_text()
        missing = [name for name in known if not re.search(rf"\b{name}", text)]
        if 0 < len(missing) <= len(known) // 5:
            errors.append(f"{path.relative_to(root)}: names all processors but {', '.join(missing)}")
    if errors and known:
        errors.append("Second lists of a file, lists of some processors and code that asks for one by name are not found here: "
                      "git grep the closest relative (docs/life-of-an-instruction.md, Add a target)")
    return errors


def main(root):
    parts = [lines(root, folder, [PROCESSORS, OPCODES], LEFT) for folder in ENGINE]
    parts.append(lines(root, "emulator", [EMULATED_PROCESSORS, MNEMONICS], LEFT_IN_EMULATOR))
    checked = sum(part[0] for part in parts)
    errors = [line for part in parts for line in part[1]]
    summary = f"{checked} files checked, {len(errors)} lines know what a table has to say"
    errors += incomplete_lists(root)
    print("\n".join([*errors, summary]))
    return 1 if errors or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
