"""Install a Rust project with cargo inside the sandbox: resolve as of the fix's date, fetch, then compile.

Two parts. The first asks the registry and runs no code of the project; the lock is read after it. The second has no
network: it checks every archive against the lock and compiles what the runs will need, build scripts included.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from urllib.parse import urlsplit

from adapters.languages.rust_manifest import lock_file, lock_lines
from adapters.languages.rust_toolchains import Toolchain, find_toolchains, number
from adapters.languages.steps import CACHE, Step, perform, read_made
from redgreen.contract import sha256
from redgreen.documents import EnvironmentFacts, Package
from redgreen.egress import CERTIFICATES
from redgreen.errors import InfrastructureError, Rejected
from redgreen.language import Installed, Workshop
from redgreen.launch import TOOLS
from redgreen.sandbox import BOX, Mount, Sandbox

INSIDE = Path(__file__).with_name("inside")
TOOLS_RUST = f"{TOOLS}/rust"
RESOLVER = "/redgreen/resolver"
RESOLVES = (1, 93)
"""The first cargo that resolves as of a day: `generate-lockfile --publish-time` (rust-lang/cargo#16265)."""

CAP_LINTS = {"CARGO_BUILD_RUSTFLAGS": "--cap-lints warn", "CARGO_BUILD_RUSTDOCFLAGS": "--cap-lints warn"}
"""Added to the project's own flags."""

HOST = "$(rustc -vV | sed -n 's/^host: //p')"


def install(environment: EnvironmentFacts, runtime: Toolchain, workshop: Workshop, sandbox: Sandbox) -> Installed:
    """Install into `workshop.box`: `env/cargo` (archives and sources) and `env/target` (compiled) beside `tree/`.

    Raises:
        Rejected: install_failed or unsupported.
        InfrastructureError: the network, the toolchain or the sandbox failed.
    """
    home = workshop.box / "tree" / environment.settings.get("workspace", ".")
    if workshop.lock is not None and not (home / "Cargo.lock").exists():
        (home / "Cargo.lock").write_text(lock_file(workshop.lock.decode().splitlines()))
    resolver = _resolver(runtime, sandbox)
    log = perform(
        _fetching(environment, runtime, resolver, resolve=not (home / "Cargo.lock").exists()),
        workshop,
        sandbox,
        hosts=registries(),
        variables={**variables(environment, runtime), **_fetch_variables(workshop)},
        mounts=[*runtime.mounts, *(Mount(mount.source, RESOLVER) for mount in resolver.mounts)],
        first=["toolchain"],
    )
    lines = lock_lines(read_made(home / "Cargo.lock"))
    lock = "".join(f"{line}\n" for line in lines).encode()
    if workshop.lock is not None and workshop.lock != lock:
        raise Rejected("install_failed", "the lock cannot be installed as it stands: other versions were resolved")
    (workshop.box / "lock.txt").write_bytes(lock)
    (workshop.box / "archives.txt").write_text("".join(_archive(line) for line in lines))
    log += perform(
        _building(environment, _compiled(environment, lock)),
        workshop,
        sandbox,
        hosts=(),
        variables=variables(environment, runtime),
        mounts=[*runtime.mounts, Mount(INSIDE, TOOLS_RUST)],
    )
    (workshop.box.parent / "logs" / "install.log").write_bytes(log)
    return Installed(environment, lock, tuple(_package(line) for line in lines), log)


def variables(environment: EnvironmentFacts, runtime: Toolchain) -> dict[str, str]:
    """What install and runs share: what differed between them would be compiled anew by every run."""
    return {
        **environment.variables,
        "PATH": ":".join(dict.fromkeys([runtime.bin, "/usr/local/bin", "/usr/bin", "/bin"])),
        "CARGO_HOME": f"{BOX}/env/cargo",
        "CARGO_TARGET_DIR": f"{BOX}/env/target",
        "CARGO_NET_OFFLINE": "true",
        "CARGO_INCREMENTAL": "0",
        "CARGO_PROFILE_DEV_DEBUG": "0",
        "CARGO_PROFILE_TEST_DEBUG": "0",
        "CARGO_TERM_COLOR": "never",
        "CARGO_TERM_PROGRESS_WHEN": "never",
        **(CAP_LINTS if environment.settings.get("cap_lints") else {}),
        "RUSTC_WRAPPER": "",
        "RUSTC_WORKSPACE_WRAPPER": "",
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": "/redgreen/home",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }


def registries() -> tuple[str, ...]:
    """Hosts of Rust's public registry, and of the index that your own cargo takes by CARGO_REGISTRY_DEFAULT."""
    own = urlsplit((own_index() or "").removeprefix("sparse+")).hostname
    return ("index.crates.io", "static.crates.io", *filter(None, [own]))


def own_index() -> str | None:
    """The index of a mirror of the public registry, as cargo itself would be told of it."""
    name = os.environ.get("CARGO_REGISTRY_DEFAULT", "")
    return os.environ.get(f"CARGO_REGISTRIES_{name.upper().replace('-', '_')}_INDEX") if name else None


def _fetch_variables(workshop: Workshop) -> dict[str, str]:
    asks = {} if workshop.offline else {"CARGO_NET_OFFLINE": "false"}
    bundle = Path(os.environ.get("SSL_CERT_FILE") or "/etc/ssl/certs/ca-certificates.crt")
    trust = {"CARGO_HTTP_CAINFO": CERTIFICATES} if bundle.is_file() else {}
    return {**asks, **trust, "CARGO_HOME": f"{CACHE}/cargo"}


def _resolver(runtime: Toolchain, sandbox: Sandbox) -> Toolchain:
    """Who resolves: the project's own cargo, or where that is too old the newest at hand. Versions do not depend on it.

    Raises:
        InfrastructureError: no cargo here can.
    """
    able = [item for item in [runtime, *reversed(find_toolchains(sandbox))] if number(item.version)[:2] >= RESOLVES]
    if not able:
        raise InfrastructureError(
            "no cargo here resolves as of a day",
            f"rustup toolchain install stable: {RESOLVES[0]}.{RESOLVES[1]} or newer",
        )
    return able[0]


def _fetching(environment: EnvironmentFacts, runtime: Toolchain, resolver: Toolchain, *, resolve: bool) -> list[Step]:
    # a line each: the shell does not stop at a failure on the left of &&
    version = f'rustc --version\ntest "$(rustc --version | cut -d" " -f2)" = {runtime.version}\ncargo --version'
    folder = f"cd {shlex.quote(f'{BOX}/tree/' + environment.settings.get('workspace', '.'))}"
    steps = [Step("toolchain", version), Step("workspace", f"{folder}\nmkdir -p {CACHE}/cargo\n{_mirror()}")]
    if resolve:
        cargo = f"{RESOLVER}/bin/cargo" if resolver.mounts else f"{resolver.bin}/cargo"
        day = environment.exclude_newer
        # the option is not stable; nothing is compiled under this variable
        steps.append(
            Step("resolve", f"RUSTC_BOOTSTRAP=1 {cargo} generate-lockfile -Z unstable-options --publish-time {day}")
        )
    held = "--locked " if resolve or environment.settings.get("lock") == "committed" else ""
    steps.append(Step("fetch", f"cargo fetch {held}--target {HOST}"))
    return steps


def _mirror() -> str:
    """Name a mirror of the registry to cargo, or none."""
    index = own_index()
    text = f'[source.crates-io]\nreplace-with = "mirror"\n[source.mirror]\nregistry = "{index}"\n' if index else ""
    words = re.sub(r"[^\w\s\[\]./:+=\"-]", "", text).replace("\n", "\\n")
    return f"printf '{words}' > {CACHE}/cargo/config.toml"


def _compiled(environment: EnvironmentFacts, lock: bytes) -> str:
    """Where the cache keeps what was compiled from just this lock, by this compiler, with these flags."""
    flags = {name: environment.settings.get(name, "") for name in ("features", "cap_lints", "workspace")}
    decides = json.dumps([environment.runtime.version, flags, environment.variables], sort_keys=True)
    return f"{CACHE}/target-{sha256(lock + decides.encode())[:32]}"


def _building(environment: EnvironmentFacts, compiled: str) -> list[Step]:
    carry = f"""
mkdir -p {BOX}/env/cargo/registry
cp {CACHE}/cargo/config.toml {BOX}/env/cargo/
if [ -d {CACHE}/cargo/registry/index ]; then cp -R {CACHE}/cargo/registry/index {BOX}/env/cargo/registry/; fi
for index in {CACHE}/cargo/registry/cache/*; do
  if [ ! -d "$index" ]; then continue; fi
  here={BOX}/env/cargo/registry/cache/${{index##*/}}
  mkdir -p "$here"
  while read -r checksum archive; do
    if [ -f "$index/$archive" ]; then
      cp "$index/$archive" "$here/"
      echo "$checksum  $archive" | (cd "$here" && sha256sum --check --quiet)
    fi
  done < {BOX}/archives.txt
done
"""
    # cargo compiles what is newer than its result: of what another commit left there it may take the dependencies only
    take = f"""
find {BOX}/tree -type f -exec touch {{}} +
if [ -d {compiled} ]; then cp -R -p {compiled} {BOX}/env/target; fi
"""
    keep = f"""
if [ ! -d {compiled} ]; then
  new=$(mktemp -d {CACHE}/new-XXXXXXXX)
  cp -R -p {BOX}/env/target "$new/target"
  mv -T "$new/target" {compiled} || test -d {compiled}
  rm -rf "$new"
fi
"""
    settings = shlex.quote(json.dumps(environment.settings))
    build = f"REDGREEN_SETTINGS={settings} python3 {TOOLS_RUST}/redgreen_cargo.py"
    return [Step("check archives", carry), Step("take", take), Step("build", build), Step("keep", keep)]


def _archive(line: str) -> str:
    name, version, checksum = line.split()
    return f"{checksum.removeprefix('sha256:')} {name}-{version}.crate\n"


def _package(line: str) -> Package:
    name, version, _ = line.split()
    return Package(name=name, version=version)
