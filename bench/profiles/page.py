# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/pgo-table.md, of the records of bench/pgo.py."""
import re

from figures import geometric_mean, table
from profiles.earlier import FAILED, Earlier
from profiles.losers import REASONS, UNTOLD
from profiles.measure import COSTS, COUNTERS, RELEASES, TOLERANCE, WEIGHTS, WITH_CALLS
from profiles.programs import GROUPS, PROGRAMS as CATALOGUE

USES = [(route, "lanes") for route in COUNTERS] + [(route, weights) for route in RELEASES for weights in WEIGHTS]
CALLS_KNOWN = [(route, WITH_CALLS) for route in RELEASES]

HEAD = """# What profiles cost, and what they bring

This page shows what it costs to collect a profile on each route, and what the next compilation gains.
[pgo.md](pgo.md#which-route-for-what) says which route to choose. `bench/pgo.py` measures the figures and writes the page.

clang 22.1 compiles the programs for gfx90a with `-O3 -ffp-contract=on`, so that builds round alike; they run on the emulated GPU.
Figures are counts, not times: every run gives the same. *Cycles* are those of a [model](emulator-cycles.md) without caches. Each
build was [judged](pgo-judge.md) against the one without a profile, and counts only if it printed the same. DIFFERENT is a build
that computes something else, because of [an error of clang](pgo-judge.md#known-wrong-builds). A dash means that there is no figure:
the build was not measured, or needs one that is DIFFERENT.

A figure like *-8.0 / -3.1 / -2.0* is the change of wave instructions, of lane instructions and of cycles, in per cent, of all
kernels of a program together.

"""
PROGRAMS = """## The programs

- **examples**: of `examples/programs`.
- **kernels**: of `bench/profiles/kernels`, each with one shape of code that profiles can change.
- **rocPRIM**: its scan and its sorts, of ROCm 6.4 in Debian.
- **llama.cpp**: files of kernels of its GPU backend, unchanged, each with a driver of this tree (`bench/profiles/llama`). The
  source is the one in the npm package node-llama-cpp. The whole backend was not compiled: it has 188 such files, and each program
  is compiled thirteen times.
- **others**: small examples of rocThrust and hipCUB, from their source packages in Debian.

`bench/profiles/sources.sh` fetches what others wrote. Debian's archive lists sources of llama.cpp, HIP and rocRAND, but did not
serve their files. The rocPRIM of ROCm 5.2 does not compile with clang 22, and the HIP of 5.2 crashes where this compiler's kernels
call through pointers, so such programs run with ROCm 6.4.

"""
IN_SHORT = """## In short

*Builds* are those that use a profile. In *better* and *worse* ones, cycles changed by more than a per cent. *Kept* are those that
[`luthier pgo optimize`](#what-is-kept) leaves, and the mean of cycles is then that of these and of the builds without a profile that
it leaves of the other programs.

"""
COST = """## Cost of collecting

The first column has the wave instructions and cycles of the build without a profile; the others have the changes while a run
collects, in per cent. With `counters`, `ir` and `cs`, counters are in the code. A build of `cs` already uses the profile of `ir`,
so it can even be faster. With *hooks*, the engine counts a release as it is (`luthier pgo collect --count-by hooks`, here the
release with lines). The emulator's own counts (`--count-by emulator`) have no column, since they add no instruction.

"""
MARKS = """## What a release knows

*Code* says whether the release with probes, or with lines, has the same machine code as the release without, byte for byte; *other*
code printed the same. *Probes* and *lines* are shares of the instructions that waves executed: those in a basic block with a probe,
and those that have a line. *By hooks* says whether hooks and emulator gave the same profile, byte for byte. Profiles differ where
code runs [without hooks](writing-a-tool.md#which-functions-have-hooks).

What has neither is code that the compiler made and no block of the source stands for: in `interpreter`, the comparisons into which it
splits the `switch`, and the blocks where lanes meet again; in `pointer-chase`, 388 instructions that it takes out of the loop, to a
block before; in `table-call`, the loop over the functions that the lanes call. The blocks of the source keep their counts, so a low
share does not mean that a profile lacks them.

"""
GAIN = """## Gain of the next compilation

Each column is a route, with what the weights of its profile count. The compiler's counters count lanes.

"""
CALLS = """## Gain where called functions are known

With `luthier pgo collect --calls`, a profile of a release also has the functions that are called through pointers, so that the
compiler can turn such calls into direct ones. The table has the programs with such calls.

"""
KEPT = """## What is kept

What `luthier pgo optimize` leaves of these builds: the change of cycles, in per cent. Kernels that became worse are taken out of the
profile, until no kernel is worse or those that are worse are not in the profile. If all kernels together then do not gain, the build
without a profile stays (*plain*).

"""
RESOURCE = """## Registers and spills

The table has the builds above that changed one of these numbers: the most VGPRs, SGPRs and bytes of scratch of any kernel, the
registers spilled in all kernels, and the fewest waves per SIMD.

"""
LOSERS = """## Losers, and why

These builds need over a per cent more cycles; the kernel is the one that lost most. `luthier pgo optimize` takes such kernels out
of the profile ([what is kept](#what-is-kept)).

"""


class Measured:
    """The records of one program."""

    def __init__(self, name, group):
        self.name, self.group, self.records = name, group, {}

    def get(self, kind, route=None, weights=None):
        return self.records.get((kind, route, weights))

    @property
    def plain(self):
        return self.get("plain")

    @property
    def is_right(self):
        return self.plain["verdict"] == "same"


def programs_of(records):
    programs = {}
    for record in records:
        if record["kind"] != "end":
            program = programs.setdefault(record["program"], Measured(record["program"], record["group"]))
            if record["kind"] == "plain":
                # It was run again, having been cut off.
                program.records.clear()
            program.records[record["kind"], record.get("route"), record.get("weights")] = record
    return sorted(programs.values(), key=lambda program: GROUPS.index(program.group))


def per_cent(before, after):
    return f"{(after / before - 1) * 100:+.1f}"


def change(record, base, keys):
    if not record:
        return "-"
    if record["verdict"] != "same":
        return "DIFFERENT" if record["verdict"] == "DIFFERENT" else "fails"
    return " / ".join(per_cent(base[key], record["after"][key]) for key in keys)


def grown(record):
    return record["after"]["cycles"] / record["before"]["cycles"]


def cost_rows(programs):
    keys = ("wave_instructions", "cycles")
    for program in programs:
        base = program.plain["before"]
        yield [program.name, f"{base['wave_instructions']:,} / {base['cycles']:,}",
               *(change(program.get("collect", route), base, keys) for route in COUNTERS),
               change(program.get("hooks", "lines"), base, keys)]


def mark_rows(programs):
    for program in programs:
        row = [program.name]
        for route in RELEASES:
            record = program.get("release", route)
            if not record or record["verdict"] != "same":
                row += [change(record, None, ()), "-"]
            else:
                share = record["marked"].get(route)
                row += ["same" if record["same_code"] else "other", "-" if share is None else f"{share:.1f} %"]
        hooks = program.get("hooks", "lines")
        yield row + ["-" if not hooks or hooks["verdict"] != "same" else "same" if hooks["same_profile"] else "DIFFERENT"]


def gain_rows(programs):
    for program in programs:
        yield [program.name, *(change(program.get("use", *use), program.plain["before"], COSTS) for use in USES)]


def kept_rows(programs):
    for program in programs:
        yield [program.name, *(kept_cell(program, use) for use in USES)]


def kept_cell(program, use):
    record, used = program.get("kept", *use), program.get("use", *use)
    # A wrong build is none to keep, nor is one that fails.
    if record and not record.get("is_used", True) or used and used["verdict"] != "same":
        return "plain"
    return change(record, program.plain["before"], ["cycles"])


def kept_cells(programs, earlier, column):
    """Of all programs, in this column."""
    rows = [*kept_rows(programs), *(row for group in GROUPS for row in earlier.rows(KEPT[3:].split("\n")[0], group))]
    return [cell for row in rows if (cell := row[1 + column]) == "plain" or cell[0] in "+-" and cell != "-"]


def calls_rows(programs):
    uses = [(route, weights) for route in RELEASES for weights in ("waves", WITH_CALLS)]
    for program in programs:
        if any(program.get("use", *use) for use in CALLS_KNOWN):
            yield [program.name, *(change(program.get("use", *use), program.plain["before"], COSTS) for use in uses)]


def calls_table(programs, earlier):
    rows = in_order([*calls_rows(programs), *earlier.rows(CALLS[3:].split("\n")[0], "program")])
    header = ["program", *(f"{route}, {weights}" for route in RELEASES for weights in ("waves", "--calls"))]
    return CALLS + table(header, rows) + "\n" if rows else ""


def uses_of(programs):
    """Of each program, each right build that used a profile."""
    for program in programs:
        for use in (*USES, *CALLS_KNOWN):
            record = program.get("use", *use)
            if record and record["verdict"] == "same":
                yield program, use, record


def spilled(costs):
    return sum(costs.get(f"{kind}gpr_spill_count", 0) for kind in "sv")


def resource_rows(programs):
    for program, (route, weights), record in uses_of(programs):
        cells = []
        for of in (lambda c: c["vgprs"], lambda c: c["sgprs"], lambda c: c["scratch_bytes"], spilled,
                   lambda c: c["waves_per_simd"]):
            before, after = of(record["before"]), of(record["after"])
            cells.append(f"{before} > {after}" if before != after else str(before))
        if any(">" in cell for cell in cells):
            yield [program.name, f"{route}, {weights}", *cells]


def worst_kernel(record):
    """Its name, and what it cost before and after."""
    kernels = [(name, sides) for name, sides in record["kernels"].items() if sides["before"] and sides["after"]]
    name, sides = max(kernels, key=lambda kernel: kernel[1]["after"]["cycles"] - kernel[1]["before"]["cycles"])
    return name, sides


def losers(programs, earlier):
    """Text, by program."""
    found = dict(earlier.losers)
    for program in programs:
        lost = [(use, record) for _, use, record in uses_of([program]) if grown(record) > 1 + TOLERANCE]
        if not lost:
            continue
        builds = ", ".join(f"{route} {weights} ({(grown(record) - 1) * 100:+.1f} %)" for (route, weights), record in lost)
        worst = max((record for _, record in lost), key=grown)
        name, sides = worst_kernel(worst)
        facts = [f"{label} {of(sides['before']):,} > {of(sides['after']):,}" for label, of in (
            ("cycles", lambda c: c["cycles"]), ("wave instructions", lambda c: c["wave_instructions"]),
            ("VGPRs", lambda c: c["vgprs"]), ("SGPRs", lambda c: c["sgprs"]), ("scratch", lambda c: c["scratch_bytes"]),
            ("spilled", spilled)) if of(sides["before"]) != of(sides["after"])]
        found[program.name] = f"{builds}. `{name[:60]}`: {', '.join(facts)}."
    return "".join(f"- **{name}**, {found[name]} {REASONS.get(name, UNTOLD)}\n" for name in ordered(found)) or "None.\n"


def summary_rows(programs, earlier):
    for column, use in enumerate(USES):
        tried = [record for program in programs if (record := program.get("use", *use))]
        right = [grown(record) for record in tried if record["verdict"] == "same"] + earlier.grown(column)
        verdicts = [record["verdict"].split(":")[0] for record in tried] + earlier.uses(column)
        means = [f"{(of(right) - 1) * 100:+.1f}" if right else "-" for of in (geometric_mean, min, max)]
        better, worse = sum(ratio < 1 - TOLERANCE for ratio in right), sum(ratio > 1 + TOLERANCE for ratio in right)
        # Rounded, they need not be more than that.
        worse += sum(ratio == 1 + TOLERANCE for ratio in earlier.grown(column, of_losers_by=use))
        left = kept_cells(programs, earlier, column)
        ratios = [1 if cell == "plain" else 1 + float(cell) / 100 for cell in left]
        yield [", ".join(use), len(verdicts), better, worse, len(right) - better - worse,
               verdicts.count("DIFFERENT"), verdicts.count("fails"), *means,
               len(left) - left.count("plain") if left else "-", f"{(geometric_mean(ratios) - 1) * 100:+.1f}" if left else "-"]


def failures(programs, earlier):
    found = [(program.name, f"- {program.name}, {' '.join(filter(None, key))}: "
                            f"{without_folders(record['verdict'].removeprefix('fails: '))}\n")
             for program in programs for key, record in program.records.items() if record["verdict"].startswith("fails")]
    return f"## {FAILED}\n\n" + "".join(line for _, line in in_order(found + earlier.failures)) if found + earlier.failures else ""


def without_folders(text):
    """Of absolute paths only the names, since the folders are the machine's."""
    return re.sub(r"(?<![\w.])/(?:[^\s/:'\"]+/)+", "", text)


def ordered(names):
    """As in the catalogue."""
    places = {program.name: place for place, program in enumerate(CATALOGUE)}
    return sorted(names, key=lambda name: places.get(name, len(places)))


def in_order(rows):
    rows = list(rows)
    return [row for name in ordered(dict.fromkeys(row[0] for row in rows)) for row in rows if row[0] == name]


def missing(records, earlier):
    """Of the catalogue, what a run that was cut off has not come to."""
    ended = {record["program"] for record in records if record["kind"] == "end"} | earlier.kept
    names = [program.name for program in CATALOGUE if program.name not in ended]
    return f"Not measured, or only in part: {', '.join(names)}.\n\n" if names else ""


def by_group(section, header, programs, rows, earlier):
    """A table for each group."""
    text, title = section, section[3:].split("\n")[0]
    for group in GROUPS:
        members = [program for program in programs if program.group == group]
        if of_group := in_order([*rows(members), *earlier.rows(title, group)]):
            text += table([group, *header], of_group) + "\n"
    return text


def when(records, earlier):
    """Which commits the figures are of."""
    commits = {record["measured"] for record in records if record["kind"] == "end"}
    of_hooks = {record["measured"] for record in records if record["kind"] == "hooks" and "measured" in record}
    commits |= {f"columns *hooks* and *by hooks*: {commit}" for commit in of_hooks}
    if not earlier.names:
        return "; ".join(sorted(commits))
    return f"{'; '.join(sorted(commits))}; before that, {earlier.commits()}"


def written(records, page=""):
    """The page of the records, with the rows of an earlier page for programs that none are of."""
    every = programs_of(records)
    earlier = Earlier(page, [record["program"] for record in records if record["kind"] == "end"])
    # What a run has begun is not measured.
    every = [program for program in every if program.name not in earlier.kept]
    programs = [program for program in every if program.is_right]
    names = [f"{route}, {weights}" for route, weights in USES]
    text = HEAD + f"Measured: {when(records, earlier)}. Programs: {len(programs) + len(earlier.names)}.\n\n"
    text += PROGRAMS + missing(records, earlier) + IN_SHORT + table(
        ["route, weights", "builds", "better", "worse", "alike", "DIFFERENT", "failed", "mean of cycles, %", "best, %", "worst, %",
         "kept", "mean of cycles kept, %"],
        list(summary_rows(programs, earlier))) + "\n"
    text += by_group(GAIN, names, programs, gain_rows, earlier) + calls_table(programs, earlier)
    text += by_group(KEPT, names, programs, kept_rows, earlier) + LOSERS + losers(programs, earlier) + "\n"
    resources = in_order([*resource_rows(programs), *earlier.rows("Registers and spills", "program")])
    text += RESOURCE + table(["program", "build", "VGPRs", "SGPRs", "scratch bytes", "spilled", "waves"], resources) + "\n"
    text += by_group(COST, ["plain", *COUNTERS, "hooks"], programs, cost_rows, earlier)
    text += by_group(MARKS, ["code with probes", "probes", "code with lines", "lines", "by hooks"], programs, mark_rows, earlier)
    return (text + failures(every, earlier)).rstrip("\n") + "\n"
