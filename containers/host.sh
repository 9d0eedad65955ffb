# shellcheck shell=bash
# Sourced by the scripts here: what podman needs on this host, and the name of a recipe.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

fail() { # fail MESSAGE HINT
  printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
  exit 1
}

need() { # need COMMAND...
  local command
  for command in "$@"; do
    command -v "$command" >/dev/null || fail "$command is not installed" "as root: apt-get install $command"
  done
}

# A person's own choice wins. Otherwise containers.conf says why.
if [ -z "${CONTAINERS_CONF:-}" ] && [ -d /sys/fs/cgroup/unified ] && command -v runc >/dev/null; then
  export CONTAINERS_CONF=$here/containers.conf
fi

# The first 16 digits of a hash over the named files and folders (relative to here) and whatever else decides the image.
recipe() {
  (cd "$here" && find "$@" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum &&
    uname -m && echo "${REDGREEN_BASE:-}") | sha256sum | cut -c1-16
}

# Two runs of one checkout build one after the other. The lock is this file itself, so nothing is left behind.
take_turns() {
  exec 9<"$here/host.sh"
  flock 9
}

# image_id NAME: print sha256:<64 digits>, or fail.
image_id() { podman image inspect --format 'sha256:{{.Id}}' "$1" 2>/dev/null; }

# patiently COMMAND...: three times, for package mirrors that go away for a moment.
patiently() {
  local pause
  for pause in 15 45; do
    "$@" && return
    printf 'failed; once more in %s s\n' "$pause" >&2
    sleep "$pause"
  done
  "$@"
}

# build CONTEXT OPTION...: the same recipe gives the same image: no clock, and bases by their recipe's name, because podman
# writes that name into the image. Nothing on stdout.
build() {
  local context=$1 authorities=${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt} lock=$1/packages.lock
  shift
  # An image of a registry is pinned by its digest, and its packages are not those of the lock.
  if [ ! -s "$lock" ] || [ -n "${REDGREEN_BASE:-}${REDGREEN_UNLOCKED:-}" ]; then lock=/dev/null; fi
  # For package mirrors behind a company's certificate. Mounted even if empty: the place where it was remains in the image.
  if [ ! -s "$authorities" ]; then authorities=/dev/null; fi
  podman build --network=host --pull=never --layers=false --timestamp=0 --volume "$authorities:/mnt/authorities.crt:ro" \
    --volume "$lock:/mnt/packages.lock:ro" \
    "$@" "$context" >&2
}
