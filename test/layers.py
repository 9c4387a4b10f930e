#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a folder of src/ includes a folder it must not know, or if modules
include one another in a circle.

Dependencies point downwards: a row may include itself and the rows above it.
The emulator judges the engine and shares nothing with it. A module is a header
and the sources of the same name.
"""
import pathlib
import re
import sys

ENGINE = ["amdgpu", "codeobject", "lift", "analysis", "hook", "rewrite", "offline", "cache", "runtime", "pgo", "cli"]
EMULATOR = "emulator"
EMULATOR_FOLDERS = ["memory", "core", "isa", "exec", "strict", "lockstep", "cp", "verify", "kfd", "api"]
# Cycles that are left: none. They may lose members and go, but none may be added.
KNOWN_CYCLES = []
SOURCES = {".cpp", ".h", ".def", ".inc"}


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
    ("emulator", "luthier/detail/ProcessEnds.h"),
}


def emulator_error(including, included):
    """Inside the emulator; paths relative to src/emulator."""
    above, below = including.split("/")[0], included.split("/")[0]
    unknown = {above, below} - set(EMULATOR_FOLDERS)
    if unknown:
        return f"{unknown.pop()} has no place among the emulator's folders"
    if EMULATOR_FOLDERS.index(below) > EMULATOR_FOLDERS.index(above):
        return f"emulator/{above} must not include emulator/{below}"
    return None


def modules_below(root, folder):
    """Each module with those that it includes."""
    graph = {}
    for path in (root / "src" / folder).rglob("*"):
        if path.suffix not in SOURCES:
            continue
        name = str(path.relative_to(root / "src").with_suffix(""))
        included = re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.MULTILINE)
        graph.setdefault(name, set()).update(str(pathlib.PurePath(i).with_suffix("")) for i in included)
    return {name: {i for i in included if i in graph and i != name} for name, included in graph.items()}


def cycles(graph):
    """Strongly connected components of more than one node, by Tarjan."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            at = stack.index(node)
            component = stack[at:]
            del stack[at:]
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def main(root):
    folders = set(ENGINE) | {EMULATOR}
    checked = 0
    errors = []
    left = [set(c) for folder in sorted(folders) for c in cycles(modules_below(root, folder))]
    errors += ["cycle: " + ", ".join(sorted(c)) for c in left if not any(c <= known for known in KNOWN_CYCLES)]
    errors += ["no cycle any more, which KNOWN_CYCLES is to say: " + ", ".join(sorted(known)) for known in KNOWN_CYCLES
               if known not in left]
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in SOURCES:
            continue
        folder = path.relative_to(root / "src").parts[0]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+["<](([^/">]+)/[^">]+)', line)
            if not match or match[2] not in folders | {"luthier"}:
                continue
            checked += 1
            if match[2] not in allowed(folder) and (folder, match[1]) not in EXCEPTIONS:
                errors.append(f"{path.relative_to(root)}:{number}: {folder} must not include {match[2]}")
            if folder == match[2] == EMULATOR:
                inside = path.relative_to(root / "src" / EMULATOR)
                error = emulator_error(str(inside), match[1].removeprefix("emulator/"))
                if error:
                    errors.append(f"{path.relative_to(root)}:{number}: {error}")
    print("\n".join(errors))
    print(f"{checked} includes checked, {len(errors)} errors")
    return 1 if errors or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
