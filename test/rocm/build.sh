#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles the example programs, and those beside this file, with another ROCm's
# own hipcc, each once for all targets.
#
#   build.sh VERSION FOLDER TARGETS PROGRAM...    targets separated by commas
set -euo pipefail
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=$1 output=$2 targets=$3
shift 3
mkdir -p "$output"
architectures=()
for target in ${targets//,/ }; do
  architectures+=("--offload-arch=$target")
done
export tree output
export flags="-w -O3 ${architectures[*]}"
printf '%s\n' "$@" | "$tree/scripts/rocm.sh" "$version" -- xargs -P 2 -I NAME bash -c '
  examples=$tree/examples/programs
  source=$examples/NAME.hip
  # Those are for this ROCm alone, so they are packed as it can.
  [ -e "$source" ] || { source=$tree/test/rocm/programs/NAME.hip; flags+=" --offload-compress"; }
  [ "$output/NAME" -nt "$source" ] && [ "$output/NAME" -nt "$examples/Check.h" ] ||
    hipcc $flags -I "$examples" "$source" -o "$output/NAME"'
