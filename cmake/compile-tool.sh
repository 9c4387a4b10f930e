#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# compile-tool.sh FOLDER COMMAND...
#
# Runs a compiler that takes its precompiled headers from FOLDER. Where a header
# has changed without a new time, as when packages are upgraded, nothing has them
# made anew, and clang refuses them. Then it compiles without, and removes them:
# the next build makes them.
set -u
folder=$1
shift
errors=$(mktemp) || exit
trap 'rm -f "$errors"' EXIT
for signal in HUP INT TERM; do
  # The parent is to see what has ended it.
  trap "rm -f '$errors'; trap - $signal EXIT; kill -s $signal \$\$" $signal
done
"$@" 2>"$errors"
code=$?
# What clang says of them, without a place in the source. Another tool's command
# may just have removed them.
refused='^(fatal )?error: .*(the precompiled header|precompiled header file|PCH file)'
if [ $code = 0 ] || ! grep -Eq "$refused" "$errors"; then
  cat "$errors" >&2
  exit $code
fi
grep -E -m 1 "$refused" "$errors" | sed 's/^.*error: /note: /' >&2
echo "note: compiling without precompiled headers; the next build makes them anew" >&2
rm -f "$folder"/*.pch
for word; do
  shift
  case $word in
  -include-pch | "$folder") ;;
  *) set -- "$@" "$word" ;;
  esac
done
"$@"
