#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: cached-compile.sh CCACHE ROOT COMPILER ARGUMENTS...
#
# Compiles through ccache so that the checkouts of a machine share what they
# compile: paths below ROOT count relative to the working directory. A
# precompiled header cannot be shared, since it holds the paths of its files.
# What uses one can, where the files have the same content: that is what the
# header's .sum says, which ccache reads in its place.
set -eu
ccache=$1 root=$2
shift 2
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1 CCACHE_ABSSTDERR=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

case " $* " in
*" -emit-pch "*) ;;
*)
  # From the working directory, which is in a build folder, up to ROOT.
  case $PWD in
  "$root"/*) up=$(printf '%s' "${PWD#"$root"}" | sed 's|/[^/]*|../|g') ;;
  *) exec "$ccache" "$@" ;;
  esac
  # Paths that ccache leaves as they are: of the plugin, which CCACHE_EXTRAFILES
  # names, too; of links to the system's device libraries; of a precompiled
  # header's source.
  for argument; do
    shift
    case $argument in
    -fpass-plugin="$root"/* | --rocm-device-lib-path="$root"/*) argument=${argument%%=*}=$up${argument#*="$root"/} ;;
    "$root"/*/cmake_pch.hxx) argument=$up${argument#"$root"/} ;;
    esac
    set -- "$@" "$argument"
  done
  exec "$ccache" "$@"
  ;;
esac

unset CCACHE_BASEDIR CCACHE_NOHASHDIR
"$ccache" "$@"
output='' dependencies='' previous=''
for argument; do
  case $previous in
  -o) output=$argument ;;
  -MF) dependencies=$argument ;;
  esac
  previous=$argument
done
# The rule's target ends with a colon; its files stand behind, with backslashes at line ends.
sed -e '1s/^[^:]*://' -e 's/\\$//' "$dependencies" | xargs sha256sum | cut -d ' ' -f 1 >"$output.sum"
