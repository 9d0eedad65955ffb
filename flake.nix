{
  description = "Turns merged bug fixes into proven tasks for coding agents, and scores agents on them";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-26.05";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
      ];
      forEachSystem = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});

      # What setup.sh, the Makefile and the sandboxes call. Python's packages come from requirements.lock.
      tools = pkgs: [
        pkgs.git
        pkgs.gnumake
        pkgs.hyperfine
        pkgs.nodejs
        pkgs.podman
        pkgs.python313
        pkgs.runc
        pkgs.util-linux
        pkgs.uv
      ];
      # The index's wheels look for these where an ordinary Linux has them.
      libraries =
        pkgs:
        nixpkgs.lib.makeLibraryPath [
          pkgs.stdenv.cc.cc.lib
          pkgs.zlib
        ];

      # One make target, run in the folder it is called from.
      app =
        pkgs: target:
        let
          script = pkgs.writeShellApplication {
            name = "redgreen-${target}";
            runtimeInputs = tools pkgs;
            text = ''
              export IN_NIX_SHELL=pure LD_LIBRARY_PATH=${libraries pkgs}
              exec make ${target} "$@"
            '';
          };
        in
        {
          type = "app";
          program = "${script}/bin/redgreen-${target}";
        };

      # A command on a writable copy of the repository, without network, on nixpkgs' own Python packages.
      python =
        pkgs:
        pkgs.python313.withPackages (
          packages: with packages; [
            click
            graphql-core
            hypothesis
            jsonschema
            packaging
            podman
            pydantic
            pytest
            pytest-xdist
            pyyaml
            requests
            rich
            statsmodels
          ]
        );
      check =
        pkgs: name: command:
        pkgs.runCommand "redgreen-${name}" { nativeBuildInputs = tools pkgs ++ [ pkgs.ruff (python pkgs) ]; } ''
          cp -r ${self} source && chmod -R u+w source && cd source
          export HOME=$PWD
          ${command}
          touch $out
        '';
    in
    {
      devShells = forEachSystem (pkgs: {
        default = pkgs.mkShell {
          packages = tools pkgs;
          LD_LIBRARY_PATH = libraries pkgs;
        };
      });
      checks = forEachSystem (pkgs: {
        lint = check pkgs "lint" "ruff check . && ruff format --check .";
        tests = check pkgs "tests" "python -m pytest -q -p no:cacheprovider";
        schemas = check pkgs "schemas" "python -m redgreen.schemas && diff -r ${self}/schemas schemas";
      });
      apps = forEachSystem (pkgs: nixpkgs.lib.genAttrs [ "all" "verify" "doctor" ] (app pkgs));
      formatter = forEachSystem (pkgs: pkgs.nixfmt-tree);
    };
}
