# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Of the list on standard input, names of passes that no test of the folder runs."""
import pathlib
import re
import sys

runs = "\n".join(line for path in pathlib.Path(sys.argv[1]).iterdir() if path.suffix in [".ll", ".mir"]
                 for line in path.read_text().splitlines() if "RUN:" in line)
listed = re.findall(r"^  (\S+)$", sys.stdin.read(), re.M)
untested = [name for name in listed if not re.search(rf"--(pass|until) {name} ", runs)]
print(f"{len(listed)} passes, untested: {' '.join(untested) or 'none'}")
