# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program's start and its launches cost on each version of ROCm that scripts/rocm.sh can get."""
import json
import pathlib
import statistics
import subprocess
import tempfile

from figures import measured, table
from programs import DEVICE, environment, run, under_luthier
from start_up import KINDS

TITLE = "Versions of ROCm"
VERSIONS = ["5.2", "6.1", "6.4", "7.2"]
ROUNDS = 5
LAUNCHES = 5_000

EXPLANATION = """\
`bench/launch-probe.hip`, compiled by each version's own compiler, on that version ([rocm.md](rocm.md)); medians of {rounds}
rounds. All times are CPU times of all threads of `luthier run` and its program, so that other load on the machine matters little.

- *process*: milliseconds for a process that launches one kernel and ends. The three columns behind it have the difference from
  this program alone; a few milliseconds either way are noise. A tool's have what the engine prepares
  ahead, in a thread of its own, whether a kernel needs it or not.
- *launch*: microseconds of the submitting thread for each of {launches:,} dispatches behind the first.

*Inserts nothing* and **store** are the tools of [Start-up](#start-up).{absent}
"""
# In the version's own Debian, which need not have more than a shell.
TIMED = 'TIMEFORMAT="%U %S"; time "$@"'


class Version:
    def __init__(self, build, name):
        self.build = build
        self.name = name
        self.probe = f"bin/bench/versions/launch-probe-{name}"

    def within(self):
        return [pathlib.Path(__file__).resolve().parents[1] / "scripts/rocm.sh", self.name]

    def is_there(self):
        return subprocess.run(self.within(), stdout=subprocess.DEVNULL).returncode == 0

    def compile(self):
        program = self.build / self.probe
        program.parent.mkdir(parents=True, exist_ok=True)
        source = pathlib.Path(__file__).resolve().parent / "launch-probe.hip"
        subprocess.run([*self.within(), "--", "hipcc", "-w", "-O2", f"--offload-arch={DEVICE}", source, "-o", program], check=True)

    def measure(self, kind, launches):
        """Milliseconds of the process, and microseconds for each launch behind the first."""
        tool = "cost-hooks" if kind in ["none", "store"] else None
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            words = (["env", f"LD_PRELOAD={self.build}/lib/emulated/libluthier-gpu.so", f"LUTHIER_EMULATED_GPU={DEVICE}",
                      self.build / self.probe, str(launches)] if kind == "alone" else
                     under_luthier(self.build, folder, (self.probe, str(launches)), tool))
            variables = environment(self.build, **({"LUTHIER_COST_HOOK": kind} if tool else {}))
            finished = run([*self.within(), "--", "bash", "-c", TIMED, "bash", *words], variables, folder)
        # The last line is the shell's.
        user, system = map(float, finished.stderr.splitlines()[-1].split())
        submitting = json.loads(finished.stdout)["submitting"]
        return 1e3 * measured("CPU time", user + system), submitting / 1e3 / launches if launches else None


def row(version, rounds, launches):
    alone = None
    processes, further = [], []
    for kind in KINDS:
        process = statistics.median(version.measure(kind, 0)[0] for _ in range(rounds))
        launch = statistics.median(version.measure(kind, launches)[1] for _ in range(rounds))
        alone = alone or process
        processes.append(f"{process:.0f}" if kind == "alone" else f"{process - alone:+.0f}")
        further.append(f"{measured('time of a launch', launch):.2f}")
    return [version.name, *processes, *further]


def section(build, names):
    r"""With a number for \p names, so many launches, once, and only on the first version that is there."""
    launches, rounds = (int(names), 1) if names else (LAUNCHES, ROUNDS)
    rows, absent = [], []
    for name in VERSIONS:
        if names and rows:
            break
        version = Version(build, name)
        if not version.is_there():
            absent.append(name)
            continue
        version.compile()
        rows.append(row(version, rounds, launches))
    kinds = ["`luthier run`", "inserts nothing", "**store**"]
    return (EXPLANATION.format(rounds=rounds, launches=launches, absent=f" Not at hand: {', '.join(absent)}." if absent else "") + "\n"
            + table(["ROCm", "process", *kinds, "launch", *kinds], rows))
