"""setup.sh: what it makes, when it starts over, and what it says when it cannot."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ("bash", "cut", "dirname", "find", "flock", "grep", "head", "id", "mktemp", "rm", "sha256sum", "awk", "env")


def uv_alone(lock: str) -> str:
    """The lines of a requirements file with hashes that pin uv."""
    found = re.search(r"^uv==.*?[^\\]\n", lock, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found.group()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A checkout with a lock of one package, so that setting up takes a second or two."""
    folder = tmp_path / "a clone"
    folder.mkdir()
    shutil.copy(ROOT / "setup.sh", folder)
    (folder / "requirements.lock").write_text(uv_alone((ROOT / "requirements.lock").read_text()))
    return folder


def set_up(clone: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHON": sys.executable, **variables}
    environment.pop("IN_NIX_SHELL", None)
    command = ["bash", str(clone / "setup.sh")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)


def mark_as_finished(clone: Path) -> Path:
    """Write by hand what a finished set-up leaves; return the stamp."""
    binary = clone / ".venv/bin/python"
    binary.parent.mkdir(parents=True)
    binary.symlink_to(sys.executable)
    digest = hashlib.sha256((clone / "requirements.lock").read_bytes()).hexdigest()
    stamp = clone / ".venv/.redgreen-stamp"
    stamp.write_text(f"{digest}  {clone}\n")
    return stamp


def fake_python(folder: Path, *names: str) -> Path:
    """Interpreters that are too old for every question."""
    folder.mkdir()
    for name in names:
        (folder / name).write_text("#!/bin/sh\nexit 1\n")
        (folder / name).chmod(0o755)
    return folder


def need_an_index() -> None:
    """Without an answer from a package index: a skip here, a failure in CI."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--no-cache", "-"]
    answer = subprocess.run(command, input="uv", capture_output=True, text=True, timeout=120)
    if answer.returncode != 0:
        assert not os.environ.get("CI"), f"CI needs a package index: {answer.stderr}"
        pytest.skip("no package index answers")


def test_makes_an_environment_that_finds_the_repository_and_then_does_nothing(clone: Path) -> None:
    need_an_index()
    first = set_up(clone)
    assert first.returncode == 0, first.stderr
    python = clone / ".venv/bin/python"
    path = subprocess.run([python, "-c", "import sys; print(sys.path)"], capture_output=True, text=True, check=True)
    assert repr(str(clone)) in path.stdout
    assert subprocess.run([clone / ".venv/bin/uv", "--version"], capture_output=True).returncode == 0
    second = set_up(clone)
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")


def test_refuses_a_package_whose_hash_differs(clone: Path) -> None:
    need_an_index()
    lock = clone / "requirements.lock"
    lock.write_text(re.sub(r"sha256:[0-9a-f]{64}", "sha256:" + "0" * 64, lock.read_text()))
    finished = set_up(clone)
    assert finished.returncode == 1
    assert "error: uv could not be installed" in finished.stderr
    assert not (clone / ".venv/.redgreen-stamp").exists()


def test_does_nothing_while_the_lock_is_the_same(clone: Path) -> None:
    mark_as_finished(clone)
    finished = set_up(clone, PYTHON="/no/such/python")
    assert (finished.returncode, finished.stderr) == (0, "")


@pytest.mark.parametrize("change", ["lock", "stamp", "place", "interpreter"])
def test_starts_over_when_something_changed(clone: Path, change: str) -> None:
    stamp = mark_as_finished(clone)
    if change == "lock":
        with (clone / "requirements.lock").open("a") as lock:
            lock.write("# changed\n")
    elif change == "stamp":
        stamp.unlink()
    elif change == "place":
        clone = clone.rename(clone.with_name("moved"))
    else:
        (clone / ".venv/bin/python").unlink()
    finished = set_up(clone, PYTHON="/no/such/python")
    assert finished.returncode == 1
    assert "PYTHON=/no/such/python is not Python 3.11 or newer" in finished.stderr


def test_says_which_python_it_needs_when_there_is_only_an_old_one(clone: Path, tmp_path: Path) -> None:
    folder = fake_python(tmp_path / "bin", "python3", "python3.11")
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found is not None, f"{tool} is missing on this machine"
        (folder / tool).symlink_to(found)
    finished = set_up(clone, PATH=str(folder), PYTHON="")
    assert finished.returncode == 1
    assert finished.stderr.splitlines()[0] == "error: no Python 3.11 or newer is on PATH"
    assert finished.stderr.splitlines()[1].startswith("hint: ")
    assert not (clone / ".venv").exists()
