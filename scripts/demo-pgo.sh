#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Profile-guided optimisation of a GPU kernel: one that is as the program is used
# takes half of its cycles away; one of another input makes it slower, which the judge
# sees, takes the kernel out of the profile, and keeps the build that is faster.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [ $# = 0 ]; then
  "$root/scripts/setup.sh"
  "$root/scripts/build.sh" luthier luthier-runtime luthier-gpu sample-libraries
fi
# A build that is there may be given, as tests do.
build=$(cd "${1:-$root/build}" && pwd)
luthier=$build/bin/luthier
llvm=/usr/lib/llvm-$(sed -n 's/^LUTHIER_LLVM_MAJOR=//p' "$root/scripts/packages.sh")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$root/test/e2e/pgo/BiasedBranches.hip" .
# Its argument N: each of five conditions in a loop holds for one element in N.
compile=("$llvm/bin/clang++" "--config=$build/lib/luthier/hip-program.cfg" --offload-arch=gfx90a -O3
         -ffp-contract=off -I "$root/examples/programs" BiasedBranches.hip -o biased -lamdhip64)

echo "== 1/2 A profile of the program as it is used: conditions are rare"
"$luthier" pgo optimize -- "${compile[@]}" -- ./biased 20000

echo "== 2/2 A profile of the wrong input: trained where they are rare, used where they always hold"
"$luthier" pgo optimize --judge "./biased 1" -- "${compile[@]}" -- ./biased 20000
