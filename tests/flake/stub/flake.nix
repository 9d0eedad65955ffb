# A nixpkgs that offers the names our flake uses, and nothing that could be built: enough to evaluate the flake offline.
{
  outputs =
    { self }:
    let
      genAttrs =
        names: make:
        builtins.listToAttrs (
          map (name: {
            inherit name;
            value = make name;
          }) names
        );
      packagesFor =
        system:
        let
          fake =
            name: inputs:
            derivation {
              inherit name system inputs;
              builder = "/no/such/builder";
            };
          programs = genAttrs [
            "git"
            "gnumake"
            "hyperfine"
            "nixfmt-tree"
            "nodejs"
            "podman"
            "ruff"
            "runc"
            "util-linux"
            "uv"
            "zlib"
          ] (name: fake name [ ]);
          modules = genAttrs [
            "click"
            "graphql-core"
            "hypothesis"
            "jsonschema"
            "packaging"
            "podman"
            "pydantic"
            "pytest"
            "pytest-xdist"
            "pyyaml"
            "requests"
            "rich"
            "statsmodels"
          ] (name: fake name [ ]);
        in
        programs
        // {
          python313 = fake "python" [ ] // {
            withPackages = choose: fake "python-with-packages" (choose modules);
          };
          stdenv.cc.cc.lib = fake "gcc-lib" [ ];
          mkShell = { packages, LD_LIBRARY_PATH }: fake "shell" (packages ++ [ LD_LIBRARY_PATH ]);
          runCommand = name: { nativeBuildInputs }: script: fake name (nativeBuildInputs ++ [ script ]);
          writeShellApplication = { name, runtimeInputs, text }: fake name (runtimeInputs ++ [ text ]);
        };
    in
    {
      lib = {
        inherit genAttrs;
        makeLibraryPath = packages: builtins.concatStringsSep ":" (map (package: "${package}/lib") packages);
      };
      legacyPackages = genAttrs [ "x86_64-linux" "aarch64-linux" ] packagesFor;
    };
}
