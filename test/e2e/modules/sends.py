#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program under a tool that sends and counts by hooks of its own and by those of a
dynamic module: both have what the emulator executed. What hooks of modules print is shown."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness

MISTAKES = {
    "missing": r"\S+ has no variable Steam; it has .*Stream",
    "no channel": r"variable NoChannel of \S+ has 8 bytes, not 256$",
    "static": r"channel Stream of libsends\.so is opened by the variable itself",
    "small": r"a channel of 100 bytes of module \S+ is too small: a wave pushes up to 64 records of 8 bytes",
    "first": "no error$",
    "twice": r"a channel of module \S+ is open already$",
    "too late": r"channel Stream of \S+ cannot be opened any more: a device has the module already$",
    "unloaded": r"the module \S+ is unloaded$",
}


def executed(arguments, directory):
    path = f"{directory}/executed.json"
    plain = harness.run_on_emulator([arguments.program], arguments.emulator, arguments.device, path)
    plain.expect(plain.code == 0, "the program fails without luthier")
    return sum(k["wave_instructions"] for k in harness.read_json(path)["kernels"] if not k["name"].startswith("rocr."))


def test(arguments, directory):
    where = f"source={arguments.source}" if arguments.source else f"file={arguments.file}"
    result = harness.run(
        [arguments.luthier, "run", "--tool", f"{arguments.tool}:mode={arguments.mode},{where}"]
        + ["--device", f"emulated:{arguments.device}", "--output", directory, "--", arguments.program],
        {"LUTHIER_LOG": "debug"},
    )
    if arguments.mode == "insist":
        result.expect(result.code != 0, "an assertion that fails does not end the program")
        result.expect(re.search(r"Sending\.hip:\d+: void insist\(\): assertion `__lane_id\(\) < 5' of a hook failed", result.stderr), "no message")
        return
    result.expect(result.code == 0, "the program fails under the tool")
    if arguments.mode == "show":
        result.expect(re.search(r"^lane 0 of a hook\nlane 1 of a module$", result.stderr, re.M), "nothing is printed")
    elif arguments.mode == "mistakes":
        for mistake, message in MISTAKES.items():
            result.expect(re.search(f"^{mistake}: {message}", result.stderr, re.M), f"{mistake}: {message}")
    else:
        n = executed(arguments, directory)
        theirs = 0 if arguments.mode == "unload" else n  # What has gone has taken its count with it.
        result.expect(f"counted {n} and {theirs}, arrived {n} and {n}, wrong 0\n" in result.stderr, f"not all of {n}")
    if arguments.mode == "unload":
        gone = len(re.findall(r"module \S+ is gone", result.stderr))
        result.expect(gone > 0, "unloaded modules take memory until the end")


harness.main(
    [
        (["--tool"], {"required": True, "help": "the library sends"}),
        (["--program"], {"required": True, "help": "what to run"}),
        (["--device"], {"required": True, "help": "what is emulated"}),
        (["--file"], {"help": "the dynamic module"}),
        (["--source"], {"help": "its source, if it is to be compiled"}),
        (["--mode"], {"required": True, "help": "of the tool"}),
    ],
    test,
)
