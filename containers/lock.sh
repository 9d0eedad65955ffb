#!/usr/bin/env bash
# lock.sh LANGUAGE...: write containers/LANGUAGE/packages.lock anew, with every Debian package of the image and its sha256.
#
# To be run when the package mirror has moved on (a build says so), and looked at before it is committed.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/host.sh"

need podman
for language; do
  [ -f "$here/$language/Containerfile" ] || fail "$language: no container recipe" "one of the folders of containers/"
  name=localhost/redgreen-$language:unlocked
  base=$(bash "$here/base.sh")
  REDGREEN_UNLOCKED=1 build "$here/$language" --tag "$name" --build-arg "BASE=$base"
  lock=$here/$language/packages.lock
  podman run --rm --network=none "$name" cat /usr/local/share/redgreen/packages >"$lock.new"
  mv "$lock.new" "$lock"
  # what the lock was read from is what it makes
  podman tag "$name" "localhost/redgreen-$language:$(recipe base base.sh "$language")"
  podman untag "$name"
  wc -l "$lock"
done
