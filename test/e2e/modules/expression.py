#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program under the example tool whose hook is compiled while the program runs:
what it adds up is what the emulator executed, in waves of each size. What does not
compile is explained, and the program runs all the same."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness


def test(arguments, directory):
    path = f"{directory}/executed.json"
    plain = harness.run_on_emulator(arguments.command, arguments.emulator, arguments.device, path)
    plain.expect(plain.code == 0, "the program fails without luthier")
    executed = sum(kernel["wave_instructions"] for kernel in harness.kernel_counts(path).values())

    def run(value, **variables):
        tool = f"{arguments.tool}:value={value}"
        command = [arguments.luthier, "run", "--tool", tool, "--device", f"emulated:{arguments.device}", "--"]
        result = harness.run(command + arguments.command, variables)
        result.expect(result.code == 0, "the program fails under the tool")
        result.expect("LD_PRELOAD" not in result.stderr, "the compiler's environment is said to be the program's fault")
        return result

    if arguments.wrong:
        result = run("Lanes +")
        result.expect(re.search(r"hooks\.hip does not compile:\nvalue:1:8: error: expected expression", result.stderr), "no error")
        # What Luthier's plugin finds, behind the parser.
        result = run("threadIdx.x")
        result.expect(re.search(r"\nhooks\.hip:3:[0-9]+: error: in hook 'add', the operand of ", result.stderr), "no error")
        result.expect("could not determine" not in result.stderr, "the line is said to be unknown")
        result = run("1", LUTHIER_CLANGXX="/no/clang")
        result.expect_in_stderr("the compiler /no/clang cannot be started: No such file")
    else:
        result = run("3")
        result.expect_in_stderr(f"3: {3 * executed}\n")
        result.expect("LD_PRELOAD" not in result.stderr, "the program is blamed for how the compiler is started")
        result.expect("warning" not in result.stderr, "the compiler warns of nothing")
        result = run(r"(Lanes\, 3)")
        result.expect_in_stderr(f"(Lanes, 3): {3 * executed}\n")
        result.expect(re.search(r"hooks\.hip compiles with warnings:\nvalue:1:2: warning: ", result.stderr), "no warning")


harness.main(
    [
        (["--tool"], {"required": True, "help": "the library expression"}),
        (["--device"], {"required": True, "help": "what is emulated"}),
        (["--wrong"], {"action": "store_true", "help": "give it what does not compile"}),
        (["command"], {"nargs": "+", "help": "the program with its arguments"}),
    ],
    test,
)
