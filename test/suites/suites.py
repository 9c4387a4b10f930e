# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Test programs of libraries and applications that others wrote, as the distribution
packages them, and how to read what they print."""

import re
import shlex
from dataclasses import dataclass, field, replace

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def results_of_googletest(text):
    """By test name, True if it passed."""
    return {
        name: verdict == "      OK"
        for verdict, name in re.findall(r"\[ (      OK| FAILED ) \] (\S+?),? .*\(\d+ ms\)$", text, re.M)
    }


def skipped_of_googletest(text):
    return set(re.findall(r"\[  SKIPPED \] (\S+?),? .*\(\d+ ms\)$", text, re.M))


def progress_of_googletest(line):
    """The test that begins with this line, and whether one ends."""
    begun = re.search(r"\[ RUN      \] (\S+)$", line)
    return begun and begun[1], re.search(r"\[ (      OK| FAILED | SKIPPED) \] .*\(\d+ ms\)$", line)


def list_of_googletest(text):
    """What --gtest_list_tests says, but for what does not run unless asked for."""
    tests, group = [], None
    for line in text.splitlines():
        if re.fullmatch(r"\S+\.(?:  # .*)?", line):
            group = line.split()[0]
        elif group and line.startswith("  "):
            tests.append(group + line.split()[0])
    return [test for test in tests if not re.search(r"(?:^|[./])DISABLED_", test)]


def filter_of_googletest(tests):
    """What follows a hyphen would be taken away."""
    return "--gtest_filter=" + ":".join(test.replace("-", "?") for test in tests)


def select_of_googletest(tests, file):
    """More tests than a command line holds."""
    with open(file, "w") as flags:
        flags.write(filter_of_googletest(tests) + "\n")
    return " --gtest_flagfile=" + shlex.quote(file)


# The kernel's MAX_ARG_STRLEN, less the rest of the shell's command.
LONGEST_FILTER = 120_000


def select_on_command_line(tests, file):
    """Where a program overrides what a file of flags says."""
    del file
    filter = filter_of_googletest(tests)
    if len(filter) > LONGEST_FILTER:
        raise ValueError(f"{len(tests)} tests are more than a command line holds: choose fewer with --sample")
    return " " + shlex.quote(filter)


def results_of_thrust(text):
    return {name: verdict == "PASS" for verdict, name in re.findall(r"\[([A-Z ]+)\] +[0-9.e+-]+ ms (\w+)$", text, re.M)}


def skipped_of_thrust(text):
    """Thrust's own authors know that they fail."""
    return set(re.findall(r"\[KNOWN FAILURE\] +(\w+)$", text, re.M))


def progress_of_thrust(line):
    begun = re.match(r"Running (\w+)\.\.\.", line)
    ended = results_of_thrust(line) or skipped_of_thrust(line)
    return not ended and begun and begun[1], ended


def results_of_llama(text):
    """What the GPU computed against what the CPU did, by operation and parameters.
    Cases that the GPU's code does not implement are none."""
    found = re.findall(r"^  (\w+\(.*\)): (?:.*[^\w])?(OK|FAIL)$", ESCAPES.sub("", text), re.M)
    results = {}
    for name, verdict in found:
        # Some cases come twice.
        results[name] = results.get(name, True) and verdict == "OK"
    return results


def results_of_generation(text):
    """What a language model says, in bytes: the one result there is, so another text is another result."""
    found = re.search(r"^said((?: [0-9a-f]{2})+)$", text, re.M)
    return {bytes.fromhex(found[1]).decode(errors="backslashreplace"): True} if found else {}


def results_of_hashcat(text):
    """Whether it has found the password of the one hash that it was given."""
    found = re.search(r"^Hash\.Mode\.*: (.*)$", text, re.M)
    return {found[1]: bool(re.search(r"^Status\.*: Cracked$", text, re.M))} if found else {}


@dataclass
class Suite:
    """Several programs, or one with several selections of its tests."""

    rocm: str  # What scripts/rocm.sh runs it on.
    packages: list  # That the folder of that version needs besides.
    results: object
    # Lists the units, one in each line of its output: {unit} in command.
    units: str
    command: str  # Of a shell. {only} selects from what passed plainly, where a suite can.
    variables: dict = field(default_factory=dict)
    tool_variables: dict = field(default_factory=dict)  # Besides, below tools.
    # Of a list of tests and a file that it may write, what {only} is.
    select: object = None
    lists: str = ""  # As {only}, lists the tests of a unit,
    list: object = None  # which this reads.
    skipped: object = lambda text: set()
    # Of a line: the test that begins with it, and whether one ends.
    progress: object = lambda line: (None, None)
    gpus: int = 1
    # Tests that fail below every tool, whose runtime does that.
    plain_only: frozenset = frozenset()


def one(suite):
    """Of one version of ROCm."""
    return {suite.rocm: suite}


def library(packages, arguments="", programs="! -name 'run-*' ! -name '*.py'", select=select_of_googletest, **variables):
    """GoogleTest programs, each a unit. By ROCm, from the package of that version."""
    return {rocm: Suite(
        rocm=rocm,
        packages=[package],
        results=results_of_googletest,
        units=f"find /usr/libexec/rocm/{package} -type f -executable {programs} | sort",
        command="{unit}" + arguments + "{only}",
        variables=variables,
        select=select,
        lists=" --gtest_list_tests",
        list=list_of_googletest,
        skipped=skipped_of_googletest,
        progress=progress_of_googletest,
    ) for rocm, package in packages.items()}


def both(package):
    """Of the same name in both versions; the first is what runs unless another is asked for."""
    return {"6.4": package, "7.2": package}


def thrust(packages):
    """Programs with Thrust's own kind of tests."""
    return {rocm: replace(suite, results=results_of_thrust, command="{unit} --verbose{only}",
                          select=lambda tests, _: "".join(f" {test}" for test in tests), lists="", list=None,
                          skipped=skipped_of_thrust, progress=progress_of_thrust)
            for rocm, suite in library(packages).items()}


def rocrtst():
    """Tests of ROCr itself. Debian's package depends on an older libamd-smi than the archive has, so it is
    unpacked, with a link for that library's name. It looks for its kernels where it is."""
    package, smi = "libhsa-runtime64-tests", "/usr/lib/x86_64-linux-gnu/libamd_smi.so"
    folder = f"/var/cache/luthier/{package}"
    unpack = (f"[ -d {folder} ] || {{ mkdir -p {folder}.new && cd {folder}.new && apt-get -q -t experimental download {package} && "
              f"dpkg -x {package}_*.deb . && ln -sf {smi}.27 libamd_smi.so.26 && mv {folder}.new {folder}; }} >&2")
    programs = library({"7.2": package})["7.2"]
    return replace(programs, packages=["libamd-smi27", "libhwloc15"],
                   units=f"{unpack} && echo {folder}/usr/libexec/rocm/{package}/rocrtst64",
                   # ROCr's intercepted queues wait at a packet of an invalid type as if it were not written yet.
                   plain_only=frozenset({"rocrtstNeg.Queue_Validation_InvalidPacket"}),
                   command=f"env -C \"$(dirname {{unit}})\" LD_LIBRARY_PATH={folder} {{unit}}{{only}}")


BACKEND = "/usr/lib/x86_64-linux-gnu/ggml/backends0/libggml-hip.so"
LLAMA = "/usr/libexec/x86_64-linux-gnu/llama.cpp-tests/test-backend-ops"
SUITES = {  # By name, and by ROCm: the first runs unless another is asked for.
    "llama.cpp": one(Suite(
        rocm="6.4",
        packages=["llama.cpp-tests", "libggml0-backend-hip"],
        results=results_of_llama,
        units=f"{LLAMA} --list-ops | sed -n 's/^  *\\([A-Z0-9_]*\\)$/\\1/p'",
        command=f"{LLAMA} test -b ROCm0 -o {{unit}}",
        variables={"GGML_BACKEND_PATH": BACKEND},
    )),
    # Its units are models with random weights.
    "llama.cpp-text": one(Suite(
        rocm="6.4",
        packages=["llama.cpp-examples", "libggml0-backend-hip", "python3"],
        results=results_of_generation,
        units="mkdir -p build/suites; for seed in 2 4 5; do model=build/suites/tiny-$seed.gguf; "
              "python3 -B test/suites/tiny_model.py --seed $seed $model; echo $model; done",
        command="bash -o pipefail -c 'llama-simple -m \"$0\" -n 24 -ngl 99 \"The quick\" "
                "| od -An -v -tx1 -w4096 | sed s/^/said/' {unit}",
        variables={"GGML_BACKEND_PATH": BACKEND},
    )),
    # OpenCL. Its units are kinds of hashes, for each of which it compiles a program.
    "hashcat": one(Suite(
        rocm="6.4",
        packages=["hashcat", "rocm-opencl-icd", "python3"],
        results=results_of_hashcat,
        units="python3 -B test/suites/example_hash.py",
        command="bash -c 'files=build/suites/hashcat; python3 -B test/suites/example_hash.py $0 $files && exec hashcat --force "
                "--potfile-disable --restore-disable --logfile-disable --session $0-$$ -n 1 -u 1 -T 64 -m $0 -a 0 "
                "$files/$0.hash $files/$0.words' {unit}",
    )),
    "rocRAND": library(both("librocrand1-tests")),
    "rocPRIM": library(both("librocprim-tests")),
    "hipCUB": library(both("libhipcub-tests")),
    "rocThrust": thrust(both("librocthrust-tests")),
    # What it computes with, and whether it runs a test at all, is random.
    "rocFFT": library(both("librocfft0-tests"), " --seed 1"),
    "rocSPARSE": library(both("librocsparse1-tests")),
    # Silent about what passes, unless told so. Without a filter on the command line it sets
    # one of its own: all tests but those for stress.
    "rocBLAS": library({"6.4": "librocblas4-tests", "7.2": "librocblas5-tests"}, select=select_on_command_line,
                       GTEST_LISTENER="PASS_LINE_IN_LOG"),
    "rocSOLVER": library(both("librocsolver0-tests")),
    "MIOpen": library({"7.2": "libmiopen1-tests"}, programs="-name miopen_gtest"),
    "hipBLASLt": library({"7.2": "libhipblaslt1-tests"}, programs="-name hipblaslt-test", select=select_on_command_line,
                         GTEST_LISTENER="PASS_LINE_IN_LOG"),
    "rocWMMA": library({"7.2": "librocwmma-tests"}),
    # With what its package's own script sets for several GPUs, and more than 5 seconds for an operation. A process
    # instruments millions of instructions for each GPU, so below tools the tests do with one process, for both at once.
    "RCCL": {rocm: replace(suite, gpus=2, tool_variables={"UT_PROCESS_MASK": 1, "UT_MIN_GPUS": 2}) for rocm, suite in
             library({"7.2": "librccl1-tests"}, programs="-name rccl-UnitTests", HSA_FORCE_FINE_GRAIN_PCIE=1,
                     UT_TIMEOUT_US=2_000_000_000).items()},
    "ROCr": one(rocrtst()),
}
