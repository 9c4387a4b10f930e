#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs under the tool branch-divergence, with counters in registers, in LDS and in
memory, for each wave and for all together: results stay the same, all ways count the same,
and each branch was executed as often as the emulator says. What collatz has to count is
computed here anew, lane by lane."""

import collections
import csv
import re

import harness
from harness import Failure

FIELDS = ("executed", "agreed", "lanes", "taken")
GROUP, FIRST, COUNT = 128, 0, 12345  # Of examples/programs/collatz.hip.


def split(active, taken):
    """One execution of a branch by a wave, as the tool counts it."""
    return (1, int(taken in (0, active)), active, taken)


class WaveCounts(collections.defaultdict):
    """By what a branch decides."""

    def __init__(self):
        super().__init__(lambda: [0, 0, 0, 0])

    def count(self, branch, active, taken):
        self[branch] = [a + b for a, b in zip(self[branch], split(active, taken))]


def next_value(value):
    return 3 * value + 1 if value % 2 else value // 2


def optimised_wave(counts, values):
    """What those in range execute: the loop's condition in front of it and at its end."""
    rest = [v for v in values if v > 1]
    counts.count("more than one", len(values), len(rest))
    while rest:
        counts.count("odd", len(rest), sum(v % 2 for v in rest))
        rest = [next_value(v) for v in rest]
        left = [v for v in rest if v > 1]
        counts.count("goes on", len(rest), len(left))
        rest = left


def plain_wave(counts, values):
    """The same as it is written: the condition in each round, where lanes part and where they leave the loop, and a
    branch by want of lanes around the `else`."""
    while values:
        rest = [v for v in values if v > 1]
        counts.count("goes on", len(values), len(rest))
        if rest:
            odd = sum(v % 2 for v in rest)
            counts.count("odd", len(rest), odd)
            counts.count("even", len(rest) - odd, 0)
        values = [next_value(v) for v in rest]


# What decides, and of how many branches.
OPTIMISED = (optimised_wave, {"in range": 1, "more than one": 1, "odd": 1, "goes on": 1})
PLAIN = (plain_wave, {"in range": 1, "goes on": 2, "odd": 1, "even": 1})


def collatz(wave_size, count_loop):
    """By wave, the counts of its branches, in any order."""
    waves = {}
    for wave in range(-(-COUNT // GROUP) * GROUP // wave_size):
        first = wave * wave_size
        values = [FIRST + first + lane for lane in range(wave_size)]
        in_range = max(0, min(wave_size, COUNT - first))
        waves[wave] = WaveCounts()
        waves[wave].count("in range", len(values), in_range)
        if in_range:
            count_loop(waves[wave], values[:in_range])
    return waves


def same_branch(told, expected):
    """Whether lanes go on or jump is the compiler's choice."""
    executed, agreed, lanes, taken = expected
    return tuple(told) in ((executed, agreed, lanes, taken), (executed, agreed, lanes, lanes - taken))


def of_libraries(counts, wave_size):
    """The addresses of branches that no wave executes twice, and each with all lanes, which agree: those in functions that
    ask for the sizes of the launch, where these are not inlined."""
    by_address = collections.defaultdict(set)
    for in_wave in counts.values():
        for address, of_branch in in_wave.items():
            by_address[address].add(tuple(of_branch))
    together = {split(wave_size, 0), split(wave_size, wave_size)}
    return {address for address, all_counts in by_address.items() if all_counts <= together}


def check_collatz(rows, wave_size, form):
    """Each branch of each wave, from the table of the tool."""
    count_loop, branches = form
    told = collections.defaultdict(dict)
    for row in rows:
        told[int(row["wave"])][row["address"]] = [int(row[f]) for f in FIELDS]
    if form is PLAIN:
        left_out = of_libraries(told, wave_size)
        rows = [row for row in rows if row["address"] not in left_out]
        told = {wave: {a: c for a, c in counts.items() if a not in left_out} for wave, counts in told.items()}
    expected = collatz(wave_size, count_loop)
    # The first wave that does everything says which is which.
    whole = next(w for w, counts in expected.items() if len({tuple(c) for c in counts.values()}) == len(branches))
    meaning = {}
    for address, counts in told[whole].items():
        fits = [name for name, c in expected[whole].items() if same_branch(counts, c)]
        if len(fits) != 1:
            raise Failure(f"wave {whole}: {address} counts {counts}, expected one of {dict(expected[whole])}")
        meaning[address] = fits[0]
    if collections.Counter(meaning.values()) != branches or {row["address"] for row in rows} != set(meaning):
        raise Failure(f"branches decide {meaning}, expected {branches}")
    for wave, counts in expected.items():
        for address, name in meaning.items():
            if not same_branch(told[wave].get(address, (0, 0, 0, 0)), counts[name]):
                raise Failure(f"wave {wave}, {name}: {address} counts {told[wave].get(address)}, not {counts[name]}")


def run_tool(arguments, directory, program, where, by_wave, *options):
    """The run, its JSON, and the rows of its waves."""
    settings = {} if where == "registers" else {f"LUTHIER_BRANCHES_IN_{where.upper()}": "1"}
    if by_wave:
        settings["LUTHIER_BRANCHES_BY_WAVE"] = "1"
    output = f"{directory}/{where}{'-by-wave' if by_wave else ''}"
    result = harness.run(
        [arguments.luthier, "run", "--tool", "branch-divergence", "--device", f"emulated:{arguments.device}"]
        + [*options, "--output", output, "--", program],
        settings,
    )
    result.expect(result.code == 0, "the program fails under the tool")
    rows = []
    if by_wave:
        with open(f"{output}/branch-divergence-waves.csv") as file:
            rows = list(csv.DictReader(file))
    return result, harness.read_json(f"{output}/branch-divergence.json"), rows


def without_place(told):
    """Kernels by name: those of several streams are launched in any order."""
    return sorted(({**kernel, "counted_in": ""} for kernel in told["kernels"]), key=lambda kernel: kernel["name"])


def in_order(rows):
    """Launches of several streams complete in any order."""
    return sorted(tuple(row[f] for f in ("kernel", "dispatch", "wave", "address") + FIELDS) for row in rows)


def repeats(kernel):
    """Whether waves execute a branch again and again."""
    return any(branch["executed"] > kernel["waves"] for branch in kernel["branches"])


def check_executions(arguments, directory, kernel):
    """Against the emulator's own counts of each instruction."""
    counts = f"{directory}/counts"
    result = harness.run([arguments.luthier, "exec", *arguments.exec.split(), "--counts", counts])
    result.expect(result.code == 0, "the kernel cannot be executed by itself")
    executed = {}
    with open(counts) as file:
        for line in file:
            if match := re.match(r"0x([0-9a-f]+)\s+(\d+)", line):
                executed[int(match[1], 16)] = int(match[2])
    for branch in kernel["branches"]:
        if branch["executed"] != executed.get(branch["address"]):
            raise Failure(f"{branch}: the emulator counts {executed.get(branch['address'])}")


def test(arguments, directory):
    for number, program in enumerate(arguments.programs):
        plain = harness.run_on_emulator(program.split(), arguments.emulator, arguments.device, f"{directory}/statistics")
        plain.expect(plain.code == 0, "the program fails without the tool")
        work = f"{directory}/{number}"
        result, told, rows = run_tool(arguments, work, program, "registers", True)
        result.expect(rows and told["kernels"], "no branch was counted")
        result.expect(not told["refused"], f"refused: {told['refused']}")
        result.expect(result.digest_line() == plain.digest_line(), "results differ")
        # Kernels that call code that is not lifted have no other choice.
        always = {k["counted_in"] for k in told["kernels"] if k["branches"]} & {"memory"}
        for where, by_wave in (("lds", True), ("memory", True), ("registers", False), ("lds", False), ("memory", False)):
            again, told_again, rows_again = run_tool(arguments, work, program, where, by_wave)
            again.expect(again.digest_line() == plain.digest_line(), "results differ")
            again.expect(without_place(told_again) == without_place(told), f"something else is counted in {where}")
            # Without rows of waves, what they execute once at most does not need LDS.
            places = {k["counted_in"] for k in told_again["kernels"] if k["branches"]
                      and (where == "memory" or by_wave or k["counted_in"] != "registers" or repeats(k))}
            again.expect(where == "registers" or places <= {where} | always,
                         f"counted in {places}, not in {where}")
            if by_wave:
                again.expect(in_order(rows) == in_order(rows_again), f"waves count something else in {where}")
        for kernel in told["kernels"]:
            for branch in kernel["branches"]:
                result.expect(branch["agreed"] <= branch["executed"] and branch["taken"] <= branch["lanes"],
                              f"{branch} is impossible")
        if arguments.collatz:
            # Not for all branches of the libraries' functions.
            result.expect(arguments.plain or told["kernels"][0]["counted_in"] == "registers", "there was room in registers")
            check_collatz(rows, arguments.collatz, PLAIN if arguments.plain else OPTIMISED)
            result.expect_in_stderr("collatz(unsigned int, unsigned int, unsigned int*): 1 dispatches")
            # Rows of waves without hooks say nothing.
            some = [in_order(run_tool(arguments, f"{work}/some", program, where, True, "--workgroups", "1-2")[2])
                    for where in ("registers", "lds", "memory")]
            result.expect(some[0] and some == some[:1] * 3, "waves without hooks are in the table")
        if arguments.exec:
            check_executions(arguments, work, told["kernels"][0])


if __name__ == "__main__":
    harness.main(
        [
            (["--device"], {"default": "gfx90a", "help": "what is emulated"}),
            (["--collatz"], {"type": int, "metavar": "LANES", "help": "the program is collatz, in such waves"}),
            (["--plain"], {"action": "store_true", "help": "compiled without optimisation"}),
            (["--exec"], {"help": "arguments of luthier exec that run the program's first kernel by itself"}),
            (["programs"], {"nargs": "+", "help": "programs"}),
        ],
        test,
    )
