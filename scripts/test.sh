#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds everything, runs every test. Slow sweeps,
# which carry the label "slow" or "sweep", run only with --all. Other arguments go to ctest.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

selection=(-LE 'slow|sweep')
if [ "${1:-}" = --all ]; then
  selection=()
  shift
fi
"$root/scripts/setup.sh"
"$root/scripts/build.sh"
ctest --test-dir "$root/build" --output-on-failure --no-tests=error -j 2 "${selection[@]}" "$@"
