#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles a program with another version of ROCm, for gfx90a or $DEVICE, and runs
# it there. It has to end with 0.
#
#   [DEVICE=...] program.sh VERSION FOLDER LUTHIER SOURCE [OPTIONS OF luthier run]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=$1 output=$2 luthier=$3 source=$4
shift 4
mkdir -p "$output"
"$root/scripts/rocm.sh" "$version" -- env DEVICE="${DEVICE:-gfx90a}" bash -c '
  luthier=$1 source=$2 program=$3
  shift 3
  hipcc -w -O2 --offload-arch="$DEVICE" -I "$(dirname "$source")" -I examples/programs "$source" -o "$program" &&
    timeout 120 "$luthier" run --device "emulated:$DEVICE" --output "$(dirname "$program")" "$@" -- "$program"' \
  bash "$luthier" "$source" "$output/$(basename "$source" .hip)" "$@"
