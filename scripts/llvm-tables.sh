#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes the private AMDGPU headers and generated tables of the installed LLVM
# available to the build. They come from the distribution's own source package
# through the machine's apt configuration (signed index, checked hash), or from
# an LLVM source tree of the same version.
#
# Usage: llvm-tables.sh OUTDIR [LLVM_SOURCE_DIR]
#   OUTDIR/include   private headers of lib/Target/AMDGPU and the generated .inc
#   OUTDIR/complete  written last; a complete OUTDIR is left as it is
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=packages.sh
. "$here/packages.sh"

major=$LUTHIER_LLVM_MAJOR
out=$(realpath -m "$1")
source_dir=${2:-}
[ -e "$out/complete" ] && exit 0
mkdir -p "$out"
work=$(mktemp -d "$out/work.XXXXXX")
trap 'rm -rf "$work"' EXIT

say() { printf '%s\n' "-- $*"; }

# Lists the machine's Debian binary suites again as source suites. Third-party
# lists are left out: they hold no LLVM and may be unreachable.
source_lists() {
  local file
  for file in /etc/apt/sources.list.d/*.sources; do
    if [ -e "$file" ] && grep -q '^URIs:.*debian' "$file"; then
      sed 's/^Types:.*$/Types: deb-src/' "$file" >"$1/$(basename "$file")"
    fi
  done
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -e "$file" ] || continue
    sed -n 's/^deb\(-src\)\?[[:space:]]\(.*debian.*\)$/deb-src \2/p' "$file" |
      sort -u >"$1/$(basename "${file%.list}").list"
  done
}

fetch_source() {
  local package=llvm-toolchain-$major version upstream tarball hash uri site
  version=$(dpkg-query -W -f='${source:Version}' "llvm-$major-dev")
  upstream=${version#*:}
  upstream=${upstream%-*}
  tarball=${package}_$upstream.orig.tar.xz
  mkdir -p "$work/lists/partial" "$work/sources"
  source_lists "$work/sources"
  local opts=(-o Dir::Etc::SourceList=/dev/null
    -o Dir::Etc::SourceParts="$work/sources"
    -o Dir::State::Lists="$work/lists"
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
  say "Reading the distribution's source index"
  apt-get "${opts[@]}" update -qq
  # No command below may end before it has read all its input: the one that
  # writes it would be killed, and pipefail would make that our own failure.
  hash=$(apt-cache "${opts[@]}" showsrc "$package" |
    awk -v v="$version" -v t="$tarball" \
      '/^Version:/{ok=($2==v)} ok&&$3==t&&length($1)==64&&!n++{print $1}')
  if [ -z "$hash" ]; then
    echo "error: no source of $package $version in the package index" >&2
    return 1
  fi
  # The archive that holds the package's index need not hold its upstream
  # tarball; the main pool has the same file. The signed hash decides.
  uri=$(apt-get "${opts[@]}" source --print-uris --tar-only \
    "$package=$version" 2>/dev/null |
    awk -F"'" -v t="$tarball" 'index($2,t)&&!n++{print $2}') || true
  cd "$work"
  local candidates=("$uri")
  while read -r site; do
    candidates+=("${site%/}/pool/main/${package:0:1}/$package/$tarball")
  done < <(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' |
    sed 's/debian-security/debian/' | sort -u)
  say "Downloading $tarball"
  for uri in "${candidates[@]}"; do
    [ -n "$uri" ] || continue
    if /usr/lib/apt/apt-helper download-file "$uri" "$tarball" \
      "SHA256:$hash" >/dev/null 2>&1; then
      say "Unpacking the AMDGPU target"
      mkdir -p source
      tar -xJf "$tarball" --strip-components=1 -C source --wildcards \
        '*/llvm/lib/Target/AMDGPU/*.h' '*/llvm/lib/Target/AMDGPU/*.td' \
        '*/llvm/include/llvm/Target/*' '*/llvm/include/llvm/TableGen/*'
      rm -f "$tarball"
      source_dir=$work/source/llvm
      return
    fi
  done
  echo "error: $tarball could not be downloaded from any configured archive" >&2
  return 1
}

if [ -z "$source_dir" ]; then
  fetch_source
elif [ -d "$source_dir/llvm/lib/Target/AMDGPU" ]; then
  source_dir=$(realpath "$source_dir/llvm")
else
  source_dir=$(realpath "$source_dir")
fi
target=$source_dir/lib/Target/AMDGPU
if [ ! -e "$target/AMDGPU.td" ]; then
  echo "error: $source_dir is not an LLVM source tree (no lib/Target/AMDGPU)" >&2
  exit 1
fi

rm -rf "$out/include"
mkdir -p "$out/include/Utils" "$out/include/MCTargetDesc"
cp "$target"/*.h "$out/include/"
cp "$target"/Utils/*.h "$out/include/Utils/"
cp "$target"/MCTargetDesc/*.h "$out/include/MCTargetDesc/"

generate() {
  "llvm-tblgen-$major" "-gen-$1" -I "$target" \
    -I "$(llvm-config-$major --includedir)" -I "$source_dir/include" \
    "$target/AMDGPU.td" -o "$out/include/$2.inc"
  say "Generated $2"
}
(
  generate instr-info AMDGPUGenInstrInfo
  generate subtarget AMDGPUGenSubtargetInfo
  generate searchable-tables AMDGPUGenSearchableTables
) &
generate register-info AMDGPUGenRegisterInfo
generate register-bank AMDGPUGenRegisterBank
wait $!
# 113 MB that nothing outside libLLVM needs.
rm -f "$out/include/AMDGPUGenRegisterInfoTargetDesc.inc"
touch "$out/complete"
