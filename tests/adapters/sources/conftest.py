"""GitHub's published schema, and a server built from it."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from github_server import TOKEN, GitHub, serving
from graphql import GraphQLSchema, build_schema

SCHEMA_PACKAGE = "@octokit/graphql-schema@15.26.1"
SCHEMA_SHA256 = "053e74249dafce2118fd9b7ae499b067d57c5f910c57745699ac45108bc68d1e"


@pytest.fixture(scope="session")
def schema_text(request: pytest.FixtureRequest) -> str:
    """GitHub's published schema, from npm or pytest's cache, held against its digest; never in the repository."""
    assert request.config.cache is not None
    kept = request.config.cache.mkdir("github-schema") / f"{SCHEMA_SHA256[:16]}.tgz"
    if not kept.exists():
        _fetch_schema(kept)
    content = kept.read_bytes()
    assert hashlib.sha256(content).hexdigest() == SCHEMA_SHA256
    with tarfile.open(fileobj=io.BytesIO(content)) as package:
        member = package.extractfile("package/schema.graphql")
        assert member is not None
        return member.read().decode()


def _fetch_schema(kept: Path) -> None:
    folder = kept.parent / f"fetch-{os.getpid()}"
    folder.mkdir(exist_ok=True)
    try:
        command = ["npm", "pack", "--silent", SCHEMA_PACKAGE]
        packed = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=True)
        (folder / packed.stdout.split()[-1]).replace(kept)
    except (OSError, subprocess.SubprocessError) as error:
        missing = f"npm could not fetch {SCHEMA_PACKAGE}: {error}"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def schema(schema_text: str) -> GraphQLSchema:
    return build_schema(schema_text, assume_valid=True)


@pytest.fixture
def github(schema: GraphQLSchema, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHub]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    with serving(GitHub(schema)) as server:
        monkeypatch.setenv("GITHUB_GRAPHQL_URL", server.url)
        yield server
