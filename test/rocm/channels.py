#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Channels, printf() and assert() of hooks on a GPU and with a ROCm that the installed
one is not: the program of test/e2e/channel, compiled there, under its tools."""

import os
import re
import sys

tree = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(tree, "test", "e2e"))
import harness

ALL_THERE = ["^all there$", "^at the end of the kernel$"]
# Tool, its options, the program's, how it ends, and what is said.
CASES = [
    ("sequence", "send=some", "one-wave", 0, ALL_THERE),
    ("sequence", "send=wave,bytes=4096", "lds", 0, ALL_THERE + ["without lanes [1-9]"]),
    ("sequence", "bytes=16384", "many-waves", 0, ALL_THERE + ["arrived [1-9][0-9]*, dropped 0,"]),
    ("sequence", "bytes=4096,drop", "many-waves", 0, ["dropped [1-9]", "^all there or dropped$"]),
    ("prints", "what=all", "one-wave", 0, ["^lane 1 of block -7: 0.50 odd 0x123456789ac b%$", "^passed$"]),
    # This HIP gives the program an error, where older ones end it.
    ("sequence", "", "trap", 1, ["^sent 0, arrived 65, dropped 0, .*wrong 0,", "stopHere .719.$"]),
    ("prints", "what=assert", "one-wave", 1, ["assertion `__lane_id\\(\\) < 30' of a hook failed\\.$", "collatzSteps .719.$"]),
]


def test(arguments, directory):
    program = f"{directory}/channel-program"
    build = harness.run(["hipcc", "-w", "-O3", "-rdynamic", f"--offload-arch={arguments.device}",
                         f"{tree}/test/e2e/channel/Program.hip", "-o", program])
    build.expect(build.code == 0, "the program does not compile")
    for tool, options, what, ends, says in CASES:
        result = harness.run([arguments.luthier, "run", "--device", f"emulated:{arguments.device}", "--output", directory,
                              "--tool", f"{arguments.tools}/lib{tool}.so:{options}".rstrip(":"), "--", program, what])
        result.expect(result.code == ends, f"{tool}:{options} should end with {ends}")
        said = result.stdout + result.stderr
        for pattern in says:
            result.expect(re.search(pattern, said, re.M), f"nothing says '{pattern}'")
        print(f"{tool}:{options} {what}: " + "".join(re.findall("^sent.*$", said, re.M)))
    if arguments.killed_waves:
        goes_on_without_killed_waves(arguments, directory, "trapping", "gfx90a")
        goes_on_without_killed_waves(arguments, directory, "faulting", "gfx90a,gfx90a")


def goes_on_without_killed_waves(arguments, directory, kind, devices):
    """What is sent behind blocks that nobody finishes, which hold the whole ring."""
    result = harness.run([arguments.luthier, "run", "--device", f"emulated:{devices}", "--output", directory, "--tool",
                          f"{arguments.tools}/libsequence.so:bytes=16384,nap=200", "--", arguments.killed_waves,
                          f"{arguments.code}/kernels.co", f"{arguments.code}/{kind}-kernels.co"])
    result.expect(result.code == 3 and "counted 1024" in result.stdout, f"{kind}: the program does not go on")
    found = re.search(r"^sent ([1-9]\d*), .*unfinished (\d+), wrong 0, .*of the last launch (\d+)$", result.stderr, re.M)
    result.expect(found and found[1] == found[3], f"{kind}: something is lost")
    # Whether a fault meets waves in the middle of a block is chance.
    result.expect(kind != "trapping" or found[2] != "0", f"{kind}: no block is unfinished")
    print(f"{kind}: {found[0]}")


harness.main(
    [
        (["--device"], {"required": True, "help": "what is emulated"}),
        (["--tools"], {"required": True, "help": "the folder of the tools"}),
        (["--killed-waves"], {"help": "the program"}),
        (["--code"], {"help": "the folder of its code"}),
    ],
    test,
)
