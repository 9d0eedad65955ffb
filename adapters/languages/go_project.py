"""What a Go project's own files say: its modules, the Go that it asks for, and the Go that its CI runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from redgreen.errors import Rejected

LARGEST_FILE = 1 << 20
"""Bytes of a configuration file that are read; a larger one is not written by hand."""

SKIPPED = re.compile(r"[._].*|testdata|vendor|node_modules")
"""Folders that the go command itself passes over, and that of another ecosystem."""

CI_FILES = (
    ".github/workflows/*.yml",
    ".github/workflows/*.yaml",
    ".travis.yml",
    ".circleci/config.yml",
    ".gitlab-ci.yml",
    "azure-pipelines.yml",
)
CI_KEY = re.compile(r"go(lang)?([-_]?versions?)?", re.IGNORECASE)
CI_IMAGE = re.compile(r"\b(?:golang|cimg/go|circleci/golang):(1\.\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Project:
    """`modules` are folders of the tree, `.` for its root; `least` and `exact` their go and toolchain lines."""

    modules: tuple[str, ...]
    least: tuple[str, ...]
    exact: tuple[str, ...]
    named: tuple[str, ...]
    """Versions that continuous integration names, as it names them."""
    inputs: tuple[str, ...]


def read_project(tree: Path) -> Project:
    """Read, run nothing.

    Raises:
        Rejected: unsupported: the project has no modules.
    """
    modules = tuple(find_modules(tree))
    if not modules:
        raise Rejected("unsupported", "no go.mod: a project from before modules, whose dependencies nothing names")
    files = [f"{folder}/go.mod".removeprefix("./") for folder in modules]
    files += ["go.work"] if (tree / "go.work").is_file() else []
    texts = [read(tree, path) for path in files]
    named, told = ci_versions(tree)
    return Project(
        modules=modules,
        least=tuple(word for text in texts for word in directive(text, "go")),
        exact=tuple(word for text in texts for word in directive(text, "toolchain")),
        named=named,
        inputs=(*files, *told),
    )


def find_modules(tree: Path) -> Iterator[str]:
    """Folders that hold a go.mod, the root first."""
    for parent, folders, files in os.walk(tree):
        folders[:] = sorted(name for name in folders if not SKIPPED.fullmatch(name))
        if "go.mod" in files:
            yield Path(parent).relative_to(tree).as_posix()


def read(tree: Path, path: str) -> str:
    """The text of a file of the tree; empty if it is missing, too large, or a link that leaves the tree."""
    real = (tree / path).resolve()
    if not real.is_file() or not real.is_relative_to(tree.resolve()) or real.stat().st_size > LARGEST_FILE:
        return ""
    return real.read_text("utf-8-sig", errors="replace")


def directive(text: str, name: str) -> list[str]:
    """The word after a directive of go.mod or go.work, such as `go 1.21` or `toolchain go1.21.3`."""
    return re.findall(rf"^{name}[ \t]+(\S+)", text, re.M)


def module_path(text: str) -> str:
    """The name that a go.mod gives its module, or nothing."""
    found = re.search(r"^module[ \t]+[\"`]?([^\s\"`]+)", text, re.M)
    return found[1] if found else ""


def ci_versions(tree: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Versions of Go that continuous integration names, and the files that do."""
    versions: list[str] = []
    files: list[str] = []
    for pattern in CI_FILES:
        for path in sorted(tree.glob(pattern)):
            name = path.relative_to(tree).as_posix()
            text = read(tree, name)
            found = [*_named(_yaml(text)), *CI_IMAGE.findall(text)]
            versions += found
            files += [f"{name}: go"] if found else []
    return tuple(dict.fromkeys(versions)), tuple(files)


def _yaml(text: str) -> Any:
    """All scalars stay text: 1.20 is no number. What is no YAML says nothing."""
    try:
        return yaml.load(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None


def _named(root: Any) -> Iterator[str]:
    """Words below the keys that name a version. Each node once: anchors may show one a thousand times."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, (list, dict)) or id(node) in seen:
            continue
        seen.add(id(node))
        waiting += reversed(list(node.values()) if isinstance(node, dict) else node)
        for key, value in node.items() if isinstance(node, dict) else ():
            if CI_KEY.fullmatch(str(key)):
                words = value if isinstance(value, list) else [value]
                yield from (word for word in words if isinstance(word, str) and "$" not in word)
