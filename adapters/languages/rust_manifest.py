"""What a Rust project's files say about how it is tested: read from its manifests and CI files, nothing is started."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from adapters.languages.rust_toolchains import Toolchain, Wanted
from redgreen.documents import EnvironmentFacts, Runtime
from redgreen.errors import Rejected

CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"
"""How every Cargo.lock names the public registry, whatever mirror serves it."""

MOST_EXAMPLES = 60
"""Each example in the documentation is a program of its own to compile and link: more than these are left alone."""

TEST_COMMAND = re.compile(r"\bcargo\b[^\n#|;&]*\b(?:test|t|nextest|llvm-cov|tarpaulin|hack)\b[^\n]*")
DENIED = re.compile(r"(?:deny|forbid)\s*\(\s*warnings|-D\s*warnings")
SKIPPED = {"target", ".git", "node_modules"}


def ways(tree: Path, as_of: str, choose: Callable[[Wanted], Toolchain]) -> tuple[EnvironmentFacts, ...]:
    """The ways to install: with all features first where the project's CI tests so.

    Raises:
        Rejected: unsupported.
    """
    home = workspace(tree)
    manifest = read_toml(home / "Cargo.toml")
    lock = home / "Cargo.lock"
    if lock.is_file():
        lock_lines(lock.read_bytes())
    chosen = choose(wanted(tree, home, manifest))
    folder = home.relative_to(tree).as_posix()
    settings = {
        "workspace": folder,
        "lock": "committed" if lock.is_file() else "",
        "doctests": ",".join(_folders_with_few_examples(tree)),
        "isolation": "process" if (home / ".config" / "nextest.toml").is_file() else "",
        "cap_lints": "yes" if _denies_warnings(home) else "",
    }
    read = [name for name in ("Cargo.toml", "Cargo.lock") if (home / name).is_file()]
    plain = EnvironmentFacts(
        runtime=Runtime(name="rust", version=chosen.version),
        manager="cargo",
        runner="nextest" if settings["isolation"] else "libtest",
        inputs=tuple(f"{folder}/{name}".removeprefix("./") for name in read),
        requirements=(),
        settings={name: value for name, value in settings.items() if value},
        exclude_newer=as_of,
    )
    everything = plain.model_copy(update={"settings": {**plain.settings, "features": "all"}})
    return (everything, plain) if _tests_all_features(tree) else (plain,)


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise Rejected("unsupported", f"{path.name} cannot be read: {error}") from None


def manifests(tree: Path) -> Iterator[Path]:
    """Every Cargo.toml, the shallowest first."""
    found = [path for path in tree.rglob("Cargo.toml") if not SKIPPED & set(path.relative_to(tree).parts)]
    yield from sorted(found, key=lambda path: (len(path.parts), path))


def workspace(tree: Path) -> Path:
    """The folder of the manifest that everything hangs on: the root's, else the only one that lies highest.

    Raises:
        Rejected: unsupported.
    """
    if (tree / "Cargo.toml").is_file():
        return tree
    found = list(manifests(tree))
    highest = [path for path in found if len(path.parts) == len(found[0].parts)] if found else []
    if len(highest) != 1:
        told = "no Cargo.toml" if not found else f"no Cargo.toml at the root, and {len(highest)} below it"
        raise Rejected("unsupported", told)
    return highest[0].parent


def wanted(tree: Path, home: Path, manifest: Mapping[str, Any]) -> Wanted:
    channel = None
    for place in (home, tree):
        if (place / "rust-toolchain.toml").is_file():
            channel = channel or read_toml(place / "rust-toolchain.toml").get("toolchain", {}).get("channel")
        elif (place / "rust-toolchain").is_file():
            text = (place / "rust-toolchain").read_text(errors="replace").strip()
            table = read_toml(place / "rust-toolchain").get("toolchain", {}) if "[" in text else {"channel": text}
            channel = channel or table.get("channel")
    package = manifest.get("package", {})
    oldest = package.get("rust-version") or manifest.get("workspace", {}).get("package", {}).get("rust-version")
    return Wanted(channel if isinstance(channel, str) else None, oldest if isinstance(oldest, str) else None)


def lock_lines(content: bytes) -> list[str]:
    """`name version sha256:<checksum>` for every dependency in a Cargo.lock, sorted.

    Raises:
        Rejected: unsupported, where something comes from elsewhere than the public registry.
    """
    try:
        tables = tomllib.loads(content.decode())
    except ValueError as error:
        raise Rejected("unsupported", f"Cargo.lock cannot be read: {error}") from None
    packages: Sequence[Mapping[str, Any]] = tables.get("package", [])
    lines = []
    for package in packages:
        name, version, source = (package.get(key) for key in ("name", "version", "source"))
        if source is None:
            continue  # of the project itself
        # the first format, which cargo still writes for projects of an old rust-version, keeps them apart
        apart = tables.get("metadata", {}).get(f"checksum {name} {version} ({source})")
        checksum = str(package.get("checksum", apart))
        if source != CRATES_IO or not re.fullmatch(r"[0-9a-f]{64}", checksum):
            kind = "a git repository" if source.startswith("git+") else "another registry"
            raise Rejected("unsupported", f"depends on {name} {version} from {kind}")
        lines.append(f"{name} {version} sha256:{checksum}")
    return sorted(set(lines))


def lock_file(lines: Sequence[str]) -> str:
    """A Cargo.lock of these lines: cargo fills in by itself who needs whom, and keeps the versions."""
    parts = ["version = 4\n"]
    for line in lines:
        name, version, checksum = line.split()
        parts.append(
            f'[[package]]\nname = "{name}"\nversion = "{version}"\nsource = "{CRATES_IO}"\n'
            f'checksum = "{checksum.removeprefix("sha256:")}"\n'
        )
    return "\n".join(parts)


def _tests_all_features(tree: Path) -> bool:
    """Whether CI runs the tests with --all-features."""
    files = [*tree.glob(".github/workflows/*.y*ml"), *(tree / name for name in (".travis.yml", "ci/test.sh"))]
    texts = [path.read_text(errors="replace") for path in files if path.is_file()]
    return any("--all-features" in line for text in texts for line in TEST_COMMAND.findall(text))


def _denies_warnings(home: Path) -> bool:
    """A newer compiler than the project's own warns of more: that must not fail a build."""
    return any(DENIED.search(path.read_text(errors="replace")) for path in _rust_files(home))


def _folders_with_few_examples(tree: Path) -> list[str]:
    """Packages whose documentation's examples are few enough to be run each time."""
    few = []
    for manifest in manifests(tree):
        texts = [path.read_text(errors="replace") for path in _rust_files(manifest.parent / "src")]
        fences = sum(len(re.findall(r"^\s*(?://[/!]|\*)?\s*(?:```|~~~)", text, re.M)) for text in texts)
        if 0 < fences // 2 <= MOST_EXAMPLES:
            few.append(manifest.parent.relative_to(tree).as_posix())
    return sorted(few)


def _rust_files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*.rs"):
        if path.is_file() and not SKIPPED & set(path.relative_to(folder).parts):
            yield path
