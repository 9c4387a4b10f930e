#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks formatting (clang-format, every source of the tree) and names (clang-tidy, what the build compiles of src and
plugin). A build must exist: its compile commands and generated headers are used.

  scripts/lint.py [--fix] [--base REVISION] [--only format|tidy] [BUILD]

--base looks only at files that differ from that revision. --fix formats in place. clang-tidy's results are kept beside
LLVM's headers (LUTHIER_CACHE_DIR) by content, so that a file is read again only when it, a header of ours that it
includes, or .clang-tidy has changed. All of them take a quarter of an hour on two cores."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LLVM = re.search(r"^LUTHIER_LLVM_MAJOR=(\d+)", (ROOT / "scripts/packages.sh").read_text(), re.M)[1]
FORMATTED = (".h", ".cpp", ".c", ".hip")
# .clang-tidy has more, for editors. These cost little beside reading the headers.
CHECKS = ["readability-identifier-naming", "misc-unused-alias-decls", "misc-unused-using-decls",
          "modernize-use-override"]
# C interfaces, which are spelled as C is.
C_HEADERS = re.compile(r"include/luthier/(emulator|detail/(Emulator\w+|ProcessEnds|ToolRegistration))\.h$")
# Read once instead of once for each file: half of what clang-tidy takes.
COMMON = ["MCTargetDesc/AMDGPUMCTargetDesc.h", "SIInstrInfo.h", "llvm/ADT/DenseMap.h", "llvm/ADT/SetVector.h",
          "llvm/ADT/StringExtras.h", "llvm/ADT/StringMap.h", "llvm/ADT/StringSwitch.h",
          "llvm/CodeGen/MachineFunction.h", "llvm/CodeGen/MachineInstrBuilder.h",
          "llvm/CodeGen/TargetInstrInfo.h", "llvm/CodeGen/TargetSubtargetInfo.h", "llvm/IR/IRBuilder.h",
          "llvm/IR/InstIterator.h", "llvm/IR/Module.h", "llvm/MC/MCInst.h", "llvm/MC/MCInstrInfo.h",
          "llvm/MC/MCSubtargetInfo.h", "llvm/Object/ELF.h", "llvm/Support/Error.h",
          "llvm/Support/FormatVariadic.h", "llvm/Support/MathExtras.h", "llvm/Support/raw_ostream.h"]
FILES_AT_ONCE = 8
WARNING = re.compile(r"^(/\S+?):(\d+):\d+: (?:warning|error): (.*) \[([\w.,-]+)\]$")


def cache_folder():
    """As scripts/setup.sh has it."""
    return pathlib.Path(os.environ.get("LUTHIER_CACHE_DIR") or
                        pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "luthier")


def tracked(base):
    if base:
        command = ["git", "-C", ROOT, "diff", "--name-only", "--diff-filter=d", "--merge-base", base]
    else:
        command = ["git", "-C", ROOT, "ls-files"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def check_format(files, fix):
    # The lines of lit's inputs are laid out for what the tests expect of them.
    files = [f for f in files if f.endswith(FORMATTED) and not f.startswith("test/lit/")]
    mode = ["-i"] if fix else ["--dry-run", "--Werror"]
    result = subprocess.run([f"clang-format-{LLVM}", *mode, *files], cwd=ROOT) if files else None
    print(f"lint: {len(files)} files are formatted" if not result or not result.returncode
          else "lint: scripts/lint.py --fix --only format mends these", flush=True)
    return not result or result.returncode == 0


def is_lambda(path, line):
    """Lambdas are named like the functions that they are."""
    lines = path.read_text().splitlines()
    statement = " ".join(lines[line - 1:line + 1])
    return re.search(r"\bauto &?\w+\s*=\s*\[", statement) is not None


def findings(output):
    found = set()
    for text in output.splitlines():
        match = WARNING.match(text)
        if not match or not pathlib.Path(match[1]).is_relative_to(ROOT):
            continue
        if C_HEADERS.search(match[1]):
            continue
        if "variable" in match[3] and is_lambda(pathlib.Path(match[1]), int(match[2])):
            continue
        found.add(f"{pathlib.Path(match[1]).relative_to(ROOT)}:{match[2]}: {match[3]}")
    return sorted(found)


def is_wanted(word):
    return word.startswith(("-D", "-I"))


class Tidy:
    """clang-tidy with one short command for each file; the build's database has several for files that it compiles
    more than once."""

    def __init__(self, build):
        self.folder = build / "lint"
        self.folder.mkdir(exist_ok=True)
        self.results = cache_folder() / "lint"
        self.results.mkdir(parents=True, exist_ok=True)
        self.commands = {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            paths = [word for at, word in enumerate(words) if words[at - 1] == "-isystem"]
            self.commands.setdefault(os.path.relpath(entry["file"], ROOT), [
                f"clang++-{LLVM}", "-std=c++20", "-w", "-fPIC", *filter(is_wanted, words),
                *(word for path in paths for word in ["-isystem", path])])
        rules = [ROOT / ".clang-tidy", pathlib.Path(__file__), ROOT / "scripts/packages.sh"]
        self.rules = b"".join(p.read_bytes() for p in rules)
        self.included = {}

    def closure(self, file):
        """Ours among what \p file includes, directly or not, and the file itself."""
        found, work = set(), [file]
        while work:
            path = work.pop()
            if path in found:
                continue
            found.add(path)
            work += self.includes(path)
        return sorted(found)

    def includes(self, file):
        if file not in self.included:
            text = (ROOT / file).read_text()
            places = ["src", "include", "plugin", str(pathlib.PurePath(file).parent)]
            self.included[file] = [f"{place}/{name}" for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M)
                                   for place in places if (ROOT / place / name).is_file()]
        return self.included[file]

    def key(self, file):
        digest = hashlib.sha256(self.rules)
        digest.update(" ".join(self.commands[file]).replace(str(ROOT), "").encode())
        for path in self.closure(file):
            digest.update((ROOT / path).read_bytes())
        return digest.hexdigest()

    def prepare(self, files):
        """Makes the common headers."""
        # The emulator includes little of LLVM.
        self.uses_llvm = {f for f in files if "-D__STDC_CONSTANT_MACROS" in self.commands[f]
                          and not f.startswith("src/emulator/")}
        model = next((f for f in files if f in self.uses_llvm and f.startswith("src/rewrite/")), None)
        header, self.common = self.folder / "common.h", self.folder / "common.pch"
        if model:
            header.write_text("".join(f'#include "{name}"\n' for name in COMMON))
            subprocess.run([*self.commands[model], "-x", "c++-header", header, "-o", self.common], check=True)
        else:
            self.uses_llvm = set()

    def read(self, files):
        """What clang-tidy prints of \p files, which are compiled alike, read as one."""
        source = ROOT / files[0]
        if len(files) > 1:
            source = self.folder / f"{hashlib.sha256(' '.join(files).encode()).hexdigest()[:16]}.cpp"
            source.write_text("".join(f'#include "{ROOT / file}"\n' for file in files))
        command = [*self.commands[files[0]], *(["-include-pch", self.common] if files[0] in self.uses_llvm else [])]
        return subprocess.run([f"clang-tidy-{LLVM}", "--quiet", f"--checks=-*,{','.join(CHECKS)}",
                               rf"--header-filter=^{ROOT}/(include/luthier|src|plugin|tools)/.*\.(h|cpp)$", source,
                               "--", *map(str, command[1:])], capture_output=True, text=True).stdout

    def check(self, files):
        """Findings in each of \p files are kept. Where two of them use one name, each is read alone."""
        output = self.read(files)
        errors = re.findall(r"^.*: error: .*\[clang-diagnostic.*$", output, re.M)
        if errors and len(files) > 1:
            for file in files:
                self.check([file])
            return
        found = findings(output)
        for file in files:
            ours = self.closure(file)
            (self.results / self.key(file)).write_text(
                "\n".join([line for line in found if line.split(":")[0] in ours] + errors))

    def kept(self, file):
        result = self.results / self.key(file)
        return result.read_text().splitlines() if result.exists() else None

    def batches(self, files):
        """Most of the time goes into headers, which one run reads once."""
        alike = {}
        for file in files:
            alone = file if file.endswith(".c") else ""
            alike.setdefault((alone, *self.commands[file]), []).append(file)
        return [group[at:at + FILES_AT_ONCE] for group in alike.values()
                for at in range(0, len(group), FILES_AT_ONCE)]


def check_names(files, build):
    tidy = Tidy(build)
    files = [f for f in files if f in tidy.commands and f.startswith(("src/", "plugin/"))]
    unread = [f for f in files if tidy.kept(f) is None]
    if unread:
        tidy.prepare(files)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(tidy.check, tidy.batches(unread)))
    found = sorted({line for f in files for line in tidy.kept(f)})
    print("\n".join([*found, f"lint: {len(files)} files were read for names, {len(found)} findings"]), flush=True)
    return not found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--base")
    parser.add_argument("--only", choices=["format", "tidy"])
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build")
    arguments = parser.parse_args()
    files = tracked(arguments.base)
    good = arguments.only == "tidy" or check_format(files, arguments.fix)
    good &= arguments.only == "format" or check_names(files, arguments.build.resolve())
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
