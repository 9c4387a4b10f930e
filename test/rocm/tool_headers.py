#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""instr-count compiled with the HIP headers of another version of ROCm, by an
installed Luthier, counts what the emulator counts; on that version's runtime and on
the installed one."""

import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "e2e"))
import harness

TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DEVICE = "gfx90a"


def command(*words):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    harness.end_if_not_run(done.returncode, done.stdout)
    if done.returncode:
        raise harness.Failure(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def sdk(root, directory):
    """The headers of HIP alone, as the folder has another C library, too; and the version, of which clang makes what HIP
    needs."""
    folder = f"{directory}/rocm"
    os.makedirs(f"{folder}/include")
    os.makedirs(f"{folder}/share/hip")
    os.symlink(f"{root}/usr/share/hip/version", f"{folder}/share/hip/version")
    os.symlink(f"{root}/usr/include/hip", f"{folder}/include/hip")
    return folder


def build(arguments, directory, rocm):
    prefix, folder = f"{directory}/luthier", f"{directory}/tool"
    command("cmake", "--install", arguments.build, "--prefix", prefix)
    command("cmake", "-S", f"{TREE}/test/rocm/tool", "-B", folder, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_CXX_COMPILER={arguments.compiler}", f"-DLUTHIER_ROCM_PATH={rocm}",
            f"-DSOURCE={TREE}/tools/instr-count/InstrCount.hip")
    command("cmake", "--build", folder)
    read = pathlib.Path(folder, "counter.dir/InstrCount.o.d").read_text()
    headers = {path for path in re.findall(r"\S+/hip/\S+", read) if not path.startswith(f"{rocm}/")}
    if headers or f"{rocm}/include/hip/hip_runtime_api.h" not in read:
        raise harness.Failure(f"the tool was not compiled with the headers of {rocm}, but with {headers}")
    return f"{folder}/libcounter.so"


def count(arguments, tool, program, directory):
    os.mkdir(directory)
    executed = f"{directory}/executed.%p.json"
    plain = harness.run_on_emulator([program], arguments.emulator, DEVICE, executed)
    plain.expect(plain.code == 0, "the program fails without luthier")
    counted = harness.run([arguments.luthier, "run", "--tool", tool, "--device", f"emulated:{DEVICE}", "--output", directory, "--",
                           program])
    counted.expect(counted.code == 0, "the program fails under luthier")
    counted.expect(counted.digest_line() == plain.digest_line(), "results differ under luthier")
    harness.expect_same_counts(harness.kernel_counts(f"{directory}/instr-count*.json"),
                               harness.kernel_counts(executed.replace("%p", "*")))


def test(arguments, directory):
    root = command(*harness.within[:2]).strip()
    tool = build(arguments, directory, sdk(root, directory))
    count(arguments, tool, arguments.other, f"{directory}/there")
    harness.within = []
    count(arguments, tool, arguments.program, f"{directory}/here")


harness.main(
    [
        (["--build"], {"required": True, "help": "folder in which Luthier is built"}),
        (["--compiler"], {"required": True, "help": "of C++"}),
        (["other"], {"help": "example program of the other version"}),
        (["program"], {"help": "example program of the installed one"}),
    ],
    test,
)
