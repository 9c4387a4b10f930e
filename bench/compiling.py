# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Luthier's headers cost whoever compiles a tool with one hook."""
import pathlib
import resource
import shlex
import statistics
import subprocess
import tempfile

from figures import measured, table

TITLE = "Compiling a tool"
ROUNDS = 5
EXPLANATION = """\
Seconds of processor time that clang takes for one target, gfx90a, with the flags of `luthier_add_tool()`; medians of {rounds}
rounds. Each source is read twice: for the device and for the host.

- *reading*: preprocessing, parsing and checking (`-fsyntax-only`). *more than HIP*: than `<hip/hip_runtime.h>` alone, which every
  HIP source includes.
- *compiling*: all, up to the object file. *with precompiled headers*: the same, as `luthier_add_tool()` does it, which has the
  headers precompiled, once for all tools of a project, and once for those that include `MachineIR.h`.
"""

# Examples of the objects whose commands are taken, which are built for one target; the second includes MachineIR.h.
MODEL, MACHINE_IR_MODEL = "examples/tools/hot-spots.dir/HotSpots.o", "examples/tools/launch-count.dir/LaunchCount.o"
HIP = "#include <hip/hip_runtime.h>\n"
ONE_HOOK = """\
#include "luthier/luthier.h"
__attribute__((managed)) uint64_t Waves;
MARK_LUTHIER_DEVICE_MODULE
LUTHIER_HOOK_ANNOTATE countWave() { luthier::waveAtomicAdd(&Waves, 1); }
LUTHIER_EXPORT_HOOK_HANDLE(countWave);
struct WaveCount : luthier::Tool {
  llvm::Error instrument(luthier::LiftedRepresentation &, luthier::InstrumentationTask &Task) override {
    return Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(countWave));
  }
  void report(llvm::raw_ostream &OS) override { OS << Waves << " waves\\n"; }
};
LUTHIER_TOOL(WaveCount)
"""
SOURCES = {
    "HIP's header": HIP,
    "`luthier/luthier.h`": HIP + '#include "luthier/luthier.h"\n',
    "the same and `luthier/MachineIR.h`": HIP + '#include "luthier/MachineIR.h"\n#include "luthier/luthier.h"\n',
    "a tool with one hook": ONE_HOOK,
    "the same tool with `luthier/MachineIR.h`": '#include "luthier/MachineIR.h"\n' + ONE_HOOK,
}
# Those that are compiled, each as its model.
TOOLS = dict(zip(list(SOURCES)[-2:], (MODEL, MACHINE_IR_MODEL)))


def flags(build, model):
    """Of clang, for a tool; and those by which it uses precompiled headers."""
    target = build.resolve() / model
    commands = subprocess.run(["ninja", "-C", build, "-t", "commands", "-s", target], check=True, capture_output=True,
                              text=True).stdout
    words = shlex.split(commands.strip().splitlines()[-1])
    first = next(at for at, word in enumerate(words) if word.endswith("clang++"))
    dropped = {"-MD": 1, "-MF": 2, "-MT": 2, "-c": 2, "-o": 2}
    at, kept, headers = first, [], []
    while at < len(words) and words[at] != "&&":
        if words[at] == "-include-pch":
            headers = words[at:at + 2]
            at += 2
            continue
        if words[at] not in dropped:
            kept.append(words[at])
        at += dropped.get(words[at], 1)
    if not headers:
        raise RuntimeError("the build has no precompiled headers (LUTHIER_PRECOMPILED_HEADERS)")
    return kept, headers


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def section(build, names):
    r"""With a number for \p names, so many rounds."""
    rounds = int(names) if names else ROUNDS
    clang, _ = flags(build, MODEL)
    headers = {title: flags(build, model)[1] for title, model in TOOLS.items()}
    reading = {title: [] for title in SOURCES}
    compiling = {(title, way): [] for title in TOOLS for way in ("compiling", "precompiled")}
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "tool.hip"
        for _ in range(rounds):
            for title, text in SOURCES.items():
                source.write_text(text)
                reading[title].append(seconds([*clang, "-fsyntax-only", source]))
                for way, more in (("compiling", []), ("precompiled", headers[title])) if title in TOOLS else ():
                    compiling[title, way].append(seconds([*clang, *more, "-c", source, "-o", f"{folder}/tool.o"]))
    medians = {title: measured(title, statistics.median(values)) for title, values in reading.items()}
    base = medians["HIP's header"]
    ways = {key: f"{measured(key, statistics.median(values)):.2f}" for key, values in compiling.items()}
    rows = [[title, f"{value:.2f}", "-" if value == base else f"{value - base:.2f}",
             *(ways.get((title, way), "-") for way in ("compiling", "precompiled"))] for title, value in medians.items()]
    print(f"compiling: {rounds} rounds", flush=True)
    header = ["source", "reading", "more than HIP", "compiling", "with precompiled headers"]
    return EXPLANATION.format(rounds=rounds) + "\n" + table(header, rows)
