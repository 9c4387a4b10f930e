# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of benchmarks: one that was never measured ends the benchmark."""
import math
import sys


def measured(name, value):
    """Returns \p value; exits if it is absent, zero, negative, infinite or not a number."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value <= 0:
        sys.exit(f"error: {name} was not measured (it is {value})")
    return value
