# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs whose kernels are measured, at sizes of a hundred workgroups and more, and how they are run on the emulated
GPU."""
import dataclasses
import os
import pathlib
import subprocess
import sys

DEVICE = "gfx90a"


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    command: tuple
    # Built by Luthier's clang as well, without and with a count in its source.
    has_source_count: bool = False
    # Of its largest dispatch.
    least_groups: int = 100
    # With everything saved around each call, some take the emulator more than half an hour.
    is_saving_all: bool = True


def example(name, times, **more):
    """How many times its usual size."""
    return Program(name, (f"bin/examples/{name}", str(times)), **{"has_source_count": True, **more})


PROGRAMS = [
    example("axpy-half", 1),
    # The distribution's HIP crashes at its launch when Luthier's clang has compiled it.
    example("calls", 3, has_source_count=False),
    example("collatz", 2), example("dot-product", 6),
    example("fork-first", 3), example("hash64", 1), example("histogram", 5), example("matmul", 2),
    # Its work is the square of its size: a hundred groups would take minutes for each figure.
    example("nbody", 8, least_groups=19),
    example("overlap", 4), example("prefix-scan", 1), example("reduction", 4), example("saxpy", 3),
    example("stencil", 1), example("transpose", 2), example("vector-add", 1),
    Program("rocprim-sort", ("bin/rocprim/rocprim-sort-O3", "500000"), is_saving_all=False),
    *(Program(f"rocrand-{name}", ("bin/rocrand/rocrand-generators", name), is_saving_all=name != "xorwow")
      for name in ["philox", "xorwow", "mrg32k3a", "mtgp32"]),
    # The test program asks for so little of them.
    *(Program(f"rocrand-{name}", ("bin/rocrand/rocrand-generators", name), least_groups=32) for name in ["sobol32", "sobol64"]),
]


def chosen(names):
    """Those that are named, separated by commas; all, if none is."""
    known = {program.name: program for program in PROGRAMS}
    unknown = sorted(set(filter(None, names.split(","))) - set(known))
    if unknown:
        sys.exit(f"error: no program is called {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in names.split(",")] if names else PROGRAMS


def environment(build, **variables):
    """Nothing that the caller's shell sets for Luthier or the loader gets in, nor what earlier runs have compiled."""
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("LUTHIER_", "HSA_", "HIP_", "ROCR_", "LD_"))}
    return {**clean, "LUTHIER_CACHE_SIZE": "0", **variables}


def without_luthier(build, **variables):
    """`luthier run` sets the same for its program. It must not find the emulator itself: opening the GPU takes longer than all
    else that it does."""
    return environment(build, LD_PRELOAD=str(build / "lib/emulated/libluthier-gpu.so"), LUTHIER_EMULATED_GPU=DEVICE, **variables)


def under_luthier(build, folder, command, tool=None):
    tools = ["--tool", build / f"lib/luthier/tools/lib{tool}.so"] if tool else []
    return [build / "bin/luthier", "run", *tools, "--device", f"emulated:{DEVICE}", "--output", folder, "--",
            build / command[0], *command[1:]]


@dataclasses.dataclass
class Finished:
    stdout: str
    stderr: str
    peak_bytes: int


def run(command, variables, folder):
    """Ends the benchmark if the program fails."""
    out, err = pathlib.Path(folder) / "stdout", pathlib.Path(folder) / "stderr"
    with open(out, "w") as out_file, open(err, "w") as err_file:
        process = subprocess.Popen(command, env=variables, stdin=subprocess.DEVNULL, stdout=out_file, stderr=err_file)
        # Popen would not say what the process used.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"error: {' '.join(map(str, command))} ended with {process.returncode}:\n{err.read_text()[-2000:]}")
    return Finished(out.read_text(), err.read_text(), usage.ru_maxrss * 1024)
