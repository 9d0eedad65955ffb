"""The versions that a project itself has locked: what its maintainers, and their CI, ran the tests with."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from adapters.languages.python_folder import Folder, read_toml

LOCKS = ("uv.lock", "pdm.lock", "poetry.lock", "Pipfile.lock")


def lock_file(tree: Path) -> str | None:
    """The lock at the root of a tree, if it says anything."""
    return next((name for name in LOCKS if constraints(tree, name)), None)


def constraints(tree: Path, name: str) -> tuple[str, ...]:
    """`package==version` for each package that the lock holds in one version only, sorted.

    A package that is locked in several versions, each for other systems or Pythons, is left to the resolver.
    """
    folder = Folder(tree)
    pairs = _pipfile(folder.text(name) or "") if name == "Pipfile.lock" else _packages(read_toml(folder, name))
    versions: dict[str, set[str]] = defaultdict(set)
    for package, version in pairs:
        versions[canonicalize_name(package)].add(version)
    one = {package: found.pop() for package, found in versions.items() if len(found) == 1}
    return tuple(f"{package}=={version}" for package, version in sorted(one.items()))


def _packages(lock: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Of uv, PDM and Poetry: tables `package`. What comes from a folder or a repository has no version to ask for."""
    listed = lock.get("package", [])
    for package in listed if isinstance(listed, list) else ():
        if isinstance(package, dict) and _from_registry(package.get("source")):
            yield from _pair(package.get("name"), package.get("version"))


def _from_registry(source: object) -> bool:
    """uv says so; Poetry says where else a package is from, PDM has no such table."""
    return source is None or (isinstance(source, dict) and ("registry" in source or source.get("type") == "legacy"))


def _pipfile(text: str) -> Iterator[tuple[str, str]]:
    try:
        lock = json.loads(text)
    except (ValueError, RecursionError):
        return
    groups: Iterable[object] = [lock.get("default"), lock.get("develop")] if isinstance(lock, dict) else ()
    for group in groups:
        for name, package in group.items() if isinstance(group, dict) else ():
            version = package.get("version") if isinstance(package, dict) else None
            yield from _pair(name, version.removeprefix("==") if isinstance(version, str) else None)


def _pair(name: object, version: object) -> Iterator[tuple[str, str]]:
    if isinstance(name, str) and isinstance(version, str):
        try:
            Version(version)
            yield canonicalize_name(name, validate=True), version
        except (InvalidVersion, ValueError):
            return
