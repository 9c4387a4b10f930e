# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What it costs to count branch divergence, on the kernels for which that was first published."""
import json
import sys
import tempfile

from figures import geometric_mean, ratio, table
from programs import environment, run, under_luthier, without_luthier

TITLE = "Branch divergence"
# Kernel, program's argument, and the published slow-downs of counters in global memory and in LDS.
KERNELS = [("layerForward", "layerForward", 2.62, 2.34), ("adjustWeights", "adjustWeights", 1.15, 1.19),
           ("fan1", "fan1", 2.36, 2.47), ("fan2", "fan2", 1.67, 1.77), ("hotspot", "hotspot", 1.53, 1.54),
           ("findK", "findK", 1.53, 1.29), ("invertMapping", "invertMapping", 0.94, 0.99),
           ("kmeansPoint", "kmeansPoint", 0.99, 1.02), ("euclid", "euclid", 1.51, 1.77)]
WAYS = {"registers": {}, "LDS": {"LUTHIER_BRANCHES_IN_LDS": "1"}, "memory": {"LUTHIER_BRANCHES_IN_MEMORY": "1"}}

EXPLANATION = """\
The tool `branch-divergence` on the nine kernels for which the cost of counting branch divergence was first published
(`bench/divergence/study.hip`, written anew, at the sizes that their suite has by default; Gaussian elimination has 256 unknowns).
Cells are *executed wave instructions / cycles of the [emulator's model](emulator-cycles.md)*, instrumented over original, on the
emulated gfx90a; both are exact. So are the counts: executions and lanes of each branch are those that the emulator counts.

- **registers**: the default: each wave counts in scalar registers, and adds to memory when it ends.
- **LDS**: at branches in loops, each wave adds to a row of its own in LDS, and gives the row to the sums when it ends. Other branches
  are counted as in registers, so that kernels without loops have no row: of these, all but findK, invertMapping and kmeansPoint.
- **memory**: one atomic addition at each branch.
- *published*: kernel time over kernel time on hardware, with counters in global memory and in LDS. Times are not cycles of a
  model: the columns show where the published tool had its costs. What lies below 1 there, a model in which each instruction
  takes its time cannot reach.
"""


def kernels(texts):
    """Of the emulator's statistics: wave instructions and cycles by mangled name."""
    result = {}
    for text in texts:
        for kernel in json.loads(text)["kernels"]:
            costs = result.setdefault(kernel["name"], [0, 0])
            costs[0] += kernel["wave_instructions"]
            costs[1] += kernel["cycles"]
    return result


def costs_of(name, found):
    matches = [costs for mangled, costs in found.items() if mangled.startswith(f"_Z{len(name)}{name}P")
               or mangled.startswith(f"_Z{len(name)}{name}i")]
    if len(matches) != 1:
        sys.exit(f"error: {len(matches)} kernels are called {name}: {sorted(found)}")
    return matches[0]


def executed(command, folder, variables):
    statistics = f"{folder}/statistics.json"
    run(command, {**variables, "LUTHIER_EMULATOR_STATS": statistics}, folder)
    with open(statistics) as file:
        return kernels([file.read()])


def check_executions(name, told, counts):
    """What the tool says of each branch against the emulator's count of its instruction."""
    for kernel in told["kernels"]:
        instructions = next(k["instructions"] for k in counts["kernels"] if k["name"] == kernel["name"])
        at = {address: [waves, lanes] for address, waves, lanes in instructions}
        for branch in kernel["branches"]:
            if [branch["executed"], branch["lanes"]] != at.get(branch["address"], [0, 0]):
                sys.exit(f"error: {name}: {branch}, but the emulator counts {at.get(branch['address'])}")


def measure(build, name, argument):
    """Instructions of the original, and ratios by way."""
    command = ("bin/bench/study", argument)
    with tempfile.TemporaryDirectory() as folder:
        counting = without_luthier(build, LUTHIER_EMULATOR_COUNTS=f"{folder}/counts.json")
        before = costs_of(name, executed([build / command[0], argument], folder, counting))
        with open(f"{folder}/counts.json") as file:
            counts = json.load(file)
    result = {}
    for way, variables in WAYS.items():
        with tempfile.TemporaryDirectory() as folder:
            after = costs_of(name, executed(under_luthier(build, folder, command, "branch-divergence"), folder,
                                            environment(build, **variables)))
            with open(f"{folder}/branch-divergence.json") as file:
                told = json.load(file)
            if told["refused"]:
                sys.exit(f"error: {name}: refused: {told['refused']}")
            check_executions(name, told, counts)
        result[way] = [ratio(f"{name}, {way}", a, b) for a, b in zip(after, before)]
    return before[0], result


def cell(costs):
    return " / ".join(f"{figure:.2f}" for figure in costs)


def section(build, names):
    wanted = names.split(",") if names else [kernel for kernel, *_ in KERNELS]
    if unknown := sorted(set(wanted) - {kernel for kernel, *_ in KERNELS}):
        sys.exit(f"error: no kernel is called {', '.join(unknown)}")
    rows, results = [], []
    for kernel, argument, in_global, in_lds in KERNELS:
        if kernel not in wanted:
            continue
        instructions, costs = measure(build, kernel, argument)
        results.append((costs, in_global, in_lds))
        rows.append([kernel, f"{instructions:,}", *(cell(costs[way]) for way in WAYS), f"{in_global:.2f}", f"{in_lds:.2f}"])
        print(f"branch divergence: {kernel}: measured", flush=True)
    means = [cell([geometric_mean(side) for side in zip(*(costs[way] for costs, _, _ in results))]) for way in WAYS]
    published = [f"{geometric_mean([row[column] for row in results]):.2f}" for column in (1, 2)]
    rows.append([f"geometric mean of {len(results)}", "", *means, *published])
    return EXPLANATION + "\n" + table(["kernel", "instructions", *WAYS, "published, global", "published, LDS"], rows)
