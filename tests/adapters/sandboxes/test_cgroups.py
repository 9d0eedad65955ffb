"""Control groups on folders that look like the kernel's, as no one machine has every layout."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from adapters.sandboxes import cgroups
from adapters.sandboxes.cgroups import Group


@pytest.fixture
def unified(tmp_path: Path) -> Path:
    """cgroup v2: a session in a slice that hands memory and pids on."""
    for folder, handed_on in (("", "memory pids cpu"), ("slice", "memory pids"), ("slice/session", "")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "cgroup.subtree_control").write_text(f"{handed_on}\n")
        (tmp_path / folder / "cgroup.procs").touch()
    return tmp_path


def test_under_v2_the_nearest_folder_that_hands_controllers_on_is_taken(unified: Path) -> None:
    assert cgroups._delegating(unified / "slice" / "session", unified) == unified / "slice"


def test_under_v2_there_is_no_group_where_nothing_is_handed_on(unified: Path) -> None:
    for path in unified.rglob("cgroup.subtree_control"):
        path.write_text("cpu\n")
    assert cgroups._delegating(unified / "slice" / "session", unified) is None


def test_limits_are_written_in_the_words_of_v1(tmp_path: Path) -> None:
    for name in ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "pids.max"):
        (tmp_path / name).touch()
    Group({"memory": tmp_path, "pids": tmp_path}).limit(1000, 10)
    written = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert written == {"memory.limit_in_bytes": "1000", "memory.memsw.limit_in_bytes": "1000", "pids.max": "12"}


def test_limits_are_written_in_the_words_of_v2(tmp_path: Path) -> None:
    for name in ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max"):
        (tmp_path / name).touch()
    Group({"memory": tmp_path, "pids": tmp_path}).limit(1000, 10)
    written = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert written == {"memory.max": "1000", "memory.swap.max": "0", "memory.oom.group": "1", "pids.max": "12"}


@pytest.mark.parametrize("name", ["memory.oom_control", "memory.events"])
def test_out_of_memory_is_read_from_the_kernels_count(tmp_path: Path, name: str) -> None:
    group = Group({"memory": tmp_path})
    assert not group.out_of_memory()
    (tmp_path / name).write_text("under_oom 0\noom_kill 0\n")
    assert not group.out_of_memory()
    (tmp_path / name).write_text("under_oom 0\noom_kill 2\n")
    assert group.out_of_memory()


def test_a_group_left_over_is_ended_and_made_anew() -> None:
    if "pids" not in cgroups._parents():
        pytest.skip("no control group may be made here")
    first = cgroups.create("redgreen-test-left-over")
    with subprocess.Popen(["sleep", "60"]) as left:
        for entrance in first.entrances:
            entrance.write_text(str(left.pid))
        second = cgroups.create("redgreen-test-left-over")
        ended = left.wait(5)
    second.remove()
    assert ended == -9
    assert not any(folder.exists() for folder in second.folders.values())


def test_without_a_folder_to_write_to_there_is_no_group(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cgroups, "_parents", lambda: {"pids": tmp_path / "nowhere"})
    assert cgroups.create("x") == Group({})
