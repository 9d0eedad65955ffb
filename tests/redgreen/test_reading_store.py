"""A ReadingStore answers every question as a Store does, from a history with the turns that make answers differ."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from redgreen.errors import InfrastructureError
from redgreen.git import Store
from redgreen.reading_store import END, ReadingStore

MISSING = "1" * 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two lines that merge each other (two merge bases), odd names, a link, a file that becomes a folder."""
    folder = tmp_path_factory.mktemp("history")

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "core.hooksPath=/dev/null"]
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)

    def commit(message: str, **files: str) -> None:
        for name, content in files.items():
            (folder / name).write_text(content)
        git("add", "--all")
        git("commit", "--quiet", "--allow-empty", "--message", message)

    git("init", "--quiet", "--initial-branch=main")
    (folder / "redgreen\nend").write_text("odd\n")
    (folder / "link").symlink_to("a.py")
    commit("first", **{"a.py": "1\n", "LICENSE": "none\n", "gone": "x\n", "ä b\t": "y\n"})
    git("branch", "side")
    commit("main 1", **{"a.py": "1\n2\n"})
    git("checkout", "--quiet", "side")
    (folder / "gone").unlink()
    (folder / "gone").mkdir()
    commit("side 1", **{"gone/inside": "z\n"})
    git("branch", "old-side")
    git("merge", "--quiet", "--no-edit", "main")
    git("checkout", "--quiet", "main")
    git("merge", "--quiet", "--no-edit", "old-side")
    commit("main 2", **{"b.py": "1\n"})
    git("merge", "--quiet", "--no-edit", "side")
    return folder / ".git"


@pytest.fixture(scope="module")
def stores(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, ReadingStore]]:
    objects = tmp_path_factory.mktemp("objects")
    with closing(ReadingStore(folder, objects)) as reading:
        yield Store(folder, objects), reading


def test_every_answer_is_that_of_one_git_process_each(stores: tuple[Store, ReadingStore]) -> None:
    store, reading = stores
    commits = store.line("rev-list", "--all").split()
    assert len(commits) == 7
    for new in commits:
        assert reading.commit(new) == store.commit(new)
        assert reading.top(new) == store.top(new)
        for old in commits:
            assert reading.changes(old, new) == store.changes(old, new)
            assert reading.changed_lines(old, new) == store.changed_lines(old, new)
            assert reading.merge_base(old, new) == store.merge_base(old, new)


def test_a_commit_that_is_missing_is_no_empty_answer(folder: Path, tmp_path: Path) -> None:
    with closing(ReadingStore(folder, tmp_path)) as reading:
        head = reading.commit("main")[0]
        for ask in (
            lambda: reading.changes(head, MISSING),
            lambda: reading.commit(MISSING),
            lambda: reading.top(MISSING),
        ):
            with pytest.raises(InfrastructureError):
                ask()


def test_the_end_of_an_answer_differs_from_process_to_process() -> None:
    code = "from redgreen.reading_store import END; print(END.decode(), end='')"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert len(other) == len(END) > 32
    assert other != END
