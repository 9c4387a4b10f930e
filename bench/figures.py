# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of benchmarks: one that was never measured ends the benchmark."""
import json
import math
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def measured(name, value):
    r"""Returns \p value; exits if it is absent, zero, negative, infinite or not a number."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value <= 0:
        sys.exit(f"error: {name} was not measured (it is {value})")
    return value


def ratio(name, value, base):
    return measured(name, value) / measured(f"what {name} is compared with", base)


def geometric_mean(values):
    values = [measured("a figure of a mean", value) for value in values]
    measured("number of figures of a mean", len(values))
    return math.exp(sum(map(math.log, values)) / len(values))


def sums(texts):
    """Of the kernels in the emulator's statistics of a program's processes: wave and lane instructions, cycles. ROCr's
    own kernels belong to no code object; tools never see them."""
    kernels = [kernel for text in texts for kernel in json.loads(text)["kernels"]
               if not kernel["name"].startswith("rocr.")]
    return {field: measured(field, sum(kernel[field] for kernel in kernels))
            for field in ["wave_instructions", "lane_instructions", "cycles"]}


def table(header, rows):
    """In Markdown, the first column to the left and the others to the right."""
    for row in rows:
        if len(row) != len(header):
            sys.exit(f"error: a row of {len(row)} columns under {len(header)}: {row}")
    lines = [header, ["---"] + ["--:"] * (len(header) - 1), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def with_section(page, title, body):
    r"""The page with the section \p title replaced by \p body, or, if it has none, with it behind the others."""
    before, found, after = page.partition(f"\n## {title}\n")
    rest = after.partition("\n## ")
    return (before.rstrip("\n") + f"\n\n## {title}\n\n{body.strip()}\n"
            + (f"\n## {rest[2]}" if found and rest[1] else ""))


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"^model name\s*: (.*)$", text, re.M)
    memory = re.search(r"^MemTotal:\s*(\d+) kB", pathlib.Path("/proc/meminfo").read_text(), re.M)
    return (f"{model[1] if model else os.uname().machine}, {len(os.sched_getaffinity(0))} cores, "
            f"{int(memory[1]) / 2 ** 20:.0f} GiB")


def commit(page):
    r"""Of the tree, but for the \p page that is written."""
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True, text=True).stdout.strip()
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", f":!{page}")
    return git("rev-parse", "--short=10", "HEAD") + (" with changes" if changed else "")
