#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables of docs/real-programs.md anew from what run.py has recorded:
table.py [--keep] RESULTS.jsonl COMMIT

With --keep, what the page says of suites, versions and GPUs without a record stays."""

import argparse
import json
import os
import pathlib
import re
import sys
from dataclasses import dataclass, field

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/real-programs.md"
MODES = ("counted", "scrambled")
HEAD = ["suite", "ROCm", "GPU", "programs", "tests", "chosen", "run", "passed plain", "failed plain", "skipped", "cut off", *MODES,
        "changed", "kernels refused", "strict", "strict failed", "plain, s", "counted, s", "scrambled, s", "wave instructions"]


def last_of_each(lines):
    """A unit that ran several times counts as it did last, but other samples of its
    tests count beside it. Runs of some tests by name count where no other is."""
    records = {}
    for line in lines:
        r = json.loads(line)
        records[*unit_of(r), r.get("only", ""), r["step"], r["offset"]] = r
    of_all = {unit_of(r) for r in records.values() if not r.get("only")}
    return [r for r in records.values() if not r.get("only") or unit_of(r) not in of_all]


def unit_of(record):
    return *row_of(record), record["unit"]


def row_of(record):
    return record["suite"], record["rocm"], record["device"]


def row(suite, rocm, device, records):
    def total(value):
        return sum(value(record) or 0 for record in records)

    def seconds(name):
        return f"{total(lambda r: r.get(name)):,.0f}"

    # Some programs do not say how many tests they have.
    tests = sum({r["unit"]: r["tests"] or r["run"] for r in records}.values())
    passed = total(lambda r: r["passed"])
    judged = [passed - total(lambda r: r["lost"].get(mode)) for mode in MODES]
    refused = len({kernel for r in records for kernel in r["refused"]})
    cells = [suite, rocm, device, len({r["unit"] for r in records}), tests, total(lambda r: r["chosen"] or r["run"]),
             total(lambda r: r["run"]), passed, total(lambda r: len(r["failed"])), total(lambda r: r["skipped"]),
             total(lambda r: len(r["cut_off"])), *judged, total(lambda r: len(r["changed"])), refused,
             total(lambda r: r.get("strict")), total(lambda r: len(r.get("strict_failed", []))), seconds("seconds"),
             seconds("counted_seconds"), seconds("scrambled_seconds"), total(lambda r: r["instructions"])]
    return "| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else cell for cell in cells) + " |"


def failures(records):
    """Tests that failed, with what the program died of if it did, and programs that
    ended otherwise than well without a failed test."""
    found = []
    for r in records:
        names = [f"{name}, ends with {r['died'][name]}" if name in r["died"] else name for name in r["failed"]]
        names = names or ([f"ends with {r['ended_with']}"] if r.get("ended_with") else [])
        found += [(*row_of(r), os.path.basename(r["unit"]), name) for name in names]
    return sorted(found)


def named(records, which):
    return sorted((*row_of(r), os.path.basename(r["unit"]), name) for r in records for name in r.get(which, []))


@dataclass
class Tables:
    """What the page says, line by line."""

    commit: str = ""  # Of all rows but
    older: dict = field(default_factory=dict)  # those with commits of their own, by suite, ROCm and GPU.
    rows: dict = field(default_factory=dict)  # By suite, ROCm and GPU.
    lists: dict = field(default_factory=dict)  # By title, lines by what they say.

    def commits(self):
        named = {}
        for (suite, rocm, device), commit in sorted(self.older.items()):
            named.setdefault(commit, []).append(f"{suite} {rocm} on {device}")
        return "; ".join([self.commit, *(f"{', '.join(names)} of {commit}" for commit, names in named.items())])

    def write(self):
        yield f"Of commit {self.commits()}:"
        yield ""
        yield "| " + " | ".join(HEAD) + " |"
        yield "|---|---|---|" + "---:|" * (len(HEAD) - 3)
        yield from (line for _, line in sorted(self.rows.items()))
        for title, lines in self.lists.items():
            if lines:
                yield from ("", title, "")
                yield from sorted(lines)


def tables_of(records, commit):
    made = Tables(commit)
    for key in {row_of(r) for r in records}:
        made.rows[key] = row(*key, [r for r in records if row_of(r) == key])
    lists = {"Failed plainly, without a tool:": failures(records), "Cut off:": named(records, "cut_off"),
             "Failed in strict mode:": named(records, "strict_failed")}
    for title, found in lists.items():
        made.lists[title] = [f"- {suite} {rocm}, {unit}, {device}: `{name}`" for suite, rocm, device, unit, name in found]
    return made


def read(text):
    """What write() has written."""
    found, title = Tables(), None
    for line in text.splitlines():
        if begin := re.fullmatch("Of commit (.*):", line):
            found.commit, *older = begin[1].split("; ")
            for names, commit in (group.split(" of ", 1) for group in older):
                found.older |= {re.fullmatch(r"(\S+) (.*) on (gfx\w+)", name).groups(): commit for name in names.split(", ")}
        elif begin := re.match(r"\| (\S+) \| ([^|]+) \| (gfx\w+) \|", line):
            found.rows[begin.groups()] = line
        elif line.startswith("- "):
            found.lists[title].append(line)
        elif line.endswith(":"):
            title = line
            found.lists[title] = []
    return found


def keep(new, old):
    """What OLD says of what NEW does not, and of which commit that is."""
    left = old.rows.keys() - new.rows.keys()
    new.rows |= {key: old.rows[key] for key in left}
    for title, lines in old.lists.items():
        about = (re.match(r"- (\S+) ([^,]*), [^,]*, ([^:]*):", line).groups() for line in lines)
        new.lists.setdefault(title, []).extend(line for line, key in zip(lines, about) if key in left)
    new.older = {key: old.older.get(key, old.commit) for key in left}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("commit")
    arguments = parser.parse_args()
    records = last_of_each(arguments.results.read_text().splitlines())
    if not records:
        sys.exit(f"{arguments.results}: no record")
    before, old, after = re.split(r"(?<=<!-- table -->\n)(.*)(?=<!-- end -->)", PAGE.read_text(), flags=re.S)
    new = tables_of(records, arguments.commit)
    if arguments.keep:
        keep(new, read(old))
    PAGE.write_text(before + "\n".join(new.write()) + "\n" + after)


if __name__ == "__main__":
    main()
