#!/usr/bin/env bash
# Make the base image that every language's image stands on, and print its name: localhost/redgreen-base:<recipe>.
#
# Its root file system is Debian bookworm, put together from packages by mmdebstrap: that needs a package mirror but no
# container registry. Of bookworm alone, without its updates: they would come and go, and packages.lock names each file.
# Where a registry is at hand, REDGREEN_BASE=<image>@sha256:<digest> takes an image of bookworm instead.
# DEBIAN_MIRROR names another package mirror than Debian's own. `base.sh anew` makes it though it exists.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/host.sh"

need podman
name=localhost/redgreen-base:$(recipe base base.sh)
if [ "${1:-}" != anew ] && podman image exists "$name"; then
  echo "$name"
  exit
fi

case ${REDGREEN_BASE:-} in
  "" | *@sha256:*) ;;
  *) fail "REDGREEN_BASE=$REDGREEN_BASE is not pinned" "give it as <image>@sha256:<digest>" ;;
esac

if [ -n "${REDGREEN_BASE:-}" ]; then
  podman image exists "$REDGREEN_BASE" || podman pull "$REDGREEN_BASE" >&2 ||
    fail "cannot pull $REDGREEN_BASE" "unset REDGREEN_BASE to build from Debian packages"
  root=$REDGREEN_BASE
else
  need mmdebstrap
  # what base/Containerfile installs is cheaper to have from the start
  packages=$(sed -n '/redgreen-install \\$/{n;s/^ *//;s/ /,/gp}' "$here/base/Containerfile")
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  # With SOURCE_DATE_EPOCH mmdebstrap's archive depends on the packages' versions and on nothing else.
  # shellcheck disable=SC2086  # no mirror is no argument
  SOURCE_DATE_EPOCH=0 mmdebstrap --variant=minbase --skip=output/dev --include="$packages" \
    --setup-hook='sed -i "/ bookworm-/d" "$1/etc/apt/sources.list"' bookworm "$scratch/root.tar" ${DEBIAN_MIRROR:-} >&2 ||
    fail "mmdebstrap could not make a Debian base" "is there a network? elsewhere than on Debian: install debian-archive-keyring"
  root=localhost/redgreen-root:${name##*:}
  printf 'FROM scratch\nADD root.tar /\n' | build "$scratch" --tag "$root" --file - ||
    fail "podman could not take in the Debian base" "its own words are above"
fi

build "$here/base" --tag "$name" --build-arg "ROOT=$root" ||
  fail "podman could not build $name" "its own words are above; is there a network?"
echo "$name"
