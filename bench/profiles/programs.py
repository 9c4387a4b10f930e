# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs that profiles are made of, and how they are compiled. Those that nobody here wrote are fetched by
sources.sh, and never a part of this tree."""
import dataclasses
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "bench/profiles"


@dataclasses.dataclass(frozen=True)
class Toolchain:
    """Headers, device libraries and the runtime of one ROCm."""

    build: pathlib.Path
    flags: tuple
    libraries: tuple
    sample_libraries: pathlib.Path
    within: tuple = ()


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    group: str
    # @NAME in these and the flags is the folder of a fetched source.
    sources: tuple
    arguments: tuple = ()
    flags: tuple = ()
    libraries: tuple = ()
    # Sources without kernels, compiled for the host alone.
    hosts: tuple = ()
    # Lines of its output that tell times or addresses.
    ignored: tuple = ()
    rocm: str = "5.2"
    # It calls functions through pointers.
    has_calls: bool = False


def example(name):
    return Program(name, "examples", (ROOT / f"examples/programs/{name}.hip",))


def kernel(name, *arguments):
    return Program(name, "kernels", (HERE / f"kernels/{name}.hip",), arguments)


def rocprim(name):
    return dataclasses.replace(kernel(name), group="rocPRIM", rocm="6.4",
                               flags=("-std=c++17", "-I", ROOT / "test/e2e/rocprim"))


def thrust(name, **more):
    return Program(f"thrust-{name}", "others", (f"@rocthrust/examples/{name}.cu",), flags=("-std=c++17",), rocm="6.4",
                   **more)


def hipcub(kind, name, **more):
    return Program(f"hipcub-{name.removeprefix('example_')}", "others", (f"@hipcub/examples/{kind}/{name}",),
                   flags=("-std=c++17",), rocm="6.4", **more)


def llama(file):
    """One of llama.cpp's files of kernels, below a driver of ours."""
    operation = file.replace("-", "_")
    folders = ["@llama.cpp/ggml/include", "@llama.cpp/ggml/src", "@llama.cpp/ggml/src/ggml-cuda", HERE / "kernels"]
    return Program(f"llama-{file}", "llama.cpp", (f"@llama.cpp/ggml/src/ggml-cuda/{file}.cu",), rocm="6.4",
                   flags=("-std=c++17", "-DGGML_USE_HIP", f"-DOPERATION={operation}", *(f"-I{path}" for path in folders)),
                   libraries=("@llama.cpp/libggml.a", "-fuse-ld=lld", "-Wl,--gc-sections"),
                   hosts=(HERE / "llama/Operations.hip",))


GROUPS = ("examples", "kernels", "rocPRIM", "others", "llama.cpp")
PROGRAMS = [
    Program("biased", "kernels", (ROOT / "test/e2e/pgo/BiasedBranches.hip",)),
    *map(kernel, ["rare-spill", "short-loops", "hash-probe", "short-arithmetic", "large-callee", "interpreter",
                  "row-sums", "cold-calls", "pointer-chase", "short-if", "rare-path"]),
    # HIP 5.2 crashes where this compiler's kernels call through pointers.
    dataclasses.replace(kernel("table-call"), rocm="6.4", has_calls=True),
    *map(example, ["axpy-half", "collatz", "dot-product", "fork-first", "hash64", "histogram", "matmul", "nbody",
                   "overlap", "prefix-scan", "reduction", "saxpy", "stencil", "transpose", "vector-add"]),
    dataclasses.replace(example("calls"), rocm="6.4", has_calls=True),
    rocprim("rocprim-scan"), rocprim("rocprim-sort"),
    *map(llama, ["softmax", "norm", "rope", "quantize", "argmax", "cumsum", "argsort", "getrows", "pool2d", "upscale",
                 "conv2d-dw", "wkv"]),
    *map(thrust, ["bucket_sort2d", "lexicographical_sort", "summed_area_table", "histogram", "run_length_encoding",
                  "scan_by_key", "weld_vertices", "word_count", "mode", "set_operations", "discrete_voronoi"]),
    # Others of its examples are for CUDA, or do not end on the host.
    *(hipcub("device", f"example_device_{name}.cpp", arguments=("--n=20000",)) for name in ["reduce", "scan"]),
]


class Unavailable(Exception):
    """Why a program cannot be had here."""


def native(build):
    """The installed ROCm, with what its headers lack for this compiler."""
    flags = ("-x", "hip", f"--config={build}/lib/luthier/hip-program.cfg", "-I", ROOT / "examples/programs", "-include",
             ROOT / "test/e2e/pgo/Fence.h")
    return Toolchain(build, flags, ("-lamdhip64",), build / "lib/luthier/device-libs-samples")


def fetched(*words):
    """What sources.sh says of something that it fetches."""
    result = subprocess.run([HERE / "sources.sh", *words], stdout=subprocess.PIPE, text=True)
    if result.returncode:
        raise Unavailable(f"{' '.join(words)} cannot be fetched here")
    return pathlib.Path(result.stdout.strip())


def newer(build):
    """ROCm 6.4 of scripts/rocm.sh."""
    headers, root = fetched("headers"), fetched("rocm")
    libraries = next(root.glob("usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode"))
    samples = headers.parents[2] / "sample-libraries"
    if not samples.exists():
        subprocess.run([build / "bin/luthier", "pgo", "libraries", libraries, "-o", samples], check=True)
    flags = ("-x", "hip", f"--rocm-path={root}/usr", f"--rocm-device-lib-path={libraries}", "-mcode-object-version=5",
             "-I", ROOT / "examples/programs", "-I", ROOT / "include", "-include", "luthier/detail/WavefrontSize.h", "-I", headers)
    # Its libraries want a newer C library, which the program finds where it runs.
    return Toolchain(build, flags, (root / "usr/lib/x86_64-linux-gnu/libamdhip64.so",
                                    "-Wl,--allow-shlib-undefined"), samples, (ROOT / "scripts/rocm.sh", "6.4", "--"))


class Toolchains:
    """Each is made when it is first asked for."""

    def __init__(self, build):
        self.build, self.made = build, {}

    def of(self, program):
        if program.rocm not in self.made:
            self.made[program.rocm] = native(self.build) if program.rocm == "5.2" else newer(self.build)
        return self.made[program.rocm]


def with_sources(program):
    """The program with the paths of what had to be fetched."""
    def found(words):
        return tuple(re.sub(r"@([\w.]+)", lambda name: str(fetched("source", name[1])), str(word)) for word in words)

    return dataclasses.replace(program, sources=found(program.sources), flags=found(program.flags),
                               libraries=found(program.libraries))


def chosen(pattern):
    return [program for program in PROGRAMS if re.search(pattern, program.name) or re.search(pattern, program.group)]
