"""What tests of the core and of the stages share: repositories, and one demo project installed for real."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest
from git_repository import Repository
from stage_runner import call, loads, well

import adapters
from redgreen.errors import InfrastructureError
from redgreen.git import Store
from redgreen.sandbox import Sandbox


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository.git")


@pytest.fixture
def store(repository: Repository, tmp_path: Path) -> Store:
    """A store over the repository; what it adds lies elsewhere."""
    return Store(repository.path, tmp_path / "bulk" / "objects")


@pytest.fixture(scope="session")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One OUT for all tests that install or run something."""
    return tmp_path_factory.mktemp("out")


@pytest.fixture(scope="session")
def sandbox(out: Path) -> Sandbox:
    """podman, or the process sandbox where podman does not work."""
    told = []
    for choice in ("auto", "process"):
        try:
            return adapters.sandbox(choice, "python", out)
        except InfrastructureError as error:
            told.append(str(error))
    return missing("; ".join(told))


def missing(what: str) -> NoReturn:
    """A visible skip on a developer's machine, a failure in CI."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def demo(out: Path, sandbox: Sandbox) -> Path:
    """OUT/demo with slugline (pytest) and ringlog (unittest): mined, materialized and installed for real."""
    well("mine", "--set", "demo", "--repo", "slugline", "--repo", "ringlog", "--out", out)
    tasks = out / "demo" / "tasks"
    for folder in sorted(tasks.iterdir()):
        well("materialize", folder)
        ended = call("install", folder, "--sandbox", sandbox.name)
        if ended.status:
            missing(f"install: {ended.stderr}")
        if (failure := loads(folder / "environment.json")["failure"]) is not None:
            pytest.fail(f"install: {failure}")
    return out / "demo"


@pytest.fixture(scope="session")
def reports(demo: Path, sandbox: Sandbox) -> Path:
    """The tasks' folder of `demo`, with red.json, green.json and accept.json."""
    for folder in sorted((demo / "tasks").iterdir()):
        for stage in ("red", "green"):
            well(stage, folder, "--sandbox", sandbox.name)
        well("accept", folder)
    return demo / "tasks"
