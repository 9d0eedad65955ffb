#!/usr/bin/env bash
# build.sh LANGUAGE [HOW]: make the image for containers/LANGUAGE and print its id, sha256:<64 digits>, as the only output.
# LANGUAGE `base`: only what all of them stand on, and its name.
#
# The image is named after its recipe, localhost/redgreen-LANGUAGE:<recipe>: if that exists, there is nothing to do.
# HOW: `look` builds nothing and prints nothing if it does not exist; `anew` builds it though it exists.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/host.sh"

language=${1:-}
base() { # no use in trying again where a program is missing
  if [ -z "${REDGREEN_BASE:-}" ] && ! podman image exists "localhost/redgreen-base:$(recipe base base.sh)"; then need mmdebstrap; fi
  patiently bash "$here/base.sh" "$@"
}

if [ "$language" = base ]; then
  need podman
  base "${@:2}"
  exit
fi
if [[ ! $language =~ ^[a-z]+$ ]] || [ ! -f "$here/$language/Containerfile" ]; then
  printf 'error: no container recipe for "%s"\nhint: one of: ' "$language" >&2
  (cd "$here" && printf '%s ' */Containerfile | sed 's|base/Containerfile ||; s|/Containerfile||g; s| $|\n|') >&2
  exit 2
fi

need podman
name=localhost/redgreen-$language:$(recipe base base.sh "$language")

how=${2:-}
if [ "$how" != anew ] && image_id "$name"; then exit; fi
if [ "$how" = look ]; then exit; fi
take_turns
if [ "$how" != anew ] && image_id "$name"; then exit; fi
base=$(base)
patiently build "$here/$language" --tag "$name" --build-arg "BASE=$base" ||
  fail "podman could not build $name" "its own words are above; is there a network?"
image_id "$name"
