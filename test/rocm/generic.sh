#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# An example program compiled for generic targets: it runs on a GPU of each kind
# as it is, and Luthier says that it is not instrumented.
#
#   generic.sh VERSION FOLDER LUTHIER TARGET:DEVICE...
set -euo pipefail
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=$1 output=$2/generic luthier=$3
shift 3
mkdir -p "$output"
architectures=("${@%:*}")
"$tree/scripts/rocm.sh" "$version" -- hipcc -w -O2 "${architectures[@]/#/--offload-arch=}" -I "$tree/examples/programs" \
  "$tree/examples/programs/collatz.hip" -o "$output/collatz"
for pair; do
  target=${pair%:*} device=${pair#*:}
  "$tree/scripts/rocm.sh" "$version" -- timeout 120 "$luthier" run --tool instr-count --device "emulated:$device" \
    --output "$output" -- "$output/collatz" 2>&1 | tee "$output/$target.txt"
  grep -q 'collatz: digest .* PASS' "$output/$target.txt"
  grep -q "runs unchanged: unsupported-target: $target" "$output/$target.txt"
done
