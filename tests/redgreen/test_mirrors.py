"""Mirrors: which repository an argument means, and fetching only what is missing, safely."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from git_repository import Repository

from redgreen.errors import InfrastructureError, UsageError
from redgreen.mirrors import ensure_mirror, identity, local_copy, locked, mirror_path


@pytest.mark.parametrize(
    ("given", "repo", "url"),
    [
        ("owner/name", "owner/name", "https://github.com/owner/name.git"),
        ("https://example.org/owner/name", "owner/name", "https://example.org/owner/name"),
        ("https://example.org/group/owner/name.git/", "owner/name", "https://example.org/group/owner/name.git/"),
        ("git@example.org:owner/name.git", "owner/name", "git@example.org:owner/name.git"),
        ("ssh://git@example.org/~owner/na me", "owner/na-me", "ssh://git@example.org/~owner/na me"),
    ],
)
def test_a_name_or_an_address_means_one_repository(given: str, repo: str, url: str) -> None:
    assert identity(given) == (repo, url)


def test_a_path_means_the_repository_there(tmp_path: Path) -> None:
    Repository(tmp_path / "thing.git")
    assert identity(str(tmp_path / "thing.git")) == ("local/thing", str(tmp_path / "thing.git"))


@pytest.mark.parametrize("given", ["", "one", "a/b/c", "../../etc/passwd", "https://example.org", "a/..", "/nowhere"])
def test_what_means_no_repository_is_refused_with_a_hint(given: str) -> None:
    with pytest.raises(UsageError) as caught:
        identity(given)
    assert caught.value.hint


@pytest.fixture
def origin(repository: Repository) -> Repository:
    repository.commit(repository.tree({"a": b"1"}))
    return repository


def test_a_mirror_is_cloned_once_and_fetched_only_when_a_commit_is_missing(origin: Repository, tmp_path: Path) -> None:
    out, url = tmp_path / "out", str(origin.path)
    first = origin.git("rev-parse", "main")
    mirror = ensure_mirror(out, "o/n", url, needs=(first,))
    assert mirror == mirror_path(out, "o/n") == out / "mirrors" / "o__n.git"
    second = origin.commit(origin.tree({"a": b"2"}), first)
    ensure_mirror(out, "o/n", url, needs=(first,))
    assert subprocess.run(["git", "-C", mirror, "cat-file", "-e", second], capture_output=True).returncode
    ensure_mirror(out, "o/n", url, needs=(second,))
    third = origin.commit(origin.tree({"a": b"3"}), second)
    ensure_mirror(out, "o/n", url, fresh=True)
    assert (
        subprocess.run(["git", "-C", mirror, "rev-parse", "main"], capture_output=True).stdout.decode().strip() == third
    )


def test_a_mirror_that_has_all_it_needs_asks_nobody(origin: Repository, tmp_path: Path) -> None:
    commit = origin.git("rev-parse", "main")
    ensure_mirror(tmp_path / "out", "o/n", str(origin.path))
    assert ensure_mirror(tmp_path / "out", "o/n", "https://127.0.0.1:9/gone.git", needs=(commit,)).is_dir()


def test_a_repository_that_is_gone_or_a_commit_that_is_nowhere_is_infrastructure(
    origin: Repository, tmp_path: Path
) -> None:
    with pytest.raises(InfrastructureError, match="cannot read the repository") as caught:
        ensure_mirror(tmp_path / "out", "o/n", str(tmp_path / "gone"))
    assert "MIRRORS" in caught.value.hint
    assert not mirror_path(tmp_path / "out", "o/n").exists()
    with pytest.raises(InfrastructureError, match="is not in"):
        ensure_mirror(tmp_path / "out", "o/n", str(origin.path), needs=("1" * 40,))


def test_a_clone_that_was_killed_is_begun_anew(origin: Repository, tmp_path: Path) -> None:
    left = tmp_path / "out" / "mirrors" / ".o__n.git.unfinished"
    left.mkdir(parents=True)
    (left / "rubbish").write_text("x")
    assert (ensure_mirror(tmp_path / "out", "o/n", str(origin.path)) / "HEAD").is_file()
    assert not left.exists()


@pytest.mark.parametrize("layout", ["o__n.git", "o+n/repo", "o/n.git", "o/n", "n.git"])
def test_mirrors_names_a_folder_of_local_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str) -> None:
    (tmp_path / "copies" / layout).parent.mkdir(parents=True)
    copy = Repository(tmp_path / "copies" / layout)
    copy.commit(copy.tree({"a": b"1"}))
    monkeypatch.setenv("MIRRORS", str(tmp_path / "copies"))
    assert local_copy("o/n") == copy.path
    assert local_copy("other/name") is None
    assert ensure_mirror(tmp_path / "out", "o/n", "https://127.0.0.1:9/o/n.git").is_dir()


def test_only_one_process_at_a_time_holds_a_lock_and_a_dead_one_holds_none(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    code = f"import fcntl, time; f = open({str(path)!r}, 'w'); fcntl.flock(f, fcntl.LOCK_EX); "
    code += "print(1, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as other:
        assert other.stdout
        other.stdout.readline()
        started = time.monotonic()
        os.kill(other.pid, 9)
        with locked(path):
            assert time.monotonic() - started < 5
        assert other.wait() == -9
