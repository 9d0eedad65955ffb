"""Git as a store of objects, on real repositories."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from git_repository import File, Repository, executable, link

from redgreen import git
from redgreen.errors import InfrastructureError
from redgreen.git import NOTHING, Change, GitError, Store, digest, select, shown

BASE: dict[str, File] = {
    "a.txt": b"a\n",
    "d/b.txt": b"b\n",
    "d/e/c.txt": b"c\n",
    "run": executable(b"#!\n"),
    "to": link("d"),
}
COMMIT = "1" * 40


@pytest.mark.parametrize(
    "new",
    [
        {"a.txt": b"changed\n"},
        {"a.txt": None},
        {"new/deep/er.txt": b"n\n"},
        {"a.txt": None, "a.txt/inner": b"file to folder\n"},
        {"d/b.txt": None, "d/e/c.txt": None, "d": b"folder to file\n"},
        {"d/b.txt": None, "d/e/c.txt": None, "d": link("a.txt")},
        {"to": None, "to/real": b"link to folder\n"},
        {"run": b"#!\n"},
        {"a.txt": executable(b"a\n")},
        {"a.txt": link("d/b.txt")},
        {"vendor": ("160000", COMMIT.encode())},
        {"\udcff\udcfe.txt": b"no UTF-8\n"},
        {'tab\there "quoted"\n.txt': b"odd\n"},
        {"empty": b""},
        {"git~1": b"a name that only other systems fear\n"},
        {"binary": bytes(range(256)) * 300},
    ],
)
def test_mixing_in_all_changes_between_two_trees_gives_the_second(
    repository: Repository, store: Store, new: dict[str, File | None]
) -> None:
    base = repository.tree(BASE)
    target = repository.tree({path: file for path, file in {**BASE, **new}.items() if file is not None})
    changes = store.changes(base, target)
    assert store.mix(base, changes) == target
    assert store.mix(base, list(reversed(changes))) == target
    assert store.mix(target, store.changes(target, base)) == base


def test_mixing_in_some_changes_takes_over_only_those(repository: Repository, store: Store) -> None:
    base = repository.tree(BASE)
    target = repository.tree({**BASE, "a.txt": b"changed\n", "tests/t.py": b"t\n"})
    tests, rest = select(store.changes(base, target), lambda path: path.startswith("tests/"))
    assert [change.name for change in tests] == ["tests/t.py"]
    assert [change.name for change in rest] == ["a.txt"]
    assert store.mix(base, tests) == repository.tree({**BASE, "tests/t.py": b"t\n"})
    assert store.mix(base, []) == base


def test_a_file_that_is_mixed_in_replaces_the_folder_of_its_name(repository: Repository, store: Store) -> None:
    """Without being told that what was in the folder goes: the scored tree relies on it."""
    base = repository.tree(BASE)
    change = Change(b"d", "000000", "100644", NOTHING, store.add_blob(b"flat\n"))
    assert [entry.path for entry in store.entries(store.mix(base, [change]))] == [b"a.txt", b"d", b"run", b"to"]


def test_changes_say_path_modes_and_objects_without_guessing_renames(repository: Repository, store: Store) -> None:
    base = repository.tree(BASE)
    moved = repository.tree({**{p: f for p, f in BASE.items() if p != "a.txt"}, "b.txt": b"a\n"})
    blob = repository.blob(b"a\n")
    assert store.changes(base, moved) == [
        Change(b"a.txt", "100644", "000000", blob, NOTHING),
        Change(b"b.txt", "000000", "100644", NOTHING, blob),
    ]


def test_the_digest_of_changes_depends_on_path_mode_and_content(repository: Repository, store: Store) -> None:
    base = repository.tree(BASE)
    variants: list[dict[str, File]] = [{"n": b"1"}, {"n": b"2"}, {"m": b"1"}, {"n": executable(b"1")}, {}]
    digests = {digest(store.changes(base, repository.tree({**BASE, **variant}))) for variant in variants}
    assert len(digests) == len(variants)
    assert digest([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_blobs_come_back_byte_for_byte_in_their_order(repository: Repository, store: Store) -> None:
    contents = [b"", b"\n", b"no newline", b"\r\n", bytes(range(256)) * 5000, b"missing\n", b""]
    names = [repository.blob(content) for content in contents]
    assert list(store.blobs(names)) == contents


def test_a_blob_that_is_missing_is_a_fault_of_the_copy(repository: Repository, store: Store) -> None:
    with pytest.raises(InfrastructureError, match="is not in the mirror"):
        list(store.blobs([repository.blob(b"x"), COMMIT]))
    assert store.blob(repository.tree(BASE), "nowhere") is None
    assert store.blob(repository.tree(BASE), "d/b.txt") == b"b\n"


def test_reading_only_some_blobs_leaves_no_process_behind(
    repository: Repository, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = [repository.blob(b"x"), repository.blob(b"y")]
    started: list[subprocess.Popen[bytes]] = []

    class Seen(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Seen)
    stream = store.blobs(blobs)
    assert next(stream) == b"x"
    assert [process.poll() for process in started] == [None]
    stream.close()  # type: ignore[attr-defined]
    assert [process.returncode for process in started] == [0]


def test_the_mirror_is_never_written(repository: Repository, store: Store) -> None:
    base = repository.tree(BASE)
    before = sorted(path for path in repository.path.rglob("*"))
    changes = [Change(b"z", "000000", "100644", NOTHING, store.add_blob(b"ours\n"))]
    mixed = store.mix(base, changes)
    store.apply(base, store.diff(base, mixed))
    assert sorted(path for path in repository.path.rglob("*")) == before
    assert store.has(mixed)
    assert not list(store.objects.parent.glob(".index-*"))


def test_a_name_that_looks_like_an_option_is_none(store: Store) -> None:
    with pytest.raises(GitError):
        store.tree("--help")
    assert not store.has("0" * 40)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GIT_DIR", "/nowhere"),
        ("GIT_INDEX_FILE", "/nowhere/index"),
        ("GIT_EXTERNAL_DIFF", "false"),
        ("GIT_WORK_TREE", "/nowhere"),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_DIFF_OPTS", "--unified=0"),
    ],
)
def test_the_variables_of_the_host_change_nothing(
    repository: Repository, store: Store, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    base, new = repository.tree(BASE), repository.tree({**BASE, "a.txt": b"1\n2\n3\n"})
    before = store.diff(base, new)
    monkeypatch.setenv(variable, value)
    assert store.diff(base, new) == before
    assert store.mix(base, store.changes(base, new)) == new


def test_the_settings_of_the_host_s_user_change_nothing(
    repository: Repository, store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """~/.gitconfig, and the files under ~/.config/git that are read even without it."""
    base = repository.tree(BASE)
    new = repository.tree({**BASE, "a.txt": b"def f():\n    1\n    2\n    3\n    4\n    5\n"})
    newer = repository.tree({**BASE, "a.txt": b"def f():\n    1\n    2\n    3\n    4\n    6\n"})
    before = store.diff(base, new), store.diff(new, newer)
    settings = tmp_path / "home" / ".config" / "git"
    settings.mkdir(parents=True)
    (settings / "attributes").write_text("*.txt diff=python -diff eol=crlf\n")
    (settings / "ignore").write_text("*.txt\n")
    (settings / "config").write_text("[diff]\n\tnoprefix = true\n\tmnemonicPrefix = true\n[core]\n\tautocrlf = true\n")
    (tmp_path / "home" / ".gitconfig").write_text("[diff]\n\tcontext = 0\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert (store.diff(base, new), store.diff(new, newer)) == before
    with pytest.raises(GitError):  # its exit status 1: not ignored
        store.git("check-ignore", "x.txt", extra={"GIT_WORK_TREE": str(tmp_path), "GIT_LITERAL_PATHSPECS": "0"})


def test_the_attributes_of_a_tree_change_no_byte(repository: Repository, store: Store) -> None:
    hostile = {".gitattributes": b"* -diff text eol=crlf ident filter=lfs export-ignore merge=ours\n"}
    base = repository.tree({**BASE, **hostile})
    new = repository.tree({**BASE, **hostile, "a.txt": b"$Id$\r\nx\n"})
    assert store.apply(base, store.diff(base, new)) == new
    assert list(store.blobs([entry.object for entry in store.entries(new, "a.txt")])) == [b"$Id$\r\nx\n"]


def test_git_s_last_word_is_the_message(store: Store) -> None:
    with pytest.raises(GitError) as caught:
        store.git("cat-file", "blob", COMMIT)
    assert str(caught.value).startswith("git cat-file: fatal:")


def test_a_machine_without_git_is_told_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InfrastructureError, match="git: not found") as caught:
        git.run(["version"])
    assert caught.value.hint == "install git"


def test_bytes_that_are_not_utf8_are_shown_and_never_lost(repository: Repository, store: Store) -> None:
    (entry,) = store.entries(repository.tree({"\udcff.txt": b""}))
    assert entry.path == b"\xff.txt"
    assert shown(entry.path) == "\\xff.txt"


def test_a_repository_with_settings_of_its_own_runs_nothing(
    repository: Repository, store: Store, tmp_path: Path
) -> None:
    witness = tmp_path / "witness"
    repository.git("config", "core.fsmonitor", f"touch {witness}")
    repository.git("config", "diff.external", f"touch {witness}")
    repository.git("config", "core.hooksPath", str(tmp_path / "hooks"))
    (tmp_path / "hooks").mkdir()
    for hook in ("post-index-change", "reference-transaction"):
        (tmp_path / "hooks" / hook).write_text(f"#!/bin/sh\ntouch {witness}\n")
        (tmp_path / "hooks" / hook).chmod(0o755)
    base = repository.tree(BASE)
    witness.unlink(missing_ok=True)
    store.diff(base, store.mix(base, [Change(b"z", "000000", "100644", NOTHING, store.add_blob(b"z"))]))
    assert not witness.exists()


def test_two_stores_over_one_mirror_do_not_see_each_other(repository: Repository, tmp_path: Path) -> None:
    first, second = Store(repository.path, tmp_path / "1"), Store(repository.path, tmp_path / "2")
    name = first.add_blob(b"mine\n")
    assert first.has(name)
    assert not second.has(name)
    assert subprocess.run(["git", "-C", repository.path, "cat-file", "-e", name], capture_output=True).returncode
