#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`luthier pgo show` says why it knows nothing of a kernel's branches and loads where
hooks have no place in it: here, state is to be stored in registers that the GPU lacks.
What the emulated GPU counts itself is there."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import harness  # noqa: E402

MESSAGE = "  branches are not counted: register-budget\n"


def test(arguments, _directory):
    show = [arguments.luthier, "pgo", "show", "--device", "gfx1030", "--no-source", "--", arguments.program]
    result = harness.run(show)
    result.expect(result.code == 0 and MESSAGE not in result.stdout, "branches are not counted though hooks have a place")
    result.expect(" divergent " in result.stdout and " not counted " not in result.stdout, "there are no branches or loads")
    result = harness.run(["env", "LUTHIER_STATE_STORAGE=agpr", *show])
    result.expect(result.code == 0, "luthier pgo show fails")
    result.expect(MESSAGE in result.stdout, "it is not said that branches are not counted")
    result.expect(" divergent " not in result.stdout, "branches are shown that were not counted")
    result.expect(" blocks never executed" in result.stdout, "the emulated GPU's counts are not shown")


if __name__ == "__main__":
    harness.main([(["program"], {})], test)
