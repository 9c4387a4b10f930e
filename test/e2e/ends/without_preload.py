#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that start another without LD_PRELOAD, which then has no emulated GPU, or without HSA_TOOLS_LIB, so that it
has no tools."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness

SAID = "is started without LD_PRELOAD"
SAID_OF_TOOLS = "is started without HSA_TOOLS_LIB"
# How the program is started that is the rest of the command line.
STARTS = {
    "exec": ["env", "-u", "LD_PRELOAD"],
    "children": [sys.executable, "-c", "import os, subprocess, sys\n"
                                       "del os.environ['LD_PRELOAD']\n"
                                       "codes = [subprocess.call(sys.argv[1:]) for _ in range(2)]\n"
                                       "sys.exit(max(map(abs, codes)))"],
    "spawn": [sys.executable, "-c", "import os, sys\n"
                                    "child = os.posix_spawn(sys.argv[1], sys.argv[1:], {'PATH': '/bin'})\n"
                                    "sys.exit(abs(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))"],
    # These start their shell inside the C library.
    "system": [sys.executable, "-c", "import os, sys\n"
                                     "del os.environ['LD_PRELOAD']\n"
                                     "sys.exit(abs(os.waitstatus_to_exitcode(os.system(sys.argv[1]))))"],
    "popen": [sys.executable, "-c", "import ctypes, os, sys\n"
                                    "del os.environ['LD_PRELOAD']\n"
                                    "libc = ctypes.CDLL(None)\n"
                                    "libc.popen.restype = ctypes.c_void_p\n"
                                    "child = libc.popen(os.fsencode(sys.argv[1]), b'w')\n"
                                    "status = libc.pclose(ctypes.c_void_p(child))\n"
                                    "sys.exit(abs(os.waitstatus_to_exitcode(status)))"],
}


def test(arguments, directory):
    def run(*start, tools=()):
        return harness.run([arguments.luthier, "run", "--device", "emulated", *tools, "--", *start, arguments.program])

    for name, start in STARTS.items():
        result = run(*start)
        result.expect(result.code != 0, f"{name}: the program has a GPU")
        result.expect(result.stderr.count(f"luthier: {arguments.program} {SAID}") == 1, f"{name}: it is not said once")
    tools = ["--tool", "instr-count", "--output", directory]
    cleared = run(*STARTS["children"][:2], STARTS["children"][2].replace("LD_PRELOAD", "HSA_TOOLS_LIB"), tools=tools)
    cleared.expect(cleared.code == 0, "the program fails without tools")
    cleared.expect(cleared.stderr.count(f"luthier: {arguments.program} {SAID_OF_TOOLS}") == 1, "it is not said once")
    cleared.expect("instr." not in cleared.stderr, "there is a report")
    both = run("env", "-i", tools=tools)
    both.expect(SAID in both.stderr and SAID_OF_TOOLS not in both.stderr, "more is said than that it has no GPU")
    for kept in run("env"), run("env", tools=tools):
        kept.expect(kept.code == 0, "the program fails")
        kept.expect(SAID not in kept.stderr and SAID_OF_TOOLS not in kept.stderr, "it is said of what has all it needs")


harness.main([(["program"], {})], test)
