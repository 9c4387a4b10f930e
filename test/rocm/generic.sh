#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# An example program compiled for a generic target: it runs on a GPU of that kind
# as it is, and Luthier says that it is not instrumented.
#
#   generic.sh VERSION FOLDER LUTHIER
set -euo pipefail
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=$1 output=$2 luthier=$3
mkdir -p "$output"
"$tree/scripts/rocm.sh" "$version" -- bash -c '
  examples=$1 program=$2 luthier=$3
  hipcc -w -O2 --offload-arch=gfx11-generic -I "$examples" "$examples/collatz.hip" -o "$program" &&
    timeout 120 "$luthier" run --tool instr-count --device emulated:gfx1100 --output "$(dirname "$program")" -- "$program" 2>&1' \
  bash "$tree/examples/programs" "$output/collatz-generic" "$luthier" | tee "$output/generic.txt"
grep -q 'collatz: digest .* PASS' "$output/generic.txt"
grep -q 'runs unchanged: unsupported-target: gfx11-generic' "$output/generic.txt"
