"""materialize: the base as a plain folder, and the fix in two halves."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from git_repository import File, Repository, executable, link
from stage_runner import assert_refuses, break_document, call, files, loads, task_folder, well

from redgreen.contract import write
from redgreen.documents import Candidate, Failure
from redgreen.examples import EXAMPLES, FACTS, ID
from redgreen.places import TaskPlace

CANDIDATE = cast(Candidate, EXAMPLES["candidate"])
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
BASE: dict[str, File] = {
    ".gitattributes": b"*.bin filter=lfs\nsecret export-ignore\n",
    "core.py": b"x = 1\r\n",
    "secret": b"kept\n",
    "model.bin": LFS,
    "run": executable(b"#!/bin/sh\n"),
    "way": link("core.py"),
    "vendor": ("160000", b"1" * 40),
    "tests/test_core.py": b"def test_x(): pass\n",
    "tests/old.py": b"",
}
FIX: dict[str, File] = {
    **{path: file for path, file in BASE.items() if path != "tests/old.py"},
    "core.py": b"x = 2\r\n",
    "tests/test_core.py": b"def test_x(): assert True\n",
    "tests/data.bin": b"\0",
}


def candidate(repository: Repository, base: str, fix: str) -> Candidate:
    commits = {"base_commit": base, "fix_commit": fix, "commit": fix}
    facts = FACTS.model_copy(update={"url": str(repository.path), "repo": "local/x", **commits})
    return CANDIDATE.model_copy(update={"facts": facts})


@pytest.fixture
def commits(repository: Repository) -> tuple[str, str]:
    base = repository.commit(repository.tree(BASE))
    repository.git("tag", "release-1_4_2", base)
    return base, repository.commit(repository.tree(FIX), base)


@pytest.fixture
def place(repository: Repository, commits: tuple[str, str], tmp_path: Path) -> TaskPlace:
    return task_folder(tmp_path / "out", {"candidate": candidate(repository, *commits)})


def test_the_base_is_written_as_git_holds_it_and_the_trees_are_named(repository: Repository, place: TaskPlace) -> None:
    well("materialize", place.folder)
    facts = loads(place.document("workspace"))["facts"]
    assert facts["base_tree"] == repository.tree(BASE)
    assert facts["fix_tree"] == repository.tree(FIX)
    assert facts["tests_tree"] == repository.tree({**FIX, "core.py": BASE["core.py"]})
    assert facts["version_hint"] == "1.4.2"
    assert (facts["submodules"], facts["lfs_pointers"]) == (["vendor"], ["model.bin"])
    assert facts["source_half"] != facts["test_half"]
    written = files(place.base)
    assert written.pop("way") == b"x = 1\r\n"
    assert written == {path: file for path, file in BASE.items() if isinstance(file, bytes)} | {"run": b"#!/bin/sh\n"}
    assert (place.base / "way").is_symlink()
    assert (place.base / "run").stat().st_mode & 0o111
    assert (place.base / "vendor").is_dir()
    assert not (place.base / ".git").exists()


def test_running_it_twice_gives_the_same_bytes_and_a_clean_base(place: TaskPlace) -> None:
    well("materialize", place.folder)
    first = files(place.folder), files(place.base)
    (place.base / "left over").write_text("x")
    well("materialize", place.folder)
    assert (files(place.folder), files(place.base)) == first
    assert sorted(path.name for path in place.bulk.iterdir()) == ["base", "objects"]


def test_a_document_that_breaks_its_schema_is_refused(place: TaskPlace) -> None:
    break_document(place.document("candidate"))
    assert_refuses("materialize", place.document("candidate"), place.folder, writes=place.out)


def test_a_candidate_that_its_set_excludes_goes_on_as_a_failure(place: TaskPlace) -> None:
    failure = Failure(stage="mine", reason="licence", detail="no licence was found")
    write(place.document("candidate"), CANDIDATE.model_copy(update={"failure": failure}))
    well("materialize", place.folder)
    workspace = loads(place.document("workspace"))
    assert (workspace["facts"], workspace["failure"]) == (None, failure.model_dump())
    assert not place.base.exists()


@pytest.mark.parametrize("side", ["base", "fix"])
@pytest.mark.parametrize("name", [b"..", b".git", b"a/../../outside"])
def test_a_hostile_tree_is_a_failure_and_nothing_is_written(
    repository: Repository, commits: tuple[str, str], tmp_path: Path, side: str, name: bytes
) -> None:
    hostile = repository.commit(repository.raw_tree([("100644", name, repository.blob(b"evil\n"))]))
    base, fix = (hostile, commits[1]) if side == "base" else (commits[0], hostile)
    place = task_folder(tmp_path / "out", {"candidate": candidate(repository, base, fix)})
    well("materialize", place.folder)
    failure = loads(place.document("workspace"))["failure"]
    assert (failure["stage"], failure["reason"]) == ("materialize", "unsupported")
    assert [path.name for path in place.bulk.iterdir()] == ["objects"]


def test_a_commit_that_is_nowhere_is_infrastructure_and_writes_no_document(
    repository: Repository, commits: tuple[str, str], tmp_path: Path
) -> None:
    place = task_folder(tmp_path / "out", {"candidate": candidate(repository, "2" * 40, commits[1])})
    ended = call("materialize", place.folder)
    assert ended.status == 1
    assert f"commit {'2' * 40} is not in" in ended.stderr
    assert not place.document("workspace").exists()


def test_an_unknown_language_is_refused(repository: Repository, commits: tuple[str, str], tmp_path: Path) -> None:
    found = candidate(repository, *commits)
    found = found.model_copy(update={"facts": found.facts.model_copy(update={"language": "cobol"})})
    place = task_folder(tmp_path / "out", {"candidate": found})
    ended = call("materialize", place.folder)
    assert (ended.status, place.document("workspace").exists()) == (2, False)
    assert "cobol: no such language" in ended.stderr
    assert place.id == ID
