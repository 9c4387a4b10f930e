#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Memory that two processes share on another version of ROCm.
#
#   shared_memory.sh VERSION FOLDER LUTHIER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=$1 output=$2 luthier=$3
mkdir -p "$output"
# 6.4 uses dmabufs only then, 7.2 always.
"$here/../../scripts/rocm.sh" "$version" -- env HSA_ENABLE_IPC_MODE_LEGACY=0 bash -c '
  hipcc -w -O2 --offload-arch=gfx90a "$1/shared-memory.hip" -o "$2/shared-memory" &&
    timeout 60 "$3" run --device emulated:gfx90a -- "$2/shared-memory"' bash "$here" "$output" "$luthier"
