#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Configures (once) and builds into build/. Arguments go to ninja.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [ ! -e "$root/build/build.ninja" ]; then
  cmake -S "$root" --preset release
fi
# Compilers ask the system for much memory, page by page; large pages save a fifth
# of their time.
export GLIBC_TUNABLES=${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1}
cmake --build "$root/build" -- "$@"
