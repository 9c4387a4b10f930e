#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what Luthier needs on Debian 12, 13 and testing, and fetches LLVM's private AMDGPU
# headers into a cache outside the build tree. Does nothing where nothing is
# missing, and then needs no root rights and no network.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=packages.sh
. "$here/packages.sh"
export DEBIAN_FRONTEND=noninteractive

say() { printf '%s\n' "-- $*"; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

missing_of() {
  local name
  for name in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] ||
      printf '%s\n' "$name"
  done
}

# LLVM 22 lives in the security suite. A minimal Debian (debootstrap) lists only
# the main one; derive the security site from it, so mirrors keep working.
add_security_suite() {
  local codename site keyring
  # Every reader reads to the end, since pipefail counts a writer cut short.
  if apt-get indextargets --format '$(CODENAME) $(SUITE) $(SITE)' 'Created-By: Packages' |
    grep security >/dev/null; then
    return
  fi
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' |
    grep -E '/debian/?$' | sed -n 1p)
  site=${site%/}-security
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  say "Adding the security suite of $codename"
  printf 'deb [signed-by=%s] %s %s-security main\n' "$keyring" "$site" "$codename" |
    as_root tee /etc/apt/sources.list.d/luthier-security.list >/dev/null
}

update() {
  add_security_suite
  # A third-party list may be unreachable; apt then exits with an error although
  # every Debian index is fresh, and the install below decides.
  as_root apt-get update -q || true
}

# Of the packages that are not installed, those that this Debian has.
offered_of() {
  missing_of "$@" | xargs -r apt-cache madison 2>/dev/null | awk '{print $1}' | sort -u
}

mapfile -t missing < <(missing_of "${LUTHIER_FETCH_PACKAGES[@]}" "${LUTHIER_BUILD_PACKAGES[@]}")
[ ${#missing[@]} -eq 0 ] || update
mapfile -t -O ${#missing[@]} missing < <(offered_of "${LUTHIER_OPTIONAL_PACKAGES[@]}")
if [ ${#missing[@]} -gt 0 ]; then
  say "Installing ${#missing[@]} packages: ${missing[*]}"
  as_root apt-get install -y --no-install-recommends "${missing[@]}"
fi

cache=${LUTHIER_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/luthier}
version=$(dpkg-query -W -f='${source:Version}' "llvm-$LUTHIER_LLVM_MAJOR-dev")
"$here/llvm-tables.sh" "$cache/llvm-${version#*:}" ${LUTHIER_LLVM_SOURCE_DIR:+"$LUTHIER_LLVM_SOURCE_DIR"}
