#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program under a tool, whose stderr takes nothing: it ends as it would, and
the tool's file is there."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness
from harness import Failure

MODES = {"closed-by-the-program": "exit-without-stderr", "closed-with-others": "exit-without-streams",
         "a-file-of-the-program": "exit-with-data-as-stderr"}


def unread():
    """The end of a pipe to write to; nobody has the other."""
    readable, writable = os.pipe()
    os.close(readable)
    return writable


def run(command, case):
    stderr = subprocess.DEVNULL
    if case == "full":
        stderr = os.open("/dev/full", os.O_WRONLY)
    elif case == "unread":
        stderr = unread()
    elif case == "closed":
        command = ["sh", "-c", 'exec "$@" 2>&-', "sh", *command]
    # As shells start programs; Python ignores SIGPIPE for its children.
    process = subprocess.run(command, env=harness.clean_environment(), stdin=subprocess.DEVNULL, stderr=stderr,
                             stdout=subprocess.PIPE, timeout=harness.timeout_seconds, restore_signals=True)
    return process.returncode, process.stdout


def test(arguments, directory):
    def luthier(*options):
        # Not --device: then luthier itself has something to say.
        command = [arguments.luthier, "run", "--output", directory, *options, "--", arguments.program, arguments.code]
        return run([*command, MODES.get(arguments.case, "exit")], arguments.case)

    plain, counted = luthier(), luthier("--tool", "instr-count")
    if plain != (7, b"counted 192\n"):
        raise Failure(f"without a tool: {plain}")
    if counted != plain:
        raise Failure(f"with a tool: {counted}")
    kernels = harness.read_json(f"{directory}/instr-count.json")["kernels"]
    if [kernel["dispatches"] for kernel in kernels] != [3]:
        raise Failure(f"counted: {kernels}")


harness.main(
    [
        (["--program"], {"help": "the program ends"}),
        (["--code"], {"help": "its code object"}),
        (["case"], {}),
    ],
    test,
)
