#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program under a tool that counts its instructions by a hook of its own and by
one of a dynamic module, which have the same names, and compares what both have in their
variables with what the emulator executed on each device."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness

KINDS = {"gfx906": 906, "gfx908": 908, "gfx90a": 910}
MISTAKES = {
    "wrong target": r"tool-without-target: other\.co is built for gfx906\S*, not for gfx90a",
    "no bundle": r"notes\.txt is no module with hooks: it is neither a code object",
    "missing file": r"/no/file cannot be read: ",
    "missing hook": r"hooks\.co has no hook cuont; it has count$",
    "other size": r"variable Count of hooks\.co has 8 bytes, not 4$",
    "missing variable": r"hooks\.co has no variable Cuont; it has Count, Kind, Total$",
    "bound too late": r"variable Count of hooks\.co cannot be bound any more",
    "not managed": r"variable Count of hooks\.co is not managed$",
    "static": r"a module that is a part of the tool libmodules\.so cannot be unloaded$",
    "unloaded module": r"the module other\.co is unloaded$",
    "unloaded hook": r".*hook count is of the module other\.co, which is unloaded$",
}


# What the tool calls a mode of this test's.
MODES = {"beside": "unload"}


def check_counts(result, arguments, devices, expected):
    nodes = [f"node {1 + n}: {7 + count} {1000 + 3 * count} {KINDS[device]}" for n, (device, count) in enumerate(zip(devices, expected))]
    for line in ["early: 1", *nodes, f"total: {50 + sum(expected)}", "bound: 0"]:
        result.expect(f"\n{line}\n" in f"\n{result.stderr}", f"{line} is missing")


def check_written(result, arguments, devices, expected):
    # Each device has what was written for it.
    for node, count in enumerate(expected, 1):
        line = f"node {node}: {70 + count} {5000 + 3 * count} {node}"
        result.expect(f"\n{line}\n" in result.stderr, f"{line} is missing")


def check_bound(result, arguments, devices, expected):
    # Both hooks add to the dynamic module's variable.
    for node, (device, count) in enumerate(zip(devices, expected), 1):
        line = f"node {node}: {1000 + 4 * count} {1000 + 4 * count} {KINDS[device]}"
        result.expect(f"\n{line}\n" in result.stderr, f"{line} is missing")


def check_bare(result, arguments, devices, expected):
    # Nothing but the hooks' bitcode: variables begin as zeros, and the managed one is bound.
    for line in [f"node 1: {7 + expected[0]} {3 * expected[0]} 0", f"bound: {expected[0]}"]:
        result.expect(f"\n{line}\n" in f"\n{result.stderr}", f"{line} is missing")


def check_unloading(result, arguments, devices, expected):
    # A module for each dispatch: counts of all came to the memory bound to them.
    lines = [f"node {1 + n}: {7 + count} 1000 {KINDS[device]}" for n, (device, count) in enumerate(zip(devices, expected))]
    for line in [*lines, f"bound: {3 * sum(expected)}"]:
        result.expect(f"\n{line}\n" in f"\n{result.stderr}", f"{line} is missing")
    # None before its kernel has run, and not all at the end.
    gone = len(re.findall(r"module hooks\.bundle is gone", result.stderr.split("early:")[0]))
    result.expect(gone > 0, "unloaded modules take memory until the end")


def check_beside(result, arguments, devices, expected):
    # Modules are unloaded before the other tool is asked: it has its counts all the same, and the loss is said.
    kernels = harness.read_json(f"{arguments.output}/instr-count.json")["kernels"]
    counted = sum(kernel["wave_instructions"] for kernel in kernels)
    result.expect(counted == sum(expected), f"the other tool has counted {counted} of {expected}")
    lost = r"a launch of kernel \S+ runs without the hooks of libmodules\.so, whose module was unloaded"
    result.expect(re.search(lost, result.stderr), "nothing is said of the hooks that are lost")


def check_mistakes(result, arguments, devices, expected):
    for mistake, message in MISTAKES.items():
        result.expect(re.search(f"^{mistake}: {message}", result.stderr, re.M), f"{mistake}: {message}")


def test(arguments, directory):
    devices = arguments.device.split(",")
    program = [arguments.program, *(devices if len(devices) > 1 else [])]
    path = f"{directory}/executed.json"
    plain = harness.run_on_emulator(program, arguments.emulator, arguments.device, path)
    plain.expect(plain.code == 0, "the program fails without luthier")
    expected = [0] * len(devices)  # Without ROCr's own, which tools never see.
    for kernel in harness.read_json(path)["kernels"]:
        if not kernel["name"].startswith("rocr."):
            expected[kernel["device"]] += kernel["wave_instructions"]

    options = f"{arguments.tool}:file={arguments.file},other={arguments.other},mode={MODES.get(arguments.mode, arguments.mode)}"
    variables = {"LUTHIER_LOG": "debug"} if arguments.mode == "unload" else {}
    if arguments.eager is not None:
        variables["HIP_ENABLE_DEFERRED_LOADING"] = str(1 - arguments.eager)
    others = ["--tool", "instr-count"] if arguments.mode == "beside" else []
    result = harness.run(
        [arguments.luthier, "run", "--tool", options, *others, "--device", f"emulated:{arguments.device}"]
        + ["--output", directory, "--", *program],
        variables,
    )
    result.expect(result.code == 0, "the program fails under the tool")
    arguments.output = directory
    checks = {"count": check_counts, "bare": check_bare, "unload": check_unloading, "mistakes": check_mistakes,
              "beside": check_beside, "write": check_written, "bind": check_bound}
    checks[arguments.mode](result, arguments, devices, expected)


harness.main(
    [
        (["--tool"], {"required": True, "help": "the library modules"}),
        (["--program"], {"required": True, "help": "what to run; gets the devices, if there are several"}),
        (["--device"], {"required": True, "help": "what is emulated"}),
        (["--file"], {"required": True, "help": "the dynamic module"}),
        (["--other"], {"required": True, "help": "one for another target"}),
        (["--mode"], {"required": True, "help": "of the tool"}),
        (["--eager"], {"type": int, "help": "whether HIP loads all code at once"}),
    ],
    test,
)
