#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: cached-compile.sh CCACHE ROOT COMPILER ARGUMENTS...
#
# Compiles through ccache so that the checkouts of a machine share what they
# compile: paths below ROOT count relative to the working directory. A
# precompiled header cannot be shared, since it holds the paths of its files.
# What uses one can, where the header is made of the same files by the same
# command: that is what the header's .sum says, which ccache reads in its place.
#
# Line tables of hooks may name the checkout that has compiled them first, whose
# file was the same. What has all debugging information (-g) is not shared.
set -eu
ccache=$1 root=$2
shift 2
export CCACHE_PCH_EXTSUM=1 CCACHE_ABSSTDERR=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

make_header() {
  "$ccache" "$@"
  output='' dependencies='' previous=''
  for argument; do
    case $previous in
    -o) output=$argument ;;
    -MF) dependencies=$argument ;;
    esac
    previous=$argument
  done
  [ -s "$dependencies" ] || {
    echo "cached-compile.sh: no list of the files that a precompiled header is made of (-MF)" >&2
    exit 1
  }
  # The rule's target ends with a colon; its files stand behind, with backslashes at line ends. The last
  # command decides what a pipe returns, so the sums are cut from lines of their own.
  sums=$(sed -e '1s/^[^:]*://' -e 's/\\$//' "$dependencies" | xargs sha256sum)
  {
    printf '%s\n' "$@" | sed "s|$root/|/|g"
    printf '%s\n' "$sums" | cut -d ' ' -f 1
  } >"$output.sum"
}

case " $* " in
*" -emit-pch "*)
  make_header "$@"
  exit
  ;;
*" -g "*) ;;
*) export CCACHE_NOHASHDIR=1 ;;
esac

export CCACHE_BASEDIR="$root"
# From the working directory, which is in a build folder, up to ROOT.
here=$(pwd -P)
case $here in
"$root"/*) up=$(printf '%s' "${here#"$root"}" | sed 's|/[^/]*|../|g') ;;
*) exec "$ccache" "$@" ;;
esac
# Paths that ccache leaves as they are: of the plugin and of links to the
# system's device libraries, the content of both of which CCACHE_EXTRAFILES
# names; of a precompiled header's source.
for argument; do
  shift
  case $argument in
  -fpass-plugin="$root"/* | --rocm-device-lib-path="$root"/*) argument=${argument%%=*}=$up${argument#*="$root"/} ;;
  "$root"/*/cmake_pch.hxx) argument=$up${argument#"$root"/} ;;
  esac
  set -- "$@" "$argument"
done
exec "$ccache" "$@"
