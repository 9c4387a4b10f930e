# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of very many small kernels under instr-count: time and memory for all, memory for each, and whether a kernel
of a large module costs more than one of a small module."""
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from figures import measured, table

TITLE = "Many kernels"
COUNTS = [100, 1_000, 10_000]
EXPLANATION = """\
Modules of kernels of ten instructions, each launched once, in processes without the [cache](cache.md).

- *without tool*, *counted*: seconds from the module's loading to the last result, under `luthier run` alone and with the
  tool instr-count. *CPU* is what the second process takes of all cores together.
- *each*: milliseconds for a kernel, the median; *of the first*: of the first 100 of the module, which shows whether a
  kernel costs more in a large module.
- *peak*: the most memory that the process had, in MiB; *for each*: KiB that each further kernel adds to it; *of it ROCm*:
  what it adds without a tool.
"""

KERNEL = """\
  .p2align 8
  .globl k{0}
  .type k{0},@function
k{0}:
  s_load_dwordx2 s[0:1], s[0:1], 0x0
  v_lshlrev_b32_e32 v0, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v1, v0, s[0:1]
  s_waitcnt vmcnt(0)
  v_add_u32_e32 v1, {1:#x}, v1
  v_mul_lo_u32 v1, v1, 3
  v_xor_b32_e32 v1, {0:#x}, v1
  global_store_dword v0, v1, s[0:1]
  s_endpgm
  .size k{0}, .-k{0}
"""
DESCRIPTOR = """\
.amdhsa_kernel k{0}
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 8
  .amdhsa_next_free_vgpr 8
  .amdhsa_accum_offset 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
"""
METADATA = """\
  - .name: k{0}
    .symbol: k{0}.kd
    .args: [{{.address_space: global, .offset: 0, .size: 8, .value_kind: global_buffer}}]
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 14
    .vgpr_count: 8
    .max_flat_workgroup_size: 1024
"""


def module(clang, path, count):
    with open(f"{path}.s", "w") as text:
        text.write('.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"\n.amdhsa_code_object_version 4\n.text\n')
        text.writelines(KERNEL.format(n, n + 100) for n in range(count))
        text.write(".rodata\n.p2align 6\n")
        text.writelines(DESCRIPTOR.format(n) for n in range(count))
        text.write(".amdgpu_metadata\namdhsa.version: [1, 1]\namdhsa.kernels:\n")
        text.writelines(METADATA.format(n) for n in range(count))
        text.write(".end_amdgpu_metadata\n")
    subprocess.run([clang, "--target=amdgcn-amd-amdhsa", "-mcpu=gfx90a", f"{path}.s", "-o", path], check=True)


def run(build, directory, path, count, *tool):
    """Figures of a process that launches the first kernels of a module."""
    timings = pathlib.Path(directory, "timings")
    timings.unlink(missing_ok=True)
    times = pathlib.Path(directory, "times")
    result = subprocess.run(
        ["env", "LUTHIER_CACHE_SIZE=0", f"LUTHIER_TIMINGS={timings}", "bash", "-c",
         'TIMEFORMAT="%U %S"; time "$@"', "time", build / "bin/luthier", "run", "--device", "emulated:gfx90a",
         "--output", f"{directory}/out", *tool, "--", build / "bin/bench/many-kernels-of-a-module", path, str(count)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode:
        sys.exit(f"error: {count} kernels:\n{result.stdout}{result.stderr[-2000:]}")
    figures = json.loads(result.stdout)
    if not figures["right"]:
        sys.exit("error: the kernels compute something else")
    figures["cpu"] = sum(map(float, result.stderr.splitlines()[-1].split()))
    if tool:
        # The first ones compile the hooks.
        kernels = [json.loads(line) for line in timings.read_text().splitlines()][20:]
        figures["each"] = statistics.median(kernel["total_s"] for kernel in kernels)
        figures["first"] = statistics.median(kernel["total_s"] for kernel in kernels[:80])
    return figures


def section(build, counts):
    clang = re.search(r"^LUTHIER_CLANGXX:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)[1].removesuffix("++")
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        for count in map(int, counts.split(",")) if counts else COUNTS:
            path = f"{directory}/{count}.co"
            module(clang, path, count)
            plain = run(build, directory, path, count)
            counted = run(build, directory, path, count, "--tool", "instr-count")
            rows.append([f"{count:,}"]
                        + [f"{measured('a time', value):.2f}" for value in (
                            plain["seconds"], counted["seconds"], counted["cpu"], 1e3 * counted["each"],
                            1e3 * counted["first"])]
                        + [f"{measured('peak memory', counted['peak_kib']) / 1024:.0f}"]
                        + [f"{measured('memory', run['kib_per_kernel']):.1f}" for run in (counted, plain)])
    return EXPLANATION + "\n" + table(["kernels", "without tool", "counted", "CPU", "each", "of the first", "peak", "for each",
                                     "of it ROCm"], rows)
