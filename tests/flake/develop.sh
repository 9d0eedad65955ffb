#!/usr/bin/env bash
# develop.sh COMMAND...: run a command inside `nix develop`, offline, in a nixpkgs made of this machine's own programs.
#
# The shell is the one that flake.nix describes: nix builds it, sets its variables and puts its packages first on PATH. What
# the packages hold is this machine's, because nothing can be had of nixpkgs offline: their versions are not proven.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../.." && pwd -P)
command -v nix >/dev/null || { printf 'error: nix is not installed\nhint: as root: apt-get install nix-bin\n' >&2; exit 1; }
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT

# A nix of its own: no daemon, no configuration, no store of this machine. Builders are this machine's shell.
nix=(env HOME="$scratch/home" NIX_REMOTE=local NIX_STORE_DIR="$scratch/store" NIX_STATE_DIR="$scratch/state"
  NIX_LOG_DIR="$scratch/log" NIX_CONF_DIR="$scratch/conf" nix)
mkdir -p "$scratch"/{home,conf,flake,nixpkgs}
printf 'experimental-features = nix-command flakes\nsandbox = false\nbuild-users-group =\n' >"$scratch/conf/nix.conf"
cp "$root/flake.nix" "$root/flake.lock" "$scratch/flake/"

programs() { # programs PACKAGE PROGRAM...: a package that links to programs of this machine, as far as it has them
  local package=$1 program found=
  shift
  for program; do
    if program=$(command -v "$program"); then found+=" \"$program\""; fi
  done
  printf '        %s = programs "%s" [%s ];\n' "$package" "$package" "$found"
}

{
  cat <<'NIX'
{
  outputs = { self }:
    let
      system = "x86_64-linux";
      sh = name: script: derivation { inherit name system; builder = "/bin/sh"; PATH = "/usr/bin:/bin"; args = [ "-c" script ]; };
      programs = name: found: sh name "mkdir -p $out/bin; for one in ${builtins.concatStringsSep " " found}; do ln -s $one $out/bin/; done";
      setup = sh "stdenv" ''
        mkdir $out
        echo 'PATH=; for one in $packages /usr /; do PATH=$PATH''${PATH:+:}''${one%/}/bin; done; export PATH' >$out/setup
      '';
    in {
      lib = {
        genAttrs = names: make: builtins.listToAttrs (map (name: { inherit name; value = make name; }) names);
        makeLibraryPath = packages: builtins.concatStringsSep ":" (map (package: "${package}/lib") packages);
      };
      legacyPackages.aarch64-linux = self.legacyPackages.x86_64-linux;
      legacyPackages.x86_64-linux = {
        mkShell = arguments: derivation (arguments // {
          name = "shell"; inherit system; stdenv = setup; builder = "/bin/bash"; outputs = [ "out" ];
        });
        stdenv.cc.cc.lib = programs "gcc-lib" [ ];
        zlib = programs "zlib" [ ];
        ruff = programs "ruff" [ ];
        nixfmt-tree = programs "nixfmt-tree" [ ];
        writeShellApplication = { name, ... }: programs name [ ];
        runCommand = name: _: _: programs name [ ];
NIX
  programs bashInteractive bash
  programs git git
  programs gnumake make
  programs hyperfine hyperfine
  programs nodejs node npm
  programs podman podman
  programs python313 python3
  programs runc runc
  programs util-linux unshare mount umount setpriv prlimit
  programs uv uv
  printf '      };\n    };\n}\n'
} >"$scratch/nixpkgs/flake.nix"

# the command is the user's: nix's own variables of this script are not its business
"${nix[@]}" develop --quiet --offline --no-write-lock-file --override-input nixpkgs "path:$scratch/nixpkgs" "path:$scratch/flake" \
  --command env -u NIX_REMOTE -u NIX_STORE_DIR -u NIX_STATE_DIR -u NIX_LOG_DIR -u NIX_CONF_DIR HOME="$HOME" "$@"
