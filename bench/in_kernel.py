# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What hooks cost in the kernel: wave instructions and cycles of the emulator's model, instrumented over original. Both are
exact, so programs may share the machine."""
import concurrent.futures
import json
import os
import pathlib
import sys
import tempfile

from figures import geometric_mean, ratio, sums, table
from programs import chosen, environment, run, under_luthier, without_luthier

TITLE = "In the kernel"
# Column, hook of bench/tools/CostHooks.hip, whether everything live is saved around each call.
HOOKS = [("empty", "empty", False), ("blocks", "blocks", False), ("blocks, save-all", "blocks", True),
         ("atomic", "atomic", False), ("atomic, save-all", "atomic", True),
         ("store", "store", False), ("store, save-all", "store", True)]
SOURCE = "source"
COLUMNS = ["empty", "blocks", "blocks, save-all", SOURCE, "atomic", "atomic, save-all", "store", "store, save-all"]

EXPLANATION = """\
Each cell is *executed wave instructions / cycles of the [emulator's model](emulator-cycles.md)* on the emulated gfx90a,
instrumented over original, summed over the program's kernels. Both are exact: every run gives the same. Of each program,
*groups* is the workgroups of its largest dispatch, *instructions* the wave instructions of the original. The hooks are in
`bench/tools/CostHooks.hip`:

- **empty**: a hook without a body at each instruction.
- **blocks**: exact counts of the wave's and the lanes' instructions by `countInstructions()`, as the tool `instr-count` makes
  them: by block, in wave counters, as few additions as suffice, added to memory where the wave ends. The run fails if a
  count differs from the emulator's.
- **source**: the same two counts, compiled into the program by a pass behind the optimiser (`bench/counted/CountBlocks.cpp`):
  the lower bound. It adds up in scalar registers, in each block, and makes two atomic additions where the wave ends. Over
  the same program by the same compiler, which is Luthier's, not the distribution's. Libraries are not built from source.
- **atomic**: at each instruction, an atomic addition to a global counter once a wave, as the published tool has it.
- **store**: at each instruction, each active lane stores a register of the application.
- **save-all**: the same hook at the same points, with everything that is live saved and restored around it, as trampolines
  do. Not of two programs that would be emulated for more than half an hour.
"""


def read_all(folder, pattern):
    return [path.read_text() for path in pathlib.Path(folder).glob(pattern)]


def statistics(command, folder, variables):
    """A folder for each run: several processes may write into it."""
    run(command, {**variables, "LUTHIER_EMULATOR_STATS": f"{folder}/stats.%p.json"}, folder)
    return sums(read_all(folder, "stats.*.json"))


def original(build, command):
    with tempfile.TemporaryDirectory() as folder:
        return statistics([build / command[0], *command[1:]], folder, without_luthier(build))


def check_counts(program, hook, reports, before):
    """Every kernel had its hooks, and what they counted is what the emulator saw."""
    refused = [kernel for report in reports for kernel in report["refused"]]
    if refused:
        sys.exit(f"error: {program.name}, {hook}: refused: {refused}")
    totals = [row for report in reports for row in report["kernels"] if not row["name"]]
    if not totals:
        sys.exit(f"error: {program.name}, {hook}: the tool has reported nothing")
    if hook == "blocks" and not any(row["partly"] for row in totals):
        counted = [sum(row[field] for row in totals) for field in ["waves", "lanes"]]
        executed = [before["wave_instructions"], before["lane_instructions"]]
        if counted != executed:
            sys.exit(f"error: {program.name}: {counted} wave and lane instructions were counted, {executed} executed")


def instrumented(build, program, hook, saves_all, before):
    """Statistics, and the workgroups of the largest dispatch."""
    with tempfile.TemporaryDirectory() as folder:
        variables = environment(build, LUTHIER_COST_HOOK=hook, **({"LUTHIER_BENCH_SAVE_ALL": "1"} if saves_all else {}))
        after = statistics(under_luthier(build, folder, program.command, "cost-hooks"), folder, variables)
        reports = [json.loads(text) for text in read_all(folder, "cost-hooks*.json") if text]
        check_counts(program, hook, reports, before)
        return after, max(row["groups"] for report in reports for row in report["kernels"])


def costs(name, after, before):
    return tuple(ratio(f"{name}, {field}", after[field], before[field]) for field in ["wave_instructions", "cycles"])


def measure(build, program):
    """Groups, instructions of the original, and costs by column."""
    before = original(build, program.command)
    result, groups = {}, 0
    for column, hook, saves_all in HOOKS:
        if saves_all and not program.is_saving_all:
            continue
        after, groups = instrumented(build, program, hook, saves_all, before)
        result[column] = costs(f"{program.name}, {column}", after, before)
    if groups < program.least_groups:
        sys.exit(f"error: {program.name} has {groups} workgroups; {program.least_groups} are wanted")
    if program.has_source_count:
        plain, counted = (original(build, (f"bin/bench/{kind}/{kind}-{program.name}", *program.command[1:]))
                          for kind in ["plain", "counted"])
        result[SOURCE] = costs(f"{program.name}, source", counted, plain)
    return groups, before["wave_instructions"], result


def cell(column, cost):
    digits = 4 if column == "empty" else 2
    return " / ".join(f"{figure:.{digits}f}" for figure in cost) if cost else "-"


def means(title, results):
    r"""A row over \p results; of columns that all of them have."""
    row = [title, "", ""]
    for column in COLUMNS:
        every = [result[column] for result in results if column in result]
        row.append(cell(column, [geometric_mean(side) for side in zip(*every)] if len(every) == len(results) else None))
    return row


def section(build, names):
    programs = chosen(names)
    with concurrent.futures.ThreadPoolExecutor(min(2, len(os.sched_getaffinity(0)))) as pool:
        futures = {program.name: pool.submit(measure, build, program) for program in programs}
        for future in concurrent.futures.as_completed(futures.values()):
            name = next(name for name, known in futures.items() if known is future)
            print(f"in the kernel: {name}: " + (f"{future.exception()!r}" if future.exception() else "measured"), flush=True)
        measured_programs = {name: future.result() for name, future in futures.items()}
    rows = [[name, groups, f"{instructions:,}", *(cell(column, result.get(column)) for column in COLUMNS)]
            for name, (groups, instructions, result) in measured_programs.items()]
    results = [result for _, _, result in measured_programs.values()]
    rows.append(means(f"geometric mean of {len(results)}", results))
    for column, title in [("blocks, save-all", "save-all"), (SOURCE, "source")]:
        with_column = [result for result in results if column in result]
        if with_column and len(with_column) != len(results):
            rows.append(means(f"of the {len(with_column)} with *{title}*", with_column))
    return EXPLANATION + "\n" + table(["program", "groups", "instructions", *COLUMNS], rows)
