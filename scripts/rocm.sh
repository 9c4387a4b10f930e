#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Another version of ROCm beside the installed one: a folder with another Debian
# and its unmodified runtime, compiler and rocminfo. It is made when it is first
# asked for (a minute, 2 GB), and kept in the cache outside the tree. Needs root.
#
#   scripts/rocm.sh VERSION                  makes the folder, prints its path
#   scripts/rocm.sh VERSION -- COMMAND...    runs a command in it, where this
#                                            checkout and /tmp have their places
#   scripts/rocm.sh VERSION --with PACKAGE... -- COMMAND...
#                                            adds packages of that Debian before, or
#                                            what it has newer, but no other HIP
#   scripts/rocm.sh VERSION --status         makes nothing; names the package of
#                                            HIP, or says why there is no folder
#
# Versions: 6.1 (Debian 13, with HIP 5.7), 6.4 (testing), 7.2 (experimental); and
# 5.2, which is the installed one of Debian 12, for which no folder is made.
# Exits with 77 where the folder cannot be had: no root, no archive, or the
# archive has gone on to another version. For an hour, commands do not try again;
# the first form does.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(dirname "$here")
# shellcheck source=packages.sh
. "$here/packages.sh"

say() { printf '%s\n' "-- $*" >&2; }
refusal=
not_here() {
  printf '%s\n' "ROCm $version cannot run here: $*" >&2
  [ -z "$refusal" ] || printf '%s\n' "$*" >"$refusal"
  exit 77
}

version=${1:-}
packages=(rocminfo hipcc libamdhip64-dev libhsa-runtime64-1 "libllvm$LUTHIER_LLVM_MAJOR")
release=()
case $version in
5.2) suite=here starts=5.2 ;;
6.1) suite=trixie hip=libamdhip64-5 starts=5.7 ;;
6.4) suite=testing hip=libamdhip64-6 starts=6.4 ;;
7.2) suite=sid hip=libamdhip64-7 starts=7.2 release=(-t experimental) ;;
*)
  sed -n '4,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0" >&2
  exit 2
  ;;
esac
shift
folder=${LUTHIER_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/luthier}/rocm-$version

# In mounts of its own, so that nothing is left mounted whatever happens.
within() {
  local root=$1
  shift
  mkdir -p "$root$checkout"
  unshare --mount --propagation private bash -c '
    root=$1 checkout=$2 directory=$3
    shift 3
    mount --rbind /dev "$root/dev"
    mount --rbind /proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /tmp "$root/tmp"
    mount --rbind "$checkout" "$root$checkout"
    exec chroot "$root" bash -c "cd \"\$0\" 2>/dev/null; exec \"\$@\"" "$directory" "$@"
  ' bash "$root" "$checkout" "$PWD" "$@"
}

make_folder() {
  local new=$folder.new mirror candidate
  [ "$(id -u)" = 0 ] || not_here "making its folder needs root"
  refusal=$folder.refused
  if ! command -v debootstrap >/dev/null; then
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends debootstrap >&2 ||
      not_here "debootstrap cannot be installed"
  fi
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -E '/debian/?$' | sed -n 1p) ||
    not_here "apt's sources name no archive of Debian to make its folder from"
  say "Making a folder with ROCm $version of Debian's $suite"
  rm -rf "$new"
  # The installed debootstrap may be older than the suite, and sid's script does for all.
  debootstrap --variant=minbase "$suite" "$new" "$mirror" \
    /usr/share/debootstrap/scripts/sid >"$folder.log" 2>&1 ||
    not_here "the archive does not offer $suite (see $folder.log)"
  [ ${#release[@]} = 0 ] ||
    printf 'deb %s experimental main\n' "$mirror" >"$new/etc/apt/sources.list.d/experimental.list"
  printf '%s\n' 'Acquire::Check-Valid-Until "false";' 'APT::Install-Recommends "false";' >"$new/etc/apt/apt.conf.d/80luthier"
  within "$new" apt-get update -q >>"$folder.log" 2>&1 || not_here "the archive's index cannot be read (see $folder.log)"
  candidate=$(within "$new" apt-cache "${release[@]}" policy "$hip" | sed -n 's/^ *Candidate: //p')
  [[ $candidate == "$starts".* ]] || not_here "the archive's $suite has $hip ${candidate:-not at all}, not $starts"
  within "$new" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "${release[@]}" "$hip" "${packages[@]}" \
    >>"$folder.log" 2>&1 || not_here "its packages cannot be installed (see $folder.log)"
  within "$new" apt-get clean
  rm -rf "$folder" "$refusal"
  mv "$new" "$folder"
  refusal=
}

if [ "$suite" = here ]; then
  installed=$(dpkg-query -W -f='${Version}' libamdhip64-dev 2>/dev/null || true)
  [[ $installed == "$starts".* ]] || not_here "the installed HIP is ${installed:-none}"
  case ${1:-} in
  '') echo / ;;
  --status) echo "libamdhip64-dev $installed, which is installed" ;;
  --) exec "${@:2}" ;;
  *) not_here "packages are not added to the installed system" ;;
  esac
  exit
fi

if [ "${1:-}" = --status ]; then
  why=$(cat "$folder.refused" 2>/dev/null || echo "its folder has not been made")
  [ -d "$folder" ] || not_here "$why"
  dpkg-query --admindir "$folder/var/lib/dpkg" -W -f='${Package} ${Version}\n' "$hip"
  exit
fi

mkdir -p "$(dirname "$folder")"
if [ ! -d "$folder" ]; then
  # Somebody else may be making it.
  exec 9>"$folder.lock"
  flock 9
  if [ $# -gt 0 ] && [ ! -d "$folder" ] && [ -n "$(find "$folder.refused" -mmin -60 2>/dev/null)" ]; then
    not_here "$(cat "$folder.refused")"
  fi
  [ -d "$folder" ] || make_folder
  exec 9>&-
fi
if [ $# = 0 ]; then
  printf '%s\n' "$folder"
  exit
fi
if [ "$1" = --with ]; then
  shift
  more=()
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    more+=("$1")
    shift
  done
  [ "$(id -u)" = 0 ] || not_here "adding to its folder needs root"
  install=(within "$folder" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "${release[@]}" "${more[@]}")
  # An older one than the archive's may be there from before.
  if ! plan=$("${install[@]}" --simulate 2>/dev/null) || grep -q '^Inst ' <<<"$plan"; then
    exec 9>"$folder.lock"
    flock 9
    say "Adding ${more[*]} to ROCm $version"
    # The archive may have gone on since its index was read, perhaps to another ROCm.
    {
      within "$folder" apt-mark hold "$hip" libhsa-runtime64-1 &&
        { "${install[@]}" || { within "$folder" apt-get update -q && "${install[@]}"; }; }
    } >>"$folder.log" 2>&1 || not_here "its archive does not have ${more[*]} for it (see $folder.log)"
    within "$folder" apt-get clean
    exec 9>&-
  fi
fi
[ $# -gt 0 ] || exit 0
[ "$1" != -- ] || shift
[ "$(id -u)" = 0 ] || not_here "running in its folder needs root"
within "$folder" "$@"
