#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the launches of a HIP program into calls of hip_runtime.h beside this file.
Usage: translate.py PROGRAM.hip OUTPUT.cpp"""
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1]).read_text()
waits = "true" if re.search(r"__syncthreads|__shfl", source) else "false"
launch = re.compile(r"(\w+)<<<(.*?),\s*((?:[^,<>()]|\([^()]*\))+)>>>\((.*?)\);", re.S)
text = launch.sub(rf"host::launch(\2, \3, {waits}, [&] {{ \1(\4); }});", source)
assert "<<<" not in text, "a launch of another form"
pathlib.Path(sys.argv[2]).write_text(text)
