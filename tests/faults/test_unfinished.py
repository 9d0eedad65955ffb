"""What a killed process leaves has a name that tells so: the next one of its kind sweeps it, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from redgreen.contract import write_bytes
from redgreen.unfinished import is_gone, prefix_in


@pytest.fixture
def dead() -> int:
    """The id of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_what_a_dead_process_left_goes_and_what_a_living_one_holds_stays(tmp_path: Path, dead: int) -> None:
    left = tmp_path / f".index-{dead}.abc"
    (left / "inner").mkdir(parents=True)
    kept = [f".index-{os.getpid()}.abc", f".other-{dead}.abc", f".index-{dead}", ".index-x.abc", f"a.index-{dead}.b"]
    for name in kept:
        (tmp_path / name).mkdir()
    assert prefix_in(tmp_path, ".index-") == f".index-{os.getpid()}."
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(kept)


def test_a_link_that_was_left_is_removed_and_not_followed(tmp_path: Path, dead: int) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").touch()
    (tmp_path / f"delta-{dead}.abc").symlink_to(elsewhere)
    prefix_in(tmp_path, "delta-")
    assert [path.name for path in tmp_path.iterdir()] == ["elsewhere"]
    assert (elsewhere / "kept").exists()


def test_a_document_written_again_takes_the_remains_of_the_killed_write_along(tmp_path: Path, dead: int) -> None:
    remains = tmp_path / f".red.json.{dead}.xyz"
    remains.write_text('{"half')
    write_bytes(tmp_path / "green.json", b"{}\n")
    assert remains.exists()
    write_bytes(tmp_path / "red.json", b"{}\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["green.json", "red.json"]


def test_a_process_that_is_dead_and_not_waited_for_is_gone() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert process.stdout
    process.stdout.read()
    deadline = 200
    while not is_gone(process.pid) and deadline:
        deadline -= 1
        os.sched_yield()
        subprocess.run(["sleep", "0.01"], check=True)
    assert deadline
    assert Path("/proc", str(process.pid)).exists()
    process.wait()


def test_a_folder_that_is_not_there_has_nothing_left_in_it(tmp_path: Path) -> None:
    assert not is_gone(os.getpid())
    with tempfile.TemporaryDirectory(prefix=prefix_in(tmp_path / "nowhere", "x-")) as folder:
        assert f"x-{os.getpid()}." in folder
