"""A copy of the checkout that tests may run `make` in and change, and what they compare of an OUT folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ["Makefile", "setup.sh", "requirements.lock", "flake.lock", "pyproject.toml"]
PARTS += ["stages", "schemas", "adapters", "redgreen", "containers", "tasks", "runs"]
SMALL = "demo:ringlog demo:primestep"
"""Two little projects: one is accepted, one is rejected after its runs."""
TASK, REJECTED = "demo__ringlog-5", "demo__primestep-10"

BULK = {"boxes", "cache", "mirrors", "demo-repos", "images", "objects", "logs", "upper", "delta"}
"""Folders of OUT that hold no documents."""
NOT_COMPARED = ("times.json", "mine.flags", "restart.mk")
"""Wall-clock values, the options with OUT's own path, and a file that is only ever touched."""


def keep_images(result: Path, out: Path) -> None:
    """Let another OUT know the images that a result's knows: none, where there is no podman."""
    if (result / "images").is_dir():
        shutil.copytree(result / "images", out / "images")


@dataclass(frozen=True)
class Checkout:
    root: Path

    @property
    def python(self) -> str:
        return str(self.root / ".venv" / "bin" / "python")

    def environment(self, **variables: str) -> dict[str, str]:
        """Without what an outer make or a developer has set."""
        left_out = ("MAKE", "REDGREEN", "GITHUB_TOKEN", "MIRRORS", "SANDBOX", "OUT", "SET", "RUN", "TASK", "REPO")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
        pythons = {name: os.environ[name] for name in ("REDGREEN_PYTHONS",) if name in os.environ}
        return {**kept, **pythons, "PYTHONPATH": str(self.root), **variables}

    def make(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.run("make", *arguments, **variables)

    def stage(self, name: str, *arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.run(self.python, f"stages/{name}.py", *map(str, arguments), **variables)

    def run(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.root,
            env=self.environment(**variables),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=900,
            check=False,
        )


def copy_checkout(target: Path) -> Checkout:
    """The working tree as it is, with the environment of the tests shown as its own and never set up again."""
    target.mkdir(parents=True)
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", ".*_cache", ".hypothesis")
            shutil.copytree(source, target / part, symlinks=True, ignore=ignored)
        else:
            shutil.copy2(source, target / part)
    venv = target / ".venv"
    venv.mkdir()
    shutil.copy2(Path(sys.prefix) / "pyvenv.cfg", venv)
    for part in ("bin", "lib"):
        (venv / part).symlink_to(Path(sys.prefix) / part)
    (venv / ".redgreen-stamp").touch()
    return Checkout(target)


def documents(out: Path) -> dict[str, bytes]:
    """Everything under OUT that a result consists of: path -> content."""
    found = {}
    for folder, folders, files in os.walk(out):
        folders[:] = [name for name in folders if name not in BULK]
        for name in files:
            path = Path(folder, name)
            if not name.endswith(NOT_COMPARED):
                found[str(path.relative_to(out))] = path.read_bytes()
    return found


def differing(one: Mapping[str, bytes], other: Mapping[str, bytes]) -> list[str]:
    """Names of what only one side has, or has otherwise."""
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))


def times(out: Path) -> dict[str, int]:
    """Path -> modification time in nanoseconds, of all that `documents` gives."""
    return {name: (out / name).stat().st_mtime_ns for name in documents(out)}


def is_clear(stderr: str) -> bool:
    """One `error:` line, a `hint:`, and no traceback."""
    lines = stderr.splitlines()
    errors = [line for line in lines if line.startswith("error: ")]
    hints = [line for line in lines if line.startswith("hint: ")]
    ours = "a fault in redgreen itself" in stderr or "Traceback" in stderr
    return len(errors) == 1 and len(hints) == 1 and not ours


def missing(what: str) -> None:
    """A visible skip on a developer's machine, a failure in CI."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)
