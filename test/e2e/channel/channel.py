#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program under a tool, and checks how it ends, and what the tool and the
program say."""

import os
import re
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness


def test(arguments, directory):
    tool = arguments.tool + (":" + arguments.options if arguments.options else "")
    how = ["verify", "--strict"] if arguments.verify else ["run", "--output", directory]
    command = [arguments.luthier, *how, "--device", f"emulated:{arguments.device}", "--tool", tool]
    limits = {"LUTHIER_EXIT_TIMEOUT": arguments.exit_timeout} if arguments.exit_timeout else {}
    result = harness.run(command + ["--"] + arguments.program, limits)
    expected = -getattr(signal, arguments.ends) if arguments.ends.startswith("SIG") else int(arguments.ends)
    result.expect(result.code == expected, f"the program should end with {arguments.ends}")
    for pattern in arguments.says:
        result.expect(re.search(pattern, result.stdout + result.stderr, re.M), f"nothing says '{pattern}'")
    for pattern in arguments.keeps_quiet:
        result.expect(not re.search(pattern, result.stdout + result.stderr, re.M), f"something says '{pattern}'")


harness.main(
    [
        (["--tool"], {"required": True, "help": "path of the tool"}),
        (["--options"], {"default": "", "help": "of the tool"}),
        (["--device"], {"default": "gfx90a", "help": "what is emulated"}),
        (["--verify"], {"action": "store_true", "help": "compare with the original, in strict mode"}),
        (["--ends"], {"default": "0", "help": "exit code or name of a signal"}),
        (["--says"], {"action": "append", "default": [], "help": "pattern that the output has"}),
        (["--keeps-quiet"], {"action": "append", "default": [], "help": "pattern that the output has not"}),
        (["--exit-timeout"], {"help": "seconds that the program's end waits for kernels"}),
        (["program"], {"nargs": "+", "help": "the program and its arguments"}),
    ],
    test,
)
