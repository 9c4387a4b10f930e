#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds what the main job needs, and does it: counts
# the instructions that an unmodified HIP program executes.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

echo "== 1/3 Packages and LLVM headers"
"$root/scripts/setup.sh"

echo "== 2/3 Build"
"$root/scripts/build.sh" luthier luthier-inspect luthier-runtime luthier-gpu instr-count matmul

echo "== 3/3 Run: luthier run --tool instr-count -- build/bin/examples/matmul"
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT
"$root/build/bin/luthier" run --tool instr-count --output "$output" -- "$root/build/bin/examples/matmul"
