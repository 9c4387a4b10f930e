# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why builds with a profile lost, as their machine code shows: found by hand, so what is new has no reason yet."""
UNTOLD = "Not looked into."
REASONS = {}
