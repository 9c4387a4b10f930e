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
[ ${#fuzzers[@]} -gt 0 ] || fuzzers=(codeobject metadata descriptor lift)
cmake --build "$build" --target fuzzers -j "${JOBS:-2}" >/dev/null
[ "$seconds" -gt 0 ] || exit 0
# The slow unwinder may itself fail where a stack is broken; then no input is kept.
export ASAN_OPTIONS=detect_leaks=0:fast_unwind_on_fatal=1

# libFuzzer knows only the time on the wall, which a busy machine may take from
# it: what it calls a hang must use 10 s of the processor when it runs alone.
hangs() { ! (ulimit -t 10 && "$1" "$2" >/dev/null 2>&1); }

# Runs one fuzzer until its time is up, past hangs that are none.
fuzz() {
  local program="$build/bin/fuzz-$1" work="$build/fuzz/$1" end=$((SECONDS + each))
  local length=4096 left found
  case "$1" in
    codeobject) length=12288 ;;
    lift | descriptor) length=512 ;;
  esac
  while left=$((end - SECONDS)) && [ "$left" -gt 0 ]; do
    nice -n "${NICE:-19}" "$program" "$work/corpus" "$here/corpus/$1" "$here/regressions/$1" \
      -max_total_time="$left" -timeout=10 -rss_limit_mb=1024 -max_len="$length" \
      -artifact_prefix="$work/found-" -print_final_stats=1 -verbosity=1 >"$work/log" 2>&1 && break
    found="$(sed -n 's/.*Test unit written to //p' "$work/log" | tail -1)"
    case "$found" in
      *found-timeout-*) ! hangs "$program" "$found" || return 1 ;;
      *) return 1 ;;
    esac
    rm "$found"
  done
}

each=$((seconds / ${#fuzzers[@]}))
for fuzzer in "${fuzzers[@]}"; do
  work="$build/fuzz/$fuzzer"
  mkdir -p "$work/corpus" "$here/corpus/$fuzzer" "$here/regressions/$fuzzer"
  echo "$fuzzer: $each seconds"
  fuzz "$fuzzer" || { tail -40 "$work/log"; exit 1; }
  grep -E 'stat::|DONE|cov:' "$work/log" | tail -8
  if [ "${KEEP:-0}" = 1 ]; then
    rm -rf "$work/small" "$work/merged"
    mkdir -p "$work/small" "$work/merged"
    find "$work/corpus" -type f -size -2049c -exec cp -t "$work/small" {} +
    "$build/bin/fuzz-$fuzzer" -merge=1 "$work/merged" "$here/corpus/$fuzzer" "$work/small" >/dev/null 2>&1
    # Those of the tree come first, so only what they lack is new.
    find "$work/merged" -type f -printf '%s %p\n' | sort -n | sed -n "1,${MOST:-60}p" | cut -d' ' -f2- |
      xargs -r cp -n -t "$here/corpus/$fuzzer"
  fi
done
