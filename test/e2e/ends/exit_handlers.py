#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs may end while the engine prepares itself for them: the engine uses nothing that exit() has destroyed by then."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness


def test(arguments, directory):
    result = harness.run(
        [arguments.luthier, "run", "--device", "emulated:gfx90a", "--tool", arguments.tool, "--output", f"{directory}/out",
         "--"] + arguments.program, {"LD_PRELOAD": arguments.handlers, "LUTHIER_LOG": "debug"})
    result.expect(result.code == 0, "the program fails")
    result.expect("instrumented " in result.stderr, "nothing was instrumented")
    result.expect("the engine has a thread" in result.stderr, "the engine's thread was not recognised")
    others = [int(number) for number in re.findall(r"^(\d+) objects of other threads", result.stderr, re.M)]
    result.expect(others and min(others) > 0, "no object was seen")
    result.expect("the engine makes" not in result.stderr, "the engine makes what exit() destroys")


harness.main([(["--tool"], {"required": True}), (["--handlers"], {"required": True}), (["program"], {"nargs": "+"})], test)
