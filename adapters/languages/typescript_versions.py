"""Which Node and which package manager a JavaScript tree asks for, in its own words: ranges, resolved at install."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adapters.languages.typescript_project import read_json, table
from redgreen.errors import Rejected

LTS_NAMES = {
    "carbon": 8, "dubnium": 10, "erbium": 12, "fermium": 14, "gallium": 16, "hydrogen": 18, "iron": 20, "jod": 22,
    "krypton": 24,
}  # fmt: skip
VERSION_FILES = (".nvmrc", ".node-version", ".tool-versions", "mise.toml", ".mise.toml")
NODE_LINE = re.compile(r"^\s*(?:nodejs|node)\s*[=\s]\s*[\"']?([^\s\"'#]+)", re.MULTILINE)
"""A line of asdf's or mise's file."""

LOCKFILES = {
    "pnpm": ("pnpm-lock.yaml",),
    "bun": ("bun.lock", "bun.lockb"),
    "yarn": ("yarn.lock",),
    "npm": ("package-lock.json", "npm-shrinkwrap.json"),
}
PNPM_OF_LOCKFILE = {"5": "6 || 7", "6": "8", "9": "9 || 10"}
YARN_OF_LOCKFILE = {"4": "2 || 3.0", "5": "3.0 || 3.1", "6": "3", "7": "3", "8": "4", "9": "4"}
"""First number of a lockfile's version -> versions of the manager that read it and leave it alone."""

PACKAGES = {
    "npm": "npm", "pnpm": "pnpm", "yarn": "yarn", "berry": "@yarnpkg/cli-dist", "bun": "@oven/bun-linux-x64",
}  # fmt: skip
"""Manager -> the registry's package that holds it."""

NOT_BEFORE = {"npm": "2025-10-01", "pnpm": "2025-01-01", "yarn": "2025-01-01", "berry": "2025-01-01"}
"""Where a project names no version: npm 10.2 of 2023 takes 143 s for what one of this day does in 13."""


@dataclass(frozen=True)
class Manager:
    name: str
    versions: str
    lockfile: str = ""
    source: str = ""


def wanted_node(tree: Path) -> tuple[str, str]:
    """A range of versions, and where the tree says so. Empty: it does not, and the newest long-term one will do."""
    for source, said in node_words(tree):
        found = as_range(said)
        if found:
            return found, source
    return "*", ""


def node_words(tree: Path) -> Iterator[tuple[str, str]]:
    """The most exact first."""
    about = read_json(tree / "package.json") if (tree / "package.json").is_file() else {}
    for name in VERSION_FILES:
        path = tree / name
        if path.is_file() and not path.is_symlink():
            text = path.read_text(errors="replace")
            found = NODE_LINE.search(text)
            if name in (".nvmrc", ".node-version"):
                yield name, text.strip().splitlines()[0] if text.strip() else ""
            elif found:
                yield name, found[1]
    if said := table(about.get("volta")).get("node"):
        yield "package.json: volta", str(said)
    if said := workflow_version(tree):
        yield "CI", said
    if said := table(about.get("engines")).get("node"):
        yield "package.json: engines", str(said)


def as_range(said: str) -> str:
    """nvm's and setup-node's words as a range."""
    word = said.strip().strip("\"'").lower()
    if word.startswith("lts/") or word in ("node", "latest", "current", "lts", "stable"):
        name = word.removeprefix("lts/")
        return str(LTS_NAMES[name]) if name in LTS_NAMES else "*"
    return said.strip() if re.fullmatch(r"[\dv.xX*^~<>=|\s-]+", said.strip()) and re.search(r"\d", said) else ""


def workflow_version(tree: Path) -> str:
    """The newest even version of Node that CI sets up: what the maintainers saw the tests pass with."""
    numbers: list[tuple[int, ...]] = []
    for path in sorted((tree / ".github" / "workflows").glob("*.y*ml")):
        if path.is_symlink():
            continue
        text = path.read_text(errors="replace")
        for said in re.findall(r"\bnode(?:[-_]?versions?)?[\"']?:[ \t]*(\[[^\]]*\]|[^\n#]+|(?:\n\s*-[^\n]+)+)", text):
            numbers += [
                tuple(map(int, word.split(".")))
                for word in re.findall(r"(?<![\w.])v?(\d{1,2}(?:\.\d+){0,2})(?![\w])", said)
            ]
    even = [number for number in numbers if number[0] % 2 == 0 and number[0] >= 8]
    return ".".join(map(str, max(even))) if even else ""


def find_manager(tree: Path, about: dict[str, Any]) -> Manager:
    """By `packageManager`, else by the lockfile that is there.

    Raises:
        Rejected: unsupported.
    """
    said = about.get("packageManager")
    named = re.match(r"(npm|pnpm|yarn|bun)@([^\s+]+)", said) if isinstance(said, str) else None
    for name in [named[1]] if named else LOCKFILES:
        lockfile = next((file for file in LOCKFILES[name] if (tree / file).is_file()), "")
        if lockfile or named:
            break
    else:
        return Manager("npm", ranges(about, "npm") or "10 || 11")
    text = (tree / lockfile).read_text(errors="replace") if lockfile and lockfile != "bun.lockb" else ""
    exact = named[2] if named else ranges(about, name)
    kind = "berry" if name == "yarn" and is_berry(tree, text, exact) else name
    versions = exact or by_lockfile(kind, text)
    if kind == "berry" and not named:
        versions = released(tree) or versions
    return Manager(kind, versions, lockfile, "packageManager" if named else lockfile)


def ranges(about: dict[str, Any], manager: str) -> str:
    return str(table(about.get("volta")).get(manager) or "")


def is_berry(tree: Path, text: str, exact: str) -> bool:
    if exact:
        return not exact.startswith(("0.", "1."))
    return "__metadata:" in text or (tree / ".yarnrc.yml").is_file()


def released(tree: Path) -> str:
    """The version of yarn that a tree carries along."""
    path = tree / ".yarnrc.yml"
    found = re.search(r"yarn-(\d+\.\d+\.\d+)\.c?js", path.read_text(errors="replace")) if path.is_file() else None
    return found[1] if found else ""


def by_lockfile(manager: str, text: str) -> str:
    if manager == "pnpm":
        found = re.search(r"^lockfileVersion:\s*'?(\d+)", text, re.MULTILINE)
        if not found or found[1] not in PNPM_OF_LOCKFILE:
            raise Rejected("unsupported", "pnpm-lock.yaml is of a version that no known pnpm writes")
        return PNPM_OF_LOCKFILE[found[1]]
    if manager == "berry":
        found = re.search(r"^__metadata:\s+version:\s*(\d+)", text, re.MULTILINE)
        return YARN_OF_LOCKFILE.get(found[1] if found else "", "4")
    return {"npm": "10 || 11", "yarn": "1", "bun": "1"}[manager]
