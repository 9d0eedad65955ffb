"""Rust's dependencies for real: resolved as of a day, locked with hashes, installed again from the lock alone."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from conftest import missing
from test_rust_runs import rust_sandbox

from adapters.languages.rust import Rust
from redgreen.errors import InfrastructureError, Rejected
from redgreen.language import Installed, Workshop
from redgreen.sandbox import Sandbox

__all__ = ["rust_sandbox"]

DAY = "2023-06-01T00:00:00Z"
OF_THE_DAY = "1.0.6"
"""itoa's newest on that day; 1.0.7 followed in July."""


def install(home: Path, name: str, sandbox: Sandbox, lock: bytes | None = None, *, offline: bool = False) -> Installed:
    tree = home / name / "tree"
    (tree / "src").mkdir(parents=True)
    (tree / "Cargo.toml").write_text(
        '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nitoa = "1"\n'
    )
    (tree / "src" / "lib.rs").write_text("pub use itoa::Buffer;\n")
    environment = Rust().detect_environment(tree, DAY, None, sandbox)[0]
    workshop = Workshop(home / name, home / "cache", lock, offline)
    return Rust().install(environment, workshop, sandbox)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rust-install")


@pytest.fixture(scope="module")
def first(home: Path, rust_sandbox: Sandbox) -> Installed:
    try:
        return install(home, "first", rust_sandbox)
    except InfrastructureError as error:
        missing(f"the registry: {error}")


def test_versions_are_those_of_the_fix_s_day(first: Installed, home: Path) -> None:
    assert [(one.name, one.version) for one in first.packages] == [("itoa", OF_THE_DAY)]
    assert re.fullmatch(rb"itoa 1\.0\.6 sha256:[0-9a-f]{64}\n", first.lock)
    assert (home / "first" / "lock.txt").read_bytes() == first.lock


def test_the_lock_alone_gives_the_same_without_a_network(first: Installed, home: Path, rust_sandbox: Sandbox) -> None:
    again = install(home, "again", rust_sandbox, first.lock, offline=True)
    assert again.lock == first.lock
    compiled = [line.split()[1] for line in again.log.decode().splitlines() if line.strip().startswith("Compiling")]
    assert compiled == ["x"]  # the dependency is taken from the cache, the project itself never


def test_an_archive_that_is_not_the_locked_one_is_not_built(
    first: Installed, home: Path, rust_sandbox: Sandbox
) -> None:
    (archive,) = (home / "cache").glob("cargo/registry/cache/*/itoa-*.crate")
    content = archive.read_bytes()
    try:
        archive.write_bytes(content + b"\0")
        os.utime(archive)
        with pytest.raises(Rejected, match="check archives"):
            install(home, "tampered", rust_sandbox, first.lock, offline=True)
    finally:
        archive.write_bytes(content)


def test_a_lock_that_the_project_does_not_admit_is_refused(first: Installed, home: Path, rust_sandbox: Sandbox) -> None:
    foreign = first.lock + b"zzz 1.0.0 sha256:" + b"0" * 64 + b"\n"
    with pytest.raises(Rejected) as refused:
        install(home, "foreign", rust_sandbox, foreign, offline=True)
    assert refused.value.reason == "install_failed"
