#!/usr/bin/env bash
# build.sh LANGUAGE [HOW]: make the image for containers/LANGUAGE and print its id, sha256:<64 digits>, as the only output.
#
# The image is named after its recipe, localhost/redgreen-LANGUAGE:<recipe>: if that exists, there is nothing to do.
# HOW: `look` builds nothing and prints nothing if it does not exist; `anew` builds it though it exists.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/host.sh"

language=${1:-}
if [[ ! $language =~ ^[a-z]+$ ]] || [ ! -f "$here/$language/Containerfile" ] || [ "$language" = base ]; then
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
base=$(bash "$here/base.sh")
build "$here/$language" --tag "$name" --build-arg "BASE=$base" ||
  fail "podman could not build $name" "its own words are above; is there a network?"
image_id "$name"
