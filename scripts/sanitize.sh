#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds with a sanitizer and runs, in build-KIND:
#   scripts/sanitize.sh thread|address|undefined [options of the test...]
#     the tests of those classes of the runtime whose threads meet, on a GPU
#     runtime that the tests make up;
#   scripts/sanitize.sh programs address|thread [PATTERN]
#     the tests of test/e2e/together (whose names match): whole programs on the
#     emulated GPU that are counted and traced at once, with the engine,
#     libluthier.so, under address and undefined, or thread. All else is that
#     of build, so scripts/build.sh comes first.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  sed -n '3,12s/^# \{0,1\}//p' "$0"
  exit 2
}

# shellcheck source=packages.sh
source scripts/packages.sh
clang="clang++-$LUTHIER_LLVM_MAJOR"

# configure BUILD SANITIZERS
configure() {
  [[ -f "$1/build.ninja" ]] ||
    cmake -S . -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -gline-tables-only" \
      -DLUTHIER_SANITIZERS="$2" -DCMAKE_C_COMPILER="clang-$LUTHIER_LLVM_MAJOR" -DCMAKE_CXX_COMPILER="$clang"
}

run_tests() {
  local build="build-$1"
  configure "$build" "$1"
  shift
  cmake --build "$build" --target threads-test
  # All runtimes are in one folder, of which the compiler tells the linker only
  # where folders are called by targets.
  local runtime
  runtime="$("$clang" -print-file-name=libclang_rt.asan-x86_64.so)"
  export LD_LIBRARY_PATH="${runtime%/*}"
  export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1"
  export ASAN_OPTIONS="halt_on_error=1"
  export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1"
  "$build/bin/threads-test" "$@"
}

# What is installed, as links, around the engine that is built in $1.
make_tree() {
  rm -rf "$1/programs"
  mkdir -p "$1/programs/bin" "$1/programs/lib/luthier"
  cp build/bin/luthier "$1/programs/bin"
  ln -s "$PWD"/build/lib/* "$1/programs/lib" 2>/dev/null || true
  rm -f "$1"/programs/lib/libluthier.so*
  cp -P "$1"/lib/libluthier.so* "$1/programs/lib"
  # Tools find the engine from where they are.
  cp -r build/lib/luthier/. "$1/programs/lib/luthier"
}

run_programs() {
  local build="build-programs-$1" within="env" except=() runtime
  case "$1" in
  address)
    configure "$build" address,undefined
    runtime="$("$clang" -print-file-name=libclang_rt.asan-x86_64.so)"
    # It cannot give a thread's memory back there, without Luthier, too.
    except=(--except many-queues-are-counted-and-traced)
    ;;
  thread)
    configure "$build" thread
    runtime="$("$clang" -print-file-name=libclang_rt.tsan-x86_64.so)"
    # Its memory has fixed places.
    within="setarch -R env"
    ;;
  *) usage ;;
  esac
  cmake --build "$build" --target luthier-runtime
  make_tree "$build"
  local found="$PWD/$build/programs/found"
  # Leaks: HIP and ROCr free little at a program's end. The gap: ROCr reserves
  # addresses there.
  export ASAN_OPTIONS="detect_leaks=0:protect_shadow_gap=0:log_path=$found"
  export UBSAN_OPTIONS="print_stacktrace=1:log_path=$found"
  # What is built without does not tell of its locks and atomic operations.
  export TSAN_OPTIONS="ignore_noninstrumented_modules=1:second_deadlock_stack=1:die_after_fork=0:log_path=$found"
  export TSAN_OPTIONS="$TSAN_OPTIONS:suppressions=$PWD/scripts/sanitize-thread.txt"
  python3 -B test/e2e/together/sanitized.py --build build --luthier "$PWD/$build/programs/bin/luthier" \
    --within "$within LD_PRELOAD=$runtime" --reports "$found" --select "${2:-}" "${except[@]}"
}

case "${1:-}" in
thread | address | undefined) run_tests "$@" ;;
programs) run_programs "${2:-}" "${3:-}" ;;
*) usage ;;
esac
