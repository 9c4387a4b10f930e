#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the long sweeps, all of them or those with a label, and sums up what the
# tables of docs/evidence.md hold. All take days on two cores.
#
#   scripts/sweep.sh [scramble|random|CTEST-ARGUMENT...]
#
#   scramble   programs and libraries with everything free overwritten, on every target
#   random     20,000 random kernels for each target
#   -R REGEX   sweeps by name: programs under all schedules, storage forms...
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

selection=(-L sweep)
if [[ "${1:-}" =~ ^[a-z] ]]; then
  selection=(-L "^$1$")
  shift
fi
"$root/scripts/setup.sh"
"$root/scripts/build.sh"
"$root/scripts/build.sh" sweep-programs
result=0
ctest --test-dir "$root/build" -C sweep --output-on-failure --no-tests=error -j 2 "${selection[@]}" "$@" 2>&1 |
  "$root/test/rocm/summary.py" || result=$?
mkdir -p "$root/build/evidence"
python3 -B "$root/test/evidence.py" "$root/build" >"$root/build/evidence/tables.md"
echo "-- build/evidence/tables.md, of $(git -C "$root" describe --always --dirty)"
exit $result
