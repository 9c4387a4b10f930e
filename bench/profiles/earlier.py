# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What docs/pgo-table.md has of programs that a run did not measure: their rows stay, with the commit that they are of.
Figures are counts, so they are as good as new until the programs, the compiler or the emulator's model change."""
import re


def measured_of(text):
    """By program, the commits that a page says its figures are of; by None, those of all others."""
    found, programs = {}, [None]
    for part in text.split("; "):
        if older := re.fullmatch(r"(?:before that, )?([^ ,]+(?:, [^ ,]+)*) at (.*)", part):
            programs, part = older[1].split(", "), older[2]
            found |= dict.fromkeys(programs, part)
        else:
            # A run may have had several.
            found |= {program: "; ".join(filter(None, [found.get(program), part])) for program in programs}
    return found


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


class Earlier:
    """A page that was written before; an empty one has nothing."""

    def __init__(self, text="", measured_now=()):
        self.tables, self.losers, self.failures = {}, {}, []
        self.measured = measured_of((re.findall(r"^Measured: (.*)\. Programs: ", text, re.M) or [""])[0])
        partly = (re.findall(r"^Not measured, or only in part: (.*)\.$", text, re.M) or [""])[0].split(", ")
        self.left_out = {*partly, *measured_now}
        for section in text.split("\n## ")[1:]:
            self.read(*section.split("\n", 1))
        self.names = list(dict.fromkeys(row[0] for rows in self.tables.get(GAIN, {}).values() for row in rows))
        self.kept = {*self.names, *(name for name, _ in self.failures)}

    def read(self, title, text):
        group = None
        for line in text.splitlines():
            if not line.startswith("| "):
                group = None
                self.read_loser(line)
                self.read_failure(title, line)
            elif group is None:
                group = self.tables.setdefault(title, {}).setdefault(cells_of(line)[0], [])
            elif not line.startswith("| ---") and cells_of(line)[0] not in self.left_out:
                group.append(cells_of(line))

    def read_loser(self, line):
        """Builds, kernel and facts, without the reason."""
        if match := re.match(r"- \*\*(\S+)\*\*, (.*?\. `.*?`: .*?\.) ", line):
            if match[1] not in self.left_out:
                self.losers[match[1]] = match[2]

    def read_failure(self, title, line):
        """The line, by program."""
        if (match := re.match(r"- ([^ ,]+), ", line)) and title == FAILED and match[1] not in self.left_out:
            self.failures.append((match[1], line + "\n"))

    def commits(self):
        """Of all that stays."""
        named = {}
        for name in self.names:
            named.setdefault(self.measured.get(name, self.measured[None]), []).append(name)
        return "; ".join(f"{', '.join(names)} at {commit}" for commit, names in named.items())

    def rows(self, title, group):
        return self.tables.get(title, {}).get(group, [])

    def uses(self, column):
        """Of each program, what the table of gains has in this column, which counts from the first build's on."""
        return [cell for _, cell in self.cells(column)]

    def cells(self, column):
        """The same with the names of programs."""
        return [(row[0], cell) for rows in self.tables.get(GAIN, {}).values() for row in rows if (cell := row[1 + column]) != "-"]

    def grown(self, column, of_losers_by=None):
        """By how much cycles have grown, of each right build: to a tenth of a per cent, as the page has it. Of all, or of
        those whose builds of a route and weights are among the losers."""
        build = f"{' '.join(of_losers_by)} (" if of_losers_by else ""
        return [1 + float(cell.split(" / ")[2]) / 100 for name, cell in self.cells(column)
                if " / " in cell and (not build or build in self.losers.get(name, ""))]


GAIN = "Gain of the next compilation"
FAILED = "What failed"
