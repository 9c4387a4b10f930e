#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: symbols.py NM LIBRARY SOURCES...
Fails if libluthier.so could get into the way of another LLVM in its process.

It defines nothing of LLVM for others to find, takes its own LLVM by symbol
version, registers no options, and its sources parse none.
"""
import pathlib
import re
import subprocess
import sys


def symbols(nm, library, *options):
    text = subprocess.run([nm, *options, library], check=True, capture_output=True, text=True)
    return [line.split() for line in text.stdout.splitlines() if line.strip()]


def main(nm, library, *sources):
    errors = []
    is_llvm = re.compile(r"_Z(N|NK|TV|TI|TS|GV|GVN|ZN|ZNK|St|T)\w*4(llvm)|_ZN3lld").search
    for *_, name in symbols(nm, library, "-D", "--defined-only"):
        # Types of Luthier may have those of LLVM as arguments.
        if is_llvm(name) and "7luthier" not in name:
            errors.append(f"{library} exports {name}")
    # Weak ones may stay undefined.
    imported = [name for *_, kind, name in symbols(nm, library, "-D", "--undefined-only") if kind == "U"]
    imported = [name for name in imported if is_llvm(name) and "7luthier" not in name]
    if len(imported) < 100:
        errors.append(f"{library} imports only {len(imported)} symbols of LLVM")
    errors += [f"{library} takes {name} from any LLVM" for name in imported if "@LLVM_" not in name]
    # What the constructor of each option calls.
    errors += [f"{library} registers options" for name in imported if "cl6Option11addArgument" in name]
    calls = re.compile(r"cl::(opt|list|ParseCommandLineOptions|ParseEnvironmentOptions)\b")
    for source in sources:
        for path in pathlib.Path(source).rglob("*"):
            if path.suffix in {".cpp", ".h"}:
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    if calls.search(line.split("//")[0]):
                        errors.append(f"{path}:{number}: an option of LLVM")
    print("\n".join(errors) or f"{len(imported)} symbols of LLVM, all by version")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
