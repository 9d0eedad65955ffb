"""Public task sets: pointers and facts, and what a rebuild shows otherwise."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from redgreen.contract import sha256
from redgreen.documents import Pointer, SetSpec, Task
from redgreen.errors import UsageError
from redgreen.examples import EXAMPLES
from redgreen.pointers import as_mirror_specs, differences, lay_out, lock_path, pin, pointer, read, suite_digests

LOCK = b"pytest==9.0.2 --hash=sha256:00\n"


@pytest.fixture
def task() -> Task:
    example = EXAMPLES["task"]
    assert isinstance(example, Task)
    assert example.lock
    return example.model_copy(update={"lock": example.lock.model_copy(update={"sha256": sha256(LOCK)})})


def test_a_suite_s_digest_is_the_sha256_of_its_sorted_lines() -> None:
    told = suite_digests(["b.py::two", "a.py::x", "b.py::one", "alone"])
    assert {suite: found.count for suite, found in told.items()} == {"a.py": 1, "alone": 1, "b.py": 2}
    assert told["b.py"].sha256 == hashlib.sha256(b"b.py::one\nb.py::two\n").hexdigest()


def test_a_pinned_task_comes_back_from_its_folder(task: Task, tmp_path: Path) -> None:
    path = pin(task, LOCK, tmp_path)
    assert path == tmp_path / f"{task.id}.json"
    assert read(tmp_path) == {task.id: pointer(task)}
    assert lock_path(tmp_path, sha256(LOCK)).read_bytes() == LOCK


def test_pinning_again_writes_nothing(task: Task, tmp_path: Path) -> None:
    before = pin(task, LOCK, tmp_path).stat().st_mtime_ns
    assert pin(task, LOCK, tmp_path).stat().st_mtime_ns == before


def test_two_tasks_with_one_lock_share_its_file(task: Task, tmp_path: Path) -> None:
    other = task.model_copy(update={"id": "a__b-1", "candidate": task.candidate.model_copy(update={"id": "a__b-1"})})
    pin(task, LOCK, tmp_path)
    pin(other, LOCK, tmp_path)
    assert len(list((tmp_path / "locks").iterdir())) == 1
    assert set(read(tmp_path)) == {task.id, "a__b-1"}


def test_an_empty_set_or_a_file_under_another_name_is_refused(task: Task, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no task is pinned"):
        read(tmp_path)
    pin(task, LOCK, tmp_path).rename(tmp_path / "other__name-1.json")
    with pytest.raises(UsageError, match=r"other__name-1\.json: \$\.candidate\.id"):
        read(tmp_path)


def test_laying_out_puts_pointer_and_lock_beside_the_candidate(task: Task, tmp_path: Path) -> None:
    pin(task, LOCK, tmp_path / "set")
    lay_out(read(tmp_path / "set"), tmp_path / "set", tmp_path / "tasks")
    assert (tmp_path / "tasks" / task.id / "pinned.lock.txt").read_bytes() == LOCK
    lock_path(tmp_path / "set", sha256(LOCK)).unlink()
    with pytest.raises(UsageError, match="the lock of"):
        lay_out(read(tmp_path / "set"), tmp_path / "set", tmp_path / "tasks")


def test_the_pinned_commits_are_looked_for_in_their_repositories_without_other_filters(task: Task) -> None:
    here = pointer(task)
    there = here.model_copy(
        update={"candidate": here.candidate.model_copy(update={"url": "demo:other", "commit": "8" * 40})}
    )
    spec, other = as_mirror_specs(SetSpec(source="pointers", max_source_files=1), {task.id: here, "other__x-1": there})
    assert (other.repos, other.commits) == (("demo:other",), ("8" * 40,))
    assert (spec.source, spec.repos, spec.commits) == ("mirror", (task.candidate.url,), (task.candidate.commit,))
    assert spec.max_source_files > 10**6
    assert spec.licences == ("MIT",)


CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "base_commit": ("candidate", {"base_commit": "9" * 40}),
    "fix_commit": ("candidate", {"fix_commit": "9" * 40}),
    "merged_at": ("candidate", {"merged_at": "2020-01-01T00:00:00Z"}),
    "base_tree": ("workspace", {"base_tree": "9" * 40}),
    "tests_tree": ("workspace", {"tests_tree": "9" * 40}),
    "source_half": ("workspace", {"source_half": "9" * 64}),
    "lock": ("", {"lock": "9" * 64}),
    "fail_to_pass": ("", {"fail_to_pass": ("t::other",)}),
    "pass_to_pass": ("", {"pass_to_pass": {}}),
    "flaky": ("", {"flaky": ("t::x",)}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_whatever_a_rebuild_shows_otherwise_is_one_line(task: Task, name: str) -> None:
    recorded = pointer(task)
    part, change = CHANGES[name]
    update = {part: getattr(recorded, part).model_copy(update=change)} if part else change
    rebuilt = recorded.model_copy(update=update)
    told = differences(recorded, rebuilt)
    assert len(told) == 1
    assert told[0].startswith(name)


def test_a_rebuild_with_another_patch_version_of_the_runtime_holds(task: Task) -> None:
    recorded = pointer(task)
    runtime = recorded.environment.runtime.model_copy(update={"version": "3.13.9"})
    rebuilt = recorded.model_copy(update={"environment": recorded.environment.model_copy(update={"runtime": runtime})})
    assert differences(recorded, rebuilt) == []
    assert isinstance(rebuilt, Pointer)
