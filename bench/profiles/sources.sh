#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sources of programs that others wrote, for bench/pgo.py: kept in the cache
# outside the tree. Prints the folder.
#
#   sources.sh rocm             ROCm 6.4, of scripts/rocm.sh
#   sources.sh headers          what programs include, of Debian's testing
#   sources.sh source NAME      rocthrust or hipcub, of Debian's testing;
#                               llama.cpp, of npm's node-llama-cpp
set -euo pipefail
shopt -s inherit_errexit
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${LUTHIER_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/luthier}/profiles
node_llama=node-llama-cpp@3.22.1

die() {
  printf '%s\n' "error: $*" >&2
  exit 1
}

# apt-get with an index of its own: the machine's stays as it is.
apt() {
  apt-get -o Dir::Etc::sourcelist="$cache/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$cache/apt/lists" -o Dir::Cache="$cache/apt/cache" \
    -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root -q "$@" >&2
}

have_index() {
  local mirror
  [ ! -e "$cache/apt/ready" ] || return 0
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -E '/debian/?$' | sed -n 1p)
  [ -n "$mirror" ] || die "apt's sources name no archive of Debian"
  mkdir -p "$cache/apt/lists/partial" "$cache/apt/cache/archives/partial"
  printf "%s $mirror testing main\n" deb deb-src >"$cache/apt/sources.list"
  apt update || die "the archive's index cannot be read"
  touch "$cache/apt/ready"
}

# The headers alone: nothing is installed. Those of HIP are where the runtime is,
# whose folder must not be searched: it has another C library.
make_headers() {
  local package
  mkdir -p "$1/usr/include"
  ln -s "$("$root/scripts/rocm.sh" 6.4)/usr/include/hip" "$1/usr/include/hip"
  have_index
  cd "$1"
  for package in librocthrust-dev librocprim-dev libhipcub-dev libhipblas-dev libhipblas-common-dev; do
    apt download "$package:amd64" || die "there is no $package"
  done
  for package in *.deb; do
    dpkg-deb -x "$package" .
  done
}

# What llama.cpp's kernels need of its host code: descriptions of tensors.
make_tensors() {
  local source
  printf '#define GGML_VERSION "%s"\n#define GGML_COMMIT "%s"\n' "$node_llama" "$node_llama" >ggml/include/ggml-version.h
  for source in ggml.c ggml-quants.c ggml-threading.cpp; do
    clang-22 -O1 -ffunction-sections -fdata-sections -w -D_GNU_SOURCE -I ggml/include -I ggml/src -c "ggml/src/$source" -o "$source.o"
  done
  ar rc libggml.a ./ggml*.o
}

# The archive may lack the packaging's own files, which are not needed.
make_source() {
  mkdir -p "$1"
  cd "$1"
  case $2 in
  rocthrust | hipcub)
    have_index
    apt source --download-only "$2" || true
    tar xzf "$2"_*.orig.tar.gz --strip-components=1 || die "there is no source of $2"
    ;;
  llama.cpp)
    npm pack --silent "$node_llama" >&2
    tar xzf ./*.tgz package/llama/gitRelease.bundle
    git clone -q -c advice.detachedHead=false package/llama/gitRelease.bundle checkout
    mv checkout/* .
    make_tensors
    ;;
  *) die "no source is called $2" ;;
  esac
}

# Only what is complete gets its name.
kept() {
  local folder=$cache/$1
  shift
  if [ ! -d "$folder" ]; then
    rm -rf "$folder.new"
    ("$1" "$folder.new" "${@:2}") >&2
    mv "$folder.new" "$folder"
  fi
  printf '%s\n' "$folder"
}

mkdir -p "$cache"
case ${1:-} in
rocm) "$root/scripts/rocm.sh" 6.4 ;;
headers)
  folder=$(kept headers make_headers)
  printf '%s\n' "$folder/usr/include"
  ;;
source) kept "source-$2" make_source "$2" ;;
*)
  sed -n '4,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0" >&2
  exit 2
  ;;
esac
