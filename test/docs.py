#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if docs show other code, name other refusals, processors, macros or functions, or link to other files or sections
than there are."""
import pathlib
import re
import sys


# Files that a page tells its readers to write, or that others have.
EXAMPLES = {("writing-a-tool.md", "hip/hip_runtime.h"), ("writing-a-tool.md", "llvm/CodeGen/MachineBasicBlock.h")}


def without_space(text):
    return re.sub(r"\s+", "", re.sub(r"//.*", "", text))


def section(text, title):
    return text.split(f"\n## {title}\n")[1].split("\n## ")[0]


def anchors(page):
    """Of the sections of a page, as they are linked."""
    titles = re.findall(r"^#+ (.*)", page.read_text(), re.M)
    return [re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles]


def registered_tests(root):
    """Patterns of the names that CMake gives tests, those of functions that add some included."""
    files = [path for path in (root / "test").rglob("*") if path.name == "CMakeLists.txt" or path.suffix == ".cmake"]
    names = re.findall(r"\b(?:add_test\(NAME|add_\w+_test\()\s*([\w./${}-]+)", "\n".join(path.read_text() for path in files))
    named = [name for name in names if re.sub(r"\$\{\w+\}|e2e/|sweep/|-", "", name)]
    return [prefix + re.sub(r"\\\$\\\{\w+\\\}", ".+", re.escape(name)) for name in named for prefix in ["", "e2e/"]]


def missing_names(root, page, folder):
    """Functions, types and files in backticks on a page that the folder does not have."""
    text = (root / page).read_text()
    files = [path for path in (root / folder).rglob("*") if path.suffix in [".h", ".def", ".cpp"]]
    code = "\n".join(path.read_text() for path in files)
    errors = []
    for name in sorted(set(re.findall(r"`([\w:/.]+)`", text))):
        if "/" in name:
            known = (root / name).exists() or (root / folder / name).exists()
        else:
            known = all(re.search(rf"\b{part}\b", code) for part in name.split("::"))
        if not known:
            errors.append(f"{page} names {name}, which {folder} does not have")
    return errors


def main(root):
    errors = []
    guide = (root / "docs/writing-a-tool.md").read_text()
    example = (root / "examples/tools/BranchCount.hip").read_text()
    shown = re.search(r"```c\+\+\n(.*?)```", guide, re.S)
    if not shown or without_space(shown[1]) != without_space(example):
        errors.append("docs/writing-a-tool.md does not show examples/tools/BranchCount.hip")
    counting = without_space(section(guide, "Counting without hooks of your own").split("```c++")[1].split("```")[0])
    for path in ["tools/instr-count/InstrCount.hip", "examples/tools/KindCount.hip", "examples/tools/HotSpots.hip"]:
        lines = len([line for line in (root / path).read_text().splitlines() if without_space(line)])
        if lines >= 60:
            errors.append(f"{path} shows how short a tool that counts is, and has {lines} lines")
    if counting not in without_space((root / "examples/tools/KindCount.hip").read_text()):
        errors.append("docs/writing-a-tool.md shows another tool than examples/tools/KindCount.hip")
    modules = re.search(r"```c\+\+\n(.*?)```", (root / "docs/modules.md").read_text(), re.S)
    if not modules or without_space(modules[1]) != without_space((root / "examples/tools/Expression.hip").read_text()):
        errors.append("docs/modules.md does not show examples/tools/Expression.hip")
    project = re.search(r"```cmake\n(.*?)```", (root / "docs/pgo.md").read_text(), re.S)
    if not project or project[1] not in (root / "test/e2e/pgo/project/CMakeLists.txt").read_text():
        errors.append("docs/pgo.md does not show test/e2e/pgo/project/CMakeLists.txt")
    problems = re.findall(r'^LUTHIER_PGO_PROBLEM\(\w+, "([^"]+)"', (root / "src/pgo/Problem.def").read_text(), re.M)
    explained = re.findall(r"^\| `([\w-]+)`", section((root / "docs/pgo.md").read_text(), "When it says no"), re.M)
    if not problems or sorted(problems) != sorted(explained):
        errors.append(f"docs/pgo.md explains other problems than there are: {sorted(set(problems) ^ set(explained))}")
    examples = without_space((root / "test/unit/rewrite/GuideTest.cpp").read_text())
    lines = re.findall(r"^\| `(Task\.[^`]+)`", guide, re.M)
    lines += [f"Task.insertHookBefore(MI, Hook, {{{argument}}})"
              for argument in re.findall(r"^\| `([^`]+)`", section(guide, "Arguments"), re.M)]
    for line in lines:
        if f"EXAMPLE({without_space(line)})" not in examples:
            errors.append(f"test/unit/rewrite/GuideTest.cpp does not run {line}, which the guide shows")
    if len(lines) < 20:
        errors.append("docs/writing-a-tool.md shows too few points and arguments")
    reasons = set(re.findall(r'LUTHIER_REFUSAL\(\w+,\s*"([^"]+)"', (root / "include/luthier/Refusal.def").read_text()))
    listed = set(re.findall(r"^\| `([^`]+)`", (root / "docs/refusals.md").read_text(), re.M))
    if not reasons or reasons != listed:
        errors.append(f"docs/refusals.md differs from Refusal.def in {sorted(reasons ^ listed)}")
    tests = "\n".join(path.read_text() for path in (root / "test").rglob("*") if path.suffix in [".cpp", ".txt"])
    named = set(re.findall(r"`([\w/.-]+)`", (root / "docs/pitfalls.md").read_text()))
    for name in sorted(name for name in named if re.fullmatch(r"[A-Z]\w+\.\w+", name)):
        suite, test = name.split(".")
        if not re.search(rf"TEST(_[FP])?\(\s*{suite},\s*{test}\)", tests):
            errors.append(f"docs/pitfalls.md names the test {name}, which does not exist")
    registered = registered_tests(root)
    for name in sorted(name for name in named if re.match(r"(e2e/|library\.|random\.)", name)):
        if not any(re.fullmatch(pattern, name.replace("*", "x")) for pattern in registered):
            errors.append(f"docs/pitfalls.md names the test {name}, which no CMakeLists.txt adds")
    for name in sorted(name for name in named if name.startswith("plugin/")):
        if not (root / "test/lit" / name).exists():
            errors.append(f"docs/pitfalls.md names {name}, which test/lit does not have")
    for fact in re.findall(r"^\| (.*?) \| -? *\|$", (root / "docs/pitfalls.md").read_text(), re.M):
        errors.append(f"docs/pitfalls.md has no test for: {fact}")
    engine = "\n".join(path.read_text() for path in (root / "src").rglob("*") if path.suffix in [".cpp", ".h"])
    life = (root / "docs/life-of-a-dispatch.md").read_text()
    steps = set(re.findall(r"`(?:\w+::)*(\w+)\(\)`", life))
    for name in sorted(name for name in steps if not re.search(rf"\b{name}\(", engine)):
        errors.append(f"docs/life-of-a-dispatch.md names {name}(), which src does not have")
    if len(steps) < 15:
        errors.append("docs/life-of-a-dispatch.md names too few functions")
    hook = {path: path.read_text() for path in (root / "src/hook").rglob("*") if path.suffix in [".cpp", ".h"]}
    passes = re.findall(r'^\s+\{"([\w-]+)", CodegenPass::', hook[root / "src/hook/PassPipeline.cpp"], re.M)
    passes += re.findall(r'StringRef name\(\) const override \{ return "([\w-]+)"; \}', "\n".join(hook.values()))
    about = (root / "docs/exec-in-hooks.md").read_text()
    described = re.findall(r"^\| `([\w-]+)` \|", section(about, "The passes"), re.M)
    if len(passes) < 20 or sorted(passes) != sorted(described):
        errors.append(f"docs/exec-in-hooks.md describes other passes than there are: {sorted(set(passes) ^ set(described))}")
    named = set(re.findall(r"`([a-z]+(?:-[a-z]+)+)`", about)) | set(re.findall(r"--(?:pass|until) ([\w-]+)", about))
    for name in sorted(named - set(passes) - reasons - {"luthier-pass"}):
        errors.append(f"docs/exec-in-hooks.md names the pass {name}, which does not exist")
    known = re.findall(r'^LUTHIER_TARGET\("(\w+)"', (root / "src/amdgpu/Targets.def").read_text(), re.M)
    works = section((root / "README.md").read_text(), "What works today")
    helps = next(line for line in (root / "docs/refusals.md").read_text().splitlines() if "`unsupported-target`" in line)
    executes = section((root / "README.md").read_text(), "A GPU where there is none")
    for place, text in [('README.md, "What works today",', works), ('README.md, "A GPU where there is none",', executes),
                        ("docs/refusals.md, unsupported-target,", helps)]:
        differ = sorted(set(re.findall(r"gfx\w+", text)) ^ set(known))
        if not known or differ:
            errors.append(f"{place} names other processors than Targets.def: {', '.join(differ)}")
    code = "\n".join(path.read_text() for folder in ["include", "src", "cmake", "plugin", "scripts", "test", "tools"]
                     for path in (root / folder).rglob("*")
                     if path.suffix in [".h", ".def", ".cpp", ".cmake", ".sh", ".txt", ".hip"])
    public = "\n".join(path.read_text() for path in (root / "include").rglob("*.h"))
    paths = [str(path.relative_to(root)) for folder in ["include", "src", "plugin", "examples", "test", "tools", "bench",
                                                        "scripts", "cmake"] for path in (root / folder).rglob("*")]
    # Pages that programs write may quote messages with paths.
    for page in sorted((root / "docs").glob("*.md")):
        for folder in re.findall(r"(?<![\w.])/(?:root|home|Users)/[^\s`:]+", page.read_text()):
            errors.append(f"{page.relative_to(root)} names a folder of the machine where it was written: {folder}")
    links = 0
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md")), *sorted((root / "tools").glob("*/*.md"))]:
        for link, anchor in re.findall(r"\]\(([^)#:]+)(#[^)]*)?\)", page.read_text()):
            links += 1
            if not (page.parent / link).exists():
                errors.append(f"{page.relative_to(root)} links to {link}, which does not exist")
            elif anchor and anchor[1:] not in anchors(page.parent / link):
                errors.append(f"{page.relative_to(root)} links to {link}{anchor}, a section that does not exist")
        text = page.read_text()
        for name in sorted(set(re.findall(r"`([\w/.-]+\.(?:cpp|h|def|py|sh|hip|cmake))`", text))):
            if not any(("/" + path).endswith("/" + name) for path in paths) and (page.name, name) not in EXAMPLES:
                errors.append(f"{page.relative_to(root)} names the file {name}, which does not exist")
        missing = [name for name in set(re.findall(r"\bLUTHIER_[A-Z_]+\b", text)) if not re.search(rf"\b{name}\b", code)]
        missing += [name for name in set(re.findall(r"\bluthier::(\w+)", text)) if not re.search(rf"\b{name}\b", public)]
        for name in sorted(missing):
            errors.append(f"{page.relative_to(root)} names {name}, which does not exist")
    errors += missing_names(root, "docs/life-of-an-instruction.md", "src/emulator")
    print("\n".join(errors) or f"guide, {len(reasons)} refusals and {links} links agree")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
