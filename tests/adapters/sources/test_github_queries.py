"""What the github source keeps, and how a later start goes on from it."""

from __future__ import annotations

import signal
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from github_data import commit, pull
from github_mining import mined, numbers
from github_server import TOKEN, GitHub

from redgreen.errors import UsageError

ROOT = Path(__file__).parents[3]


MINE = """
import sys
from pathlib import Path
from adapters.sources.github import GitHubSource
from redgreen.documents import SetSpec
spec = SetSpec(source="github", repos=("acme/widget",))
for fix in GitHubSource(lambda path: path.startswith("tests/")).fixes(spec, Path(sys.argv[1])):
    print(fix)
"""


def test_a_killed_mining_goes_on_from_its_last_cursor_to_the_same_result(github: GitHub, tmp_path: Path) -> None:
    github.pulls = [pull(number, (number * 37) % 101) for number in range(1, 101)]
    undisturbed = list(mined(github, tmp_path / "undisturbed"))
    github.asked.clear()
    github.hang_at = 4
    command = [sys.executable, "-c", MINE, str(tmp_path / "killed")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as miner:
        assert github.hanging.wait(20)
        miner.send_signal(signal.SIGKILL)
    assert miner.returncode == -signal.SIGKILL
    cursor = github.asked[-1][1]["after"]
    github.asked.clear()
    assert list(mined(github, tmp_path / "killed")) == undisturbed
    assert [asked["after"] for _, asked in github.asked] == [None, cursor]


def test_a_later_start_finds_new_merges_and_asks_only_for_them(github: GitHub, tmp_path: Path) -> None:
    github.pulls = [pull(number, number) for number in range(1, 101)]
    assert len(list(islice(mined(github, tmp_path), 60))) == 60
    github.pulls += [pull(number, number) for number in range(101, 141)]
    github.asked.clear()
    assert numbers(islice(mined(github, tmp_path), 100)) == list(range(140, 40, -1))
    assert github.count("Merged") == 2
    assert numbers(mined(github, tmp_path)) == list(range(140, 0, -1))
    assert github.count("Merged") == 4


def test_a_later_start_that_was_cut_short_leaves_no_gap(github: GitHub, tmp_path: Path) -> None:
    github.pulls = [pull(number, number) for number in range(1, 51)]
    assert len(list(mined(github, tmp_path))) == 50
    github.pulls += [pull(number, number) for number in range(51, 201)]
    next(mined(github, tmp_path))
    github.pulls += [pull(number, number) for number in range(201, 211)]
    next(mined(github, tmp_path))
    assert numbers(mined(github, tmp_path)) == list(range(210, 0, -1))


def test_a_pull_request_that_was_updated_meanwhile_is_not_lost(github: GitHub, tmp_path: Path) -> None:
    github.pulls = [pull(number, number) for number in range(1, 101)]
    fixes = mined(github, tmp_path)
    first = list(islice(fixes, 10))
    github.pulls[9] = pull(10, 10, updated=300)  # it moves ahead of the cursor, where this walk looks no more
    assert 10 not in numbers(iter(first)) + numbers(fixes)
    assert numbers(mined(github, tmp_path)) == list(range(100, 0, -1))


def test_a_repository_without_merged_pull_requests_yields_nothing(github: GitHub, tmp_path: Path) -> None:
    assert list(mined(github, tmp_path)) == []


def test_a_broken_kept_file_is_named(github: GitHub, tmp_path: Path) -> None:
    github.pulls = [pull(1, 1)]
    assert numbers(mined(github, tmp_path)) == [1]
    [head] = (tmp_path / "github" / "acme__widget").glob("head-*.json")
    head.write_text("{")
    with pytest.raises(UsageError, match=head.name):
        list(mined(github, tmp_path))


def test_a_pull_request_that_was_open_is_asked_for_again(github: GitHub, tmp_path: Path) -> None:
    github.pulls = [{**pull(2, 2), "mergedAt": None, "mergeCommit": None}]
    with pytest.raises(UsageError):
        list(mined(github, tmp_path, pulls=(2,)))
    github.pulls = [pull(2, 2)]
    assert numbers(mined(github, tmp_path, pulls=(2,))) == [2]


def test_no_kept_file_holds_the_token(github: GitHub, tmp_path: Path) -> None:
    github.pulls = [pull(1, 1, files=["a"] * 150), pull(2, 2, commits=(commit("a"), commit("b")))]
    assert numbers(mined(github, tmp_path)) == [2]
    kept = list((tmp_path / "github" / "acme__widget").iterdir())
    assert sorted(path.name.split("-")[0] for path in kept) == ["files", "head", "history"]
    assert not [path for path in kept if TOKEN in path.read_text()]
