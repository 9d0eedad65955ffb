"""A project's files, read as data: text, ini, TOML. What cannot be read is a note and an empty answer."""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Sections = dict[str, dict[str, str]]

LARGEST_FILE = 1 << 20
"""Bytes of a configuration file that are read; a larger one is not written by hand."""


@dataclass
class Folder:
    """A project's files, read safely, and what was skipped on the way."""

    tree: Path
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def has(self, path: str) -> bool:
        return (self.tree / path).is_file()

    def text(self, path: str) -> str | None:
        """The text of a file of the tree, or None: missing, too large, or a link that leaves the tree."""
        try:
            real = (self.tree / path).resolve()
            if not real.is_file() or not real.is_relative_to(self.tree.resolve()):
                return None
            if real.stat().st_size > LARGEST_FILE:
                self.note(f"{path}: too large, not read")
                return None
            return real.read_text("utf-8-sig", errors="replace")
        except (OSError, ValueError, RuntimeError):
            self.note(f"{path}: cannot be read")
            return None


def logical_lines(text: str) -> list[str]:
    """Lines of a requirements file: continued ones joined, comments and blank ones dropped."""
    joined = re.sub(r"\\\r?\n", " ", text)
    lines = (re.sub(r"(^|\s)#.*$", "", line).strip() for line in joined.splitlines())
    return [line for line in lines if line]


def read_ini(folder: Folder, path: str, text: str | None = None) -> Sections:
    """Sections of an ini file as plain strings; what cannot be parsed is a note and an empty answer."""
    text = folder.text(path) if text is None else text
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, default_section="\0")
    try:
        parser.read_string(text or "")
    except (configparser.Error, AttributeError) as error:
        # AttributeError: configparser's own answer to an indented line below an option without a value.
        folder.note(f"{path}: cannot be parsed ({type(error).__name__})")
        return {}
    return {name: {key: value or "" for key, value in parser.items(name)} for name in parser.sections()}


def read_toml(folder: Folder, path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(folder.text(path) or "")
    except (tomllib.TOMLDecodeError, RecursionError):
        folder.note(f"{path}: cannot be parsed")
        return {}


def table(holder: Mapping[str, Any], key: str) -> dict[str, Any]:
    held = holder.get(key)
    return held if isinstance(held, dict) else {}


def option(cfg: Sections, section: str, key: str) -> str:
    """An option of setup.cfg, whose names may be written with dashes."""
    return next(
        (value for name, value in cfg.get(section, {}).items() if name.replace("-", "_") == key.replace("-", "_")), ""
    )


def lines_of(value: object) -> list[str]:
    if isinstance(value, str):
        return logical_lines(value)
    return [item.strip() for item in value if isinstance(item, str)] if isinstance(value, list) else []
