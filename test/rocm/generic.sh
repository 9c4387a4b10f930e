#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles example programs for generic targets alone.
#
#   generic.sh VERSION FOLDER PROGRAM...
set -euo pipefail
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=$1 output=$2
shift 2
mkdir -p "$output"
for program; do
  "$tree/scripts/rocm.sh" "$version" -- hipcc -w -O2 \
    --offload-arch=gfx{9-4,10-3,11,12}-generic -I "$tree/examples/programs" "$tree/examples/programs/$program.hip" -o "$output/$program"
done
