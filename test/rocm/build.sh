#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles the example programs with another ROCm's own hipcc, each once for all
# targets.
#
#   build.sh VERSION FOLDER TARGETS PROGRAM...    targets separated by commas
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=$1 output=$2 targets=$3
shift 3
mkdir -p "$output"
architectures=()
for target in ${targets//,/ }; do
  architectures+=("--offload-arch=$target")
done
export sources="$root/examples/programs" output
export flags="-w -O3 ${architectures[*]}"
printf '%s\n' "$@" | "$root/scripts/rocm.sh" "$version" -- xargs -P 2 -I NAME bash -c '
  [ "$output/NAME" -nt "$sources/NAME.hip" ] && [ "$output/NAME" -nt "$sources/Check.h" ] ||
    hipcc $flags -I "$sources" "$sources/NAME.hip" -o "$output/NAME"'
