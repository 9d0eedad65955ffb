"""The project's own lock as constraints: what is read of each kind, and what is left to the resolver."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adapters.languages.python_locks import constraints, lock_file

UV = """
version = 1

[[package]]
name = "Pytest"
version = "9.0.2"
source = { registry = "index" }

[[package]]
name = "mine"
version = "1.0"
source = { editable = "." }

[[package]]
name = "forked"
version = "2.0"
source = { git = "somewhere" }

[[package]]
name = "numpy"
version = "1.26"
source = { registry = "index" }

[[package]]
name = "numpy"
version = "2.1"
source = { registry = "index" }
"""
POETRY = """
[[package]]
name = "pytest"
version = "8.3.5"

[[package]]
name = "forked"
version = "2.0"

[package.source]
type = "git"
"""
PDM = """
[[package]]
name = "typing_extensions"
version = "4.12"
"""
PIPFILE = {
    "default": {"attrs": {"version": "==23.1"}},
    "develop": {"pytest": {"version": "==8.0"}, "odd": {"git": "x"}},
}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("uv.lock", UV, ("pytest==9.0.2",)),
        ("poetry.lock", POETRY, ("pytest==8.3.5",)),
        ("pdm.lock", PDM, ("typing-extensions==4.12",)),
        ("Pipfile.lock", json.dumps(PIPFILE), ("attrs==23.1", "pytest==8.0")),
    ],
)
def test_what_is_locked_in_one_version_from_a_registry_is_kept(
    tmp_path: Path, name: str, text: str, expected: tuple[str, ...]
) -> None:
    (tmp_path / name).write_text(text)
    assert lock_file(tmp_path) == name
    assert constraints(tmp_path, name) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("uv.lock", "package = 3"),
        ("uv.lock", "[[package]]\nname = 'a'\nversion = '1'\n[[package]"),
        ("uv.lock", "[[package]]\nname = 'a --index x'\nversion = '1'"),
        ("uv.lock", "[[package]]\nname = 'a'\nversion = '1\\n--index-url x'"),
        ("uv.lock", "[[package]]\nname = 7\nversion = '1'"),
        ("Pipfile.lock", "[1]"),
        ("Pipfile.lock", '{"default": [], "develop": {"a": "1", "b": {"version": 1}, "c": {"version": "*"}}}'),
        ("Pipfile.lock", "{"),
    ],
)
def test_what_is_no_lock_says_nothing(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert lock_file(tmp_path) is None


def test_a_link_out_of_the_tree_is_not_followed(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tmp_path / "uv.lock").write_text(UV)
    (tree / "uv.lock").symlink_to(tmp_path / "uv.lock")
    assert lock_file(tree) is None
