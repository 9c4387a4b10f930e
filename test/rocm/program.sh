#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles a program with another version of ROCm, for gfx90a or $DEVICE (or the
# first of several), and runs it there. It has to end with 0. With WITH_MODULE=1
# its device code is also in a file, which is its first argument.
#
#   [DEVICE=...] [WITH_MODULE=1] [SECONDS_AT_MOST=...] program.sh VERSION FOLDER LUTHIER SOURCE
#                                          [OPTIONS OF luthier run] [-- ARGUMENTS OF THE PROGRAM]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=$1 output=$2 luthier=$3 source=$4
shift 4
options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  options+=("$1")
  shift
done
[ $# = 0 ] || shift
mkdir -p "$output"
program=$output/$(basename "$source" .hip)
device=${DEVICE:-gfx90a}
compile=("$root/scripts/rocm.sh" "$version" -- hipcc -w -O2 "--offload-arch=${device%%,*}" -I "$(dirname "$source")"
         -I "$root/examples/programs" "$source" -lhsa-runtime64)
"${compile[@]}" -o "$program"
if [ "${WITH_MODULE:-0}" = 1 ]; then
  "${compile[@]}" --genco -o "$program.co"
  set -- "$program.co" "$@"
fi
"$root/scripts/rocm.sh" "$version" -- timeout "${SECONDS_AT_MOST:-120}" "$luthier" run --device "emulated:$device" \
  --output "$output" "${options[@]}" -- "$program" "$@"
