"""What tests of the core and of the stages share: repositories, and one demo project installed for real."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from git_repository import Repository

from redgreen.git import Store


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository.git")


@pytest.fixture
def store(repository: Repository, tmp_path: Path) -> Store:
    """A store over the repository; what it adds lies elsewhere."""
    return Store(repository.path, tmp_path / "bulk" / "objects")


def missing(what: str) -> None:
    """A visible skip on a developer's machine, a failure in CI."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)
