#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tool ends the program while it is shown a launch, behind another launch
that runs its code. The program ends, with the tool's exit code, and does not
wait for what only the ending thread could submit."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness


def test(arguments, directory):
    result = harness.run(
        [arguments.luthier, "run", "--tool", arguments.tool, "--device", "emulated", "--"]
        + [arguments.program, arguments.code, "5", "1", "wait"],
        # A wait would have no end.
        {"LUTHIER_EXIT_TIMEOUT": "0", "LUTHIER_EXIT_LIMIT": "0", "LUTHIER_END_LIMIT": "10000"}
        | ({"EXIT_WITHOUT_HANDLERS": "1"} if arguments.without_handlers else {}),
    )
    result.expect(result.code == 3, "the exit code is not the tool's")
    result.expect_in_stderr("the tool ends")
    result.expect_in_stderr("ends inside a tool's callback")


harness.main(
    [
        (["--program"], {"help": "the program launches"}),
        (["--code"], {"help": "its code object"}),
        (["--without-handlers"], {"action": "store_true", "help": "by _exit()"}),
        (["--tool"], {"help": "the tool that exits"}),
    ],
    test,
)
