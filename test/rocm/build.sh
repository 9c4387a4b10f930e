#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles the example programs, those beside this file, and others, which are
# named by their paths, with another ROCm's own hipcc, each once for all targets.
#
#   build.sh VERSION FOLDER TARGETS PROGRAM...    targets separated by commas
set -euo pipefail
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=$1 output=$2 targets=$3
shift 3
mkdir -p "$output"
architectures=()
for target in ${targets//,/ }; do
  architectures+=("--offload-arch=$target")
done
export tree output
export flags="-w -O3 ${architectures[*]}"
printf '%s\n' "$@" | "$tree/scripts/rocm.sh" "$version" -- xargs -P 2 -I NAME bash -c '
  examples=$tree/examples/programs
  name=$(basename NAME)
  source=$examples/NAME.hip
  case NAME in
  */*) source=$tree/NAME.hip ;;
  # Those are for this ROCm alone, so they are packed as it can.
  *) [ -e "$source" ] || { source=$tree/test/rocm/programs/NAME.hip; flags+=" --offload-compress"; } ;;
  esac
  flags+=" -I $examples"
  newer=1
  for file in "$source" "$examples/Check.h" "${source%/*}/Check.h"; do
    [ "$output/$name" -nt "$file" ] || newer=0
  done
  [ $newer = 0 ] || exit 0
  # Code of several versions of code objects is in a program once for each.
  versions=$(sed -n "s/^void launchVersion\([0-9]*\)(.*;/\1/p" "$source")
  objects=()
  for number in $versions; do
    objects+=("$output/$name.$number.o")
    hipcc $flags -mcode-object-version=$number -DVERSION=$number -c "$source" -o "${objects[-1]}" || exit
  done
  # Code for stacks as compilers leave it without optimisation.
  case $name in
  private-memory) flags+=" -O0" ;;
  esac
  libraries=
  ! grep -q hiprtc.h "$source" || libraries=-lhiprtc
  hipcc "${objects[@]}" $flags "$source" $libraries -o "$output/$name"'
