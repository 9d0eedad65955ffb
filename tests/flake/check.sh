#!/usr/bin/env bash
# Evaluate flake.nix with nix, offline, against a stub of nixpkgs, in a store of its own that is thrown away.
#
# Exit status 0: every output exists on both systems, flake.lock pins the input, and broken flakes are refused.
# It proves the flake's shape. It cannot prove that the packages exist in nixpkgs or build.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=${1:-$here/../..}

fail() { # fail MESSAGE HINT
  printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
  exit 1
}

command -v nix >/dev/null || fail "nix is not installed" "as root: apt-get install nix-bin"
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT

# A nix of its own: no daemon, no configuration, no store of this machine.
export HOME=$scratch/home NIX_REMOTE=local NIX_STORE_DIR=$scratch/store NIX_STATE_DIR=$scratch/state \
  NIX_LOG_DIR=$scratch/log NIX_CONF_DIR=$scratch/conf
mkdir -p "$HOME" "$NIX_CONF_DIR"
echo 'experimental-features = nix-command flakes' >"$NIX_CONF_DIR/nix.conf"

# Out of the git tree, where nix would see only what is committed.
mkdir "$scratch/flake"
cp "$root/flake.nix" "$root/flake.lock" "$scratch/flake/"

evaluate() { # evaluate SUBCOMMAND... : offline, with the stub for nixpkgs, leaving the lock alone
  nix "$@" --offline --no-write-lock-file --override-input nixpkgs "path:$here/stub" 2>"$scratch/words"
}

must_exist() { # must_exist ATTRIBUTE...
  local attribute
  for attribute; do
    evaluate eval --raw "path:$scratch/flake#$attribute" >/dev/null || {
      cat "$scratch/words" >&2
      fail "the flake has no $attribute" "nix's own words are above"
    }
    echo "ok: $attribute"
  done
}

must_be_refused() { # must_be_refused WHY SED-EXPRESSION
  cp "$root/flake.nix" "$scratch/flake/flake.nix"
  sed -i "$2" "$scratch/flake/flake.nix"
  cmp -s "$root/flake.nix" "$scratch/flake/flake.nix" && fail "the flake with $1 is not broken" "correct the expression: $2"
  if evaluate flake check --no-build "path:$scratch/flake"; then
    fail "a flake with $1 passed" "this check would not notice a fault"
  fi
  echo "ok: refused with $1"
}

evaluate flake check --no-build "path:$scratch/flake" || {
  cat "$scratch/words" >&2
  fail "nix flake check refuses the flake" "nix's own words are above"
}
echo "ok: nix flake check --no-build"
for system in x86_64-linux aarch64-linux; do
  must_exist {devShells.$system.default,checks.$system.{lint,tests,schemas},formatter.$system}.drvPath \
    apps.$system.{all,verify,doctor}.{type,program}
done

# Without the stub: the lock must answer for every input as flake.nix names it, else nix would have to fetch.
is_locked() { nix flake metadata --json --offline --no-update-lock-file "path:$scratch/flake" >/dev/null 2>"$scratch/words"; }

is_locked || {
  cat "$scratch/words" >&2
  fail "flake.lock does not pin what flake.nix asks for" "run nix flake lock"
}
echo "ok: flake.lock pins every input"

break_flake() { # break_flake SED-EXPRESSION
  sed "$1" "$root/flake.nix" >"$scratch/flake/flake.nix"
  ! cmp -s "$root/flake.nix" "$scratch/flake/flake.nix" || fail "$1 breaks nothing" "correct the expression in check.sh"
}

must_be_refused() { # must_be_refused WHY SED-EXPRESSION COMMAND... : the check itself must be able to fail
  local why=$1
  break_flake "$2"
  shift 2
  if "$@" >/dev/null; then fail "a flake with $why passed" "this check would not notice a fault"; fi
  echo "ok: refused with $why"
}

check=(evaluate flake check --no-build "path:$scratch/flake")
must_be_refused "a syntax error" '0,/;/s/;//' "${check[@]}"
must_be_refused "a package that nixpkgs lacks" 's/pkgs\.gnumake/pkgs.no-such-package/' "${check[@]}"
must_be_refused "a check that is no derivation" 's/lint = .*/lint = "nothing";/' "${check[@]}"
must_be_refused "an app missing" 's/"doctor"//' evaluate eval --raw "path:$scratch/flake#apps.x86_64-linux.doctor.program"
must_be_refused "one system only" '/"aarch64-linux"/d' evaluate eval --raw "path:$scratch/flake#formatter.aarch64-linux.drvPath"
must_be_refused "an input that is not locked" 's/nixos-26\.05/nixos-unstable/' is_locked
echo "This proves the shape of the flake only: nothing was fetched from nixpkgs, and no package was built."
