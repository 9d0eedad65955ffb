#!/usr/bin/env bash
# Make .venv: the Python packages of requirements.lock, each checked against its hash. Called by make before anything else.
#
# Needs Python 3.11 or newer (PYTHON=<path> names one) and a package index; neither pip, uv nor python3-venv, and no root.
# Running it again does nothing while requirements.lock stays the same; after an interruption it starts over.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

root=$(pwd -P)
venv=$root/.venv
stamp=$venv/.redgreen-stamp # written last; the place is part of it because a virtual environment cannot be moved

fail() { # fail MESSAGE HINT
  printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
  exit 1
}

# The machine's own authorities, for package indexes behind a company's certificate.
authorities=/etc/ssl/certs/ca-certificates.crt
if [ -s "$authorities" ]; then export SSL_CERT_FILE=${SSL_CERT_FILE:-$authorities}; fi

say() { printf 'setup: %s\n' "$1" >&2; }

wanted_stamp() { printf '%s  %s\n' "$(sha256sum <requirements.lock | cut -d' ' -f1)" "$root"; }

up_to_date() { [ -x "$venv/bin/python" ] && [ -f "$stamp" ] && [ "$(<"$stamp")" = "$(wanted_stamp)" ]; }

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
  local candidate
  if [ -n "${PYTHON:-}" ]; then
    is_new_enough "$PYTHON" || fail "PYTHON=$PYTHON is not Python 3.11 or newer" "name another, or unset PYTHON"
    echo "$PYTHON"
    return
  fi
  for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
    if is_new_enough "$candidate"; then
      echo "$candidate"
      return
    fi
  done
  fail "no Python 3.11 or newer is on PATH" "as root: apt-get install python3, or name one: make PYTHON=/path/to/python3"
}

# find_pip PYTHON SCRATCH: print the path of a wheel of pip, which runs from where it lies; nothing if there is none.
find_pip() {
  # What ensurepip would install. Debian keeps it in a package of its own, and leaves ensurepip out of python3.
  "$1" -c 'import ensurepip, pathlib
print(*pathlib.Path(ensurepip.__file__).parent.glob("_bundled/pip-*.whl"), sep="\n")' 2>/dev/null | grep . && return
  find /usr/share/python-wheels -name 'pip-*.whl' 2>/dev/null | grep . && return
  if ! "$1" -m pip --version >/dev/null 2>&1; then unpack_pip "$2"; fi
}

# unpack_pip SCRATCH: print the path of pip's wheel, out of Debian's package but without installing that (no root needed).
unpack_pip() {
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 0
  say "fetching pip from the package python3-pip-whl"
  cd "$1"
  if ! apt-get -qq download python3-pip-whl >/dev/null 2>&1; then
    # No lists of packages yet: fetch them, but to here, which needs no root either.
    mkdir -p lists/partial cache
    local here=(-qq -o "Dir::State::lists=$1/lists" -o "Dir::Cache=$1/cache" -o "APT::Sandbox::User=root")
    apt-get "${here[@]}" update >&2 && apt-get "${here[@]}" download python3-pip-whl >&2
  fi
  dpkg-deb -x python3-pip-whl_*.deb . 2>/dev/null && find "$1" -name 'pip-*.whl'
}

# install_uv PYTHON SCRATCH: put uv, alone and by its hashes in requirements.lock, into .venv.
install_uv() {
  local wheel pip
  wheel=$(find_pip "$1" "$2" | head -n 1) || true
  if [ -n "$wheel" ]; then
    pip=(env "PYTHONPATH=$wheel" "$venv/bin/python" -m pip)
  elif "$1" -m pip --version >/dev/null 2>&1; then
    pip=("$1" -m pip --python "$venv/bin/python")
  else
    fail "this Python has no pip, and none could be fetched" "as root: apt-get update; apt-get install python3-venv"
  fi
  awk '/^uv==/ { on = 1 } on { print } on && !/\\$/ { exit }' requirements.lock >"$2/uv.txt"
  PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore \
    "${pip[@]}" --quiet install --no-deps --require-hashes --requirement "$2/uv.txt" >&2 ||
    fail "uv could not be installed" "pip's own words are above; is there a network, and are ca-certificates installed?"
}

build() {
  local python scratch uv
  python=$(find_python)
  scratch=$(mktemp -d)
  # shellcheck disable=SC2064  # the name is wanted as it is now
  trap "rm -rf '$scratch'" EXIT

  say "making .venv with $("$python" --version) and the packages of requirements.lock"
  rm -rf "$venv"
  "$python" -m venv --without-pip "$venv" ||
    fail "$python cannot make a virtual environment" "as root: apt-get install python3-venv"
  uv=$venv/bin/uv
  if [ -n "${IN_NIX_SHELL:-}" ] && command -v uv >/dev/null; then
    uv=$(command -v uv) # the shell's own, pinned by flake.lock
  else
    install_uv "$python" "$scratch"
  fi
  "$uv" pip sync --quiet --python "$venv/bin/python" --require-hashes requirements.lock >&2 ||
    fail "the packages of requirements.lock could not be installed" "uv's own words are above; is there a network?"
  "$venv/bin/python" - "$root" <<'PYTHON'
import pathlib, sys, sysconfig
pathlib.Path(sysconfig.get_path("purelib"), "redgreen.pth").write_text(sys.argv[1] + "\n")
PYTHON
  wanted_stamp >"$stamp"
  say "done in $SECONDS s"
}

up_to_date && exit
# Two makes in one checkout set up once. The lock is this file itself, so nothing is left behind.
exec 9<setup.sh
if command -v flock >/dev/null; then flock 9; fi
up_to_date || build
