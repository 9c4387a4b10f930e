#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: run.sh BUILD SECONDS [FUZZER...]
# Builds the fuzzers in the build folder and runs them one after the other, each
# for an equal part of the time (0: builds them only). Stops at the first crash,
# hang over 10 s or memory over 1 GiB; the input then lies in BUILD/fuzz/, and
# goes into test/fuzz/regressions/ with the fix. The corpus grows in BUILD/fuzz;
# with KEEP=1 what adds coverage goes into the tree, files up to 2 KiB.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
build="$(cd "$1" && pwd)"
seconds="$2"
shift 2
fuzzers=("$@")
[ ${#fuzzers[@]} -gt 0 ] || fuzzers=(codeobject metadata lift)
cmake --build "$build" --target fuzzers -j "${JOBS:-2}" >/dev/null
[ "$seconds" -gt 0 ] || exit 0
each=$((seconds / ${#fuzzers[@]}))
for fuzzer in "${fuzzers[@]}"; do
  work="$build/fuzz/$fuzzer"
  mkdir -p "$work/corpus" "$here/corpus/$fuzzer" "$here/regressions/$fuzzer"
  length=4096
  [ "$fuzzer" != lift ] || length=512
  [ "$fuzzer" != codeobject ] || length=12288
  echo "$fuzzer: $each seconds"
  ASAN_OPTIONS=detect_leaks=0 nice -n 19 "$build/bin/fuzz-$fuzzer" \
    "$work/corpus" "$here/corpus/$fuzzer" "$here/regressions/$fuzzer" \
    -max_total_time="$each" -timeout=10 -rss_limit_mb=1024 -max_len="$length" \
    -artifact_prefix="$build/fuzz/$fuzzer-" -print_final_stats=1 -verbosity=1 \
    >"$work/log" 2>&1 || { tail -40 "$work/log"; exit 1; }
  grep -E 'stat::|DONE|cov:' "$work/log" | tail -8
  if [ "${KEEP:-0}" = 1 ]; then
    mkdir -p "$work/merged"
    "$build/bin/fuzz-$fuzzer" -merge=1 "$work/merged" "$here/corpus/$fuzzer" "$work/corpus" >/dev/null 2>&1
    find "$work/merged" -type f -size -2k -newer "$work/log" -print0 | sort -z | head -z -n 60 |
      xargs -0 -r cp -t "$here/corpus/$fuzzer"
  fi
done
