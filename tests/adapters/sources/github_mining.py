"""Mining of the test server, in the words of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from github_server import GitHub

from adapters.sources.github import GitHubSource
from redgreen.documents import SetSpec
from redgreen.fixes import Fix


def is_test(path: str) -> bool:
    return path.startswith("tests/")


def mined(github: GitHub, out: Path, *, repos: tuple[str, ...] = ("acme/widget",), **wishes: object) -> Iterator[Fix]:
    spec = SetSpec.model_validate({"source": "github", "repos": repos, **wishes})
    return GitHubSource(is_test, sleep=github.clock.sleep, now=github.clock.now).fixes(spec, out)


def numbers(fixes: Iterator[Fix]) -> list[int | None]:
    return [fix.pull for fix in fixes]
