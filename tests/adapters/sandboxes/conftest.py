"""podman, for all tests here; where it is missing, a visible skip on a developer's machine and a failure in CI."""

from __future__ import annotations

import os

import pytest

import adapters
from redgreen.errors import InfrastructureError
from redgreen.sandbox import Sandbox


@pytest.fixture(scope="session")
def podman(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    try:
        return adapters.sandbox("podman", "python", tmp_path_factory.mktemp("out"))
    except InfrastructureError as error:
        if os.environ.get("CI"):
            pytest.fail(f"missing in CI: podman: {error}")
        pytest.skip(f"podman: {error}")
