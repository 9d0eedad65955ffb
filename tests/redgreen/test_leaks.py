"""Where the fix lies in reach of an agent: in the statement, or in another file."""

from __future__ import annotations

from pathlib import Path

import pytest
from git_repository import File, Repository

from redgreen.git import Store
from redgreen.leaks import changed_files, find_leaks, source_changes

BASE: dict[str, File] = {"src/clock.py": b"def later(hours):\n    return hours + 1\n\n\ndef end():\n    return None\n"}
FIXED = b"""def later(hours):
    tomorrow = hours + 1
    hours_a_day = 24
    wrapped = tomorrow % hours_a_day
    return wrapped


def end():
    return None
"""
FIX: dict[str, File] = {"src/clock.py": FIXED, "tests/test_clock.py": b"def test_a_long_name():\n    assert True\n"}


def leaks(repository: Repository, store: Store, box: Path, statement: str = "It is late.") -> tuple[str, ...]:
    base, fix = repository.tree(BASE), repository.tree(FIX)
    return find_leaks(store, source_changes(store, base, fix, lambda path: path.startswith("tests/")), statement, box)


@pytest.fixture
def box(tmp_path: Path) -> Path:
    (tmp_path / "box" / "tree" / "src").mkdir(parents=True)
    (tmp_path / "box" / "tree" / "src" / "clock.py").write_bytes(FIXED)
    return tmp_path / "box"


def test_the_file_itself_is_no_leak(repository: Repository, store: Store, box: Path) -> None:
    assert leaks(repository, store, box) == ()


def test_a_statement_with_most_lines_of_the_fix_is(repository: Repository, store: Store, box: Path) -> None:
    told = "Try\n\n    tomorrow = hours + 1\n    hours_a_day = 24\n    wrapped = tomorrow % hours_a_day\n"
    assert leaks(repository, store, box, told) == ("the statement holds 3 of the 4 lines of the fix",)


def test_a_statement_that_names_one_line_is_not(repository: Repository, store: Store, box: Path) -> None:
    assert leaks(repository, store, box, "the line tomorrow = hours + 1 is wrong") == ()


@pytest.mark.parametrize("place", ["env/lib/site-packages/clock/clock.py", "tree/vendor/clock.py"])
def test_a_copy_elsewhere_is_named(repository: Repository, store: Store, box: Path, place: str) -> None:
    copy = box / place
    copy.parent.mkdir(parents=True)
    copy.write_bytes(b"# a later release\n" + FIXED)
    assert leaks(repository, store, box) == (f"{place} holds the fix of src/clock.py",)


def test_a_copy_of_the_base_is_none(repository: Repository, store: Store, box: Path) -> None:
    copy = box / "env" / "clock.py"
    copy.parent.mkdir()
    content = BASE["src/clock.py"]
    assert isinstance(content, bytes)
    copy.write_bytes(content)
    assert leaks(repository, store, box) == ()


def test_changed_files_name_the_new_lines(repository: Repository, store: Store) -> None:
    base, fix = repository.tree(BASE), repository.tree(FIX)
    changed = changed_files(store, source_changes(store, base, fix, lambda path: path.startswith("tests/")))
    assert list(changed) == ["src/clock.py"]
    assert changed["src/clock.py"].lines == (2, 3, 4, 5)
