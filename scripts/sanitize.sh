#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the tests of those classes of the runtime whose threads meet with a
# sanitizer, and runs them:
#   scripts/sanitize.sh thread|address|undefined [options of the test...]
# The build is build-KIND. A sanitizer of threads has to begin with the program,
# which HIP, ROCr and Python do not; so whole programs do not run under it, and
# these classes run on a GPU runtime that the tests make up.
set -euo pipefail
cd "$(dirname "$0")/.."

kind="${1:-}"
case "$kind" in
thread | address | undefined) shift ;;
*)
  sed -n '3,8s/^# \{0,1\}//p' "$0"
  exit 2
  ;;
esac

# shellcheck source=packages.sh
source scripts/packages.sh
build="build-$kind"
if [[ ! -f "$build/build.ninja" ]]; then
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DLUTHIER_SANITIZERS="$kind" \
    -DCMAKE_C_COMPILER="clang-$LUTHIER_LLVM_MAJOR" -DCMAKE_CXX_COMPILER="clang++-$LUTHIER_LLVM_MAJOR"
fi
cmake --build "$build" --target threads-test
export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1"
export ASAN_OPTIONS="halt_on_error=1"
export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1"
"$build/bin/threads-test" "$@"
