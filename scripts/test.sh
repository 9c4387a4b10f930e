#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds everything, runs every test. With --all, the
# long sweeps follow (scripts/sweep.sh). Other arguments go to ctest. Groups of
# tests that cannot run on this machine are named by the test
# tests.no-group-has-vanished and among ctest's "did not run". Before ctest's
# summary stands on which versions of ROCm tests have run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

all=0
if [ "${1:-}" = --all ]; then
  all=1
  shift
fi
"$root/scripts/setup.sh"
"$root/scripts/build.sh"
python3 -B "$root/test/groups.py" "$root/build" || true
ctest --test-dir "$root/build" --output-on-failure --no-tests=error -j 2 "$@" 2>&1 | "$root/test/rocm/summary.py"
[ $all = 0 ] || "$root/scripts/sweep.sh"
