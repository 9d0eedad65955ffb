"""Mining a history, on repositories written here."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from history_writer import History, commit_id

from adapters.sources import history
from adapters.sources.mirror import MirrorSource
from redgreen import git
from redgreen.documents import SetSpec
from redgreen.errors import InfrastructureError, UsageError
from redgreen.fixes import Fix

Mine = Callable[..., list[Fix]]


def source(folder: Path) -> MirrorSource:
    return MirrorSource(lambda repo, out: folder / repo.replace("/", "__"), lambda repo: (repo, f"file:///{repo}"))


@pytest.fixture
def mine(tmp_path: Path) -> Mine:
    """Write a history as a/b with this head, and mine it."""

    def run(written: History, head: int, **spec: Any) -> list[Fix]:
        folder = tmp_path / "a__b"
        if not folder.exists():
            written.write(folder, head)
        return list(source(tmp_path).fixes(SetSpec(source="mirror", repos=("a/b",), **spec), tmp_path))

    return run


def titles(fixes: list[Fix]) -> list[str]:
    return [fix.title for fix in fixes]


def test_yields_all_that_git_knows_about_a_merged_pull_request(mine: Mine, tmp_path: Path) -> None:
    written = History()
    root = written.commit("Start")
    topic = written.line("Count from one", "Test it. Fixes #3, fixes #7", on=root)
    merge = written.commit("Merge pull request #7 from jo/count\n\nCount right\n\nCloses #2", root, topic)
    assert mine(written, merge) == [
        Fix(
            repo="a/b",
            url="file:///a/b",
            commit=commit_id(tmp_path / "a__b", merge),
            title="Count right",
            body="Closes #2",
            statement_source="pull_request",
            pull=7,
            issues=(2, 3),
            merged_at="2023-11-15T02:13:20Z",
        )
    ]


def test_goes_from_new_to_old_and_leaves_out_the_rest(mine: Mine) -> None:
    written = History()
    head = written.line("Fix one", "Add words", "Second (#2)", "Bump x from 1 to 2 (#3)", "Third\n\nCloses #9")
    assert [(fix.title, fix.statement_source) for fix in mine(written, head)] == [
        ("Third", "commit"),
        ("Second (#2)", "pull_request"),
    ]


def test_a_merge_without_words_takes_those_of_its_only_commit(mine: Mine) -> None:
    written = History()
    root = written.commit("Start")
    topic = written.commit("Count from one\n\nIt began with zero.", root)
    merge = written.commit("Merge pull request #7 from jo/patch-1", root, topic)
    assert [(fix.title, fix.body) for fix in mine(written, merge)] == [("Count from one", "It began with zero.")]


def test_a_merge_without_words_takes_its_branch_s_name_and_subjects(mine: Mine) -> None:
    written = History()
    root = written.commit("Start")
    merge = written.commit("Merge branch 'jo/count-right'", root, written.line("One", "Two", on=root))
    assert [(fix.title, fix.body) for fix in mine(written, merge)] == [("count right", "- One\n- Two")]


@pytest.mark.parametrize("hour", [3, 9])
def test_a_stacked_branch_belongs_to_the_older_merge(mine: Mine, hour: int) -> None:
    written = History()
    root = written.commit("Start")
    lower = written.commit("Lower", root)
    upper = written.commit("Upper", lower, at=hour)
    first = written.commit("Merge pull request #1 from jo/lower", root, lower)
    second = written.commit("Merge pull request #2 from jo/upper", first, upper, at=10)
    assert [(fix.pull, fix.title) for fix in mine(written, second)] == [(2, "Upper"), (1, "Lower")]


def test_a_wrong_clock_does_not_move_a_commit_to_another_line(mine: Mine) -> None:
    written = History()
    root = written.commit("Start")
    main = written.commit("Fix one (#1)", root, at=50)
    topic = written.commit("Two", main, at=60)
    main = written.commit("Fix three (#3)", main, at=10)
    merge = written.commit("Merge pull request #2 from jo/two", main, topic, at=70)
    assert titles(mine(written, merge)) == ["Two", "Fix three (#3)", "Fix one (#1)"]


def test_main_merged_into_a_branch_brings_nothing_of_its_own(mine: Mine) -> None:
    written = History()
    root = written.commit("Start")
    topic = written.commit("Count", root)
    main = written.commit("Fix crash (#1)", root)
    topic = written.commit("Merge branch 'main' into count", topic, main)
    merge = written.commit("Merge pull request #2 from jo/count", main, topic)
    assert titles(mine(written, merge)) == ["Count", "Fix crash (#1)"]


def test_finds_what_was_merged_on_a_stable_line(mine: Mine) -> None:
    written = History()
    root = written.commit("Start")
    stable = written.commit("Fix crash (#1)", root)
    topic = written.commit("Work in progress to fix a hang", stable)
    stable = written.commit("Merge pull request #2 from jo/hang\n\nEnd the hang", stable, topic)
    main = written.commit("New thing (#3)", root)
    sync = written.commit("Merge stable into main", stable, main)
    request = written.commit("Merge stable into main (#4)", main, sync)
    assert titles(mine(written, request)) == ["New thing (#3)", "End the hang", "Fix crash (#1)"]


def test_finds_main_behind_a_pull_that_went_the_wrong_way(mine: Mine) -> None:
    written = History()
    root = written.commit("Start")
    main = written.commit("Upstream fix (#1)", root)
    local = written.commit("Fix crash locally", root)
    head = written.commit("Merge branch 'master' of host.example:a/b", local, main)
    assert titles(mine(written, head)) == ["Fix crash locally", "Upstream fix (#1)"]


def test_an_octopus_is_one_fix_with_all_its_branches(mine: Mine) -> None:
    written = History()
    root = written.commit("Start")
    arms = [written.commit(f"Arm {name}", root) for name in "abc"]
    merge = written.commit("Merge branches 'x', 'y' and 'z'", root, *arms)
    (fix,) = mine(written, merge)
    assert fix.body == "- Arm a\n- Arm b\n- Arm c"


def test_the_same_change_on_two_lines_counts_once(mine: Mine) -> None:
    written = History()
    root = written.commit("Start")
    stable = written.commit("Fix the crash", root, author="jo", authored=1)
    stable = written.commit("[2.1] Fix hang (#2)", stable)
    main = written.commit("Fix the crash", root, author="jo", authored=1)
    main = written.commit("Fix hang (#2)", main)
    head = written.commit("Merge branch '2.1.x'", main, stable)
    assert titles(mine(written, head)) == ["Fix hang (#2)", "Fix the crash"]


def test_a_number_used_for_two_changes_stays_with_the_newer(mine: Mine) -> None:
    written = History()
    head = written.line("Start", "Fix of the old project (#2)", "Fix crash (#2)")
    assert [(fix.title, fix.pull, fix.statement_source) for fix in mine(written, head)] == [
        ("Fix crash (#2)", 2, "pull_request"),
        ("Fix of the old project (#2)", None, "commit"),
    ]


def test_obeys_both_days_inclusively(mine: Mine) -> None:
    written = History()
    head = 0
    for day in range(4):
        head = written.commit(f"Fix {day} times wrong", *[head][: day and 1], at=24 * day)
    assert titles(mine(written, head, since="2023-11-15", until="2023-11-16")) == [
        "Fix 2 times wrong",
        "Fix 1 times wrong",
    ]


def test_finds_a_pull_request_by_number_even_a_revert(mine: Mine) -> None:
    written = History()
    head = written.line("Start", "Fix one (#1)", 'Revert "Fix one" (#2)', "Fix three (#3)")
    assert [fix.pull for fix in mine(written, head, pulls=(2, 3))] == [3, 2]


def test_finds_a_commit_by_prefix_wherever_it_is(mine: Mine, tmp_path: Path) -> None:
    written = History()
    root = written.commit("Start")
    loose = written.commit("Add words on a branch", root)
    head = written.commit("Fix one (#1)", root)
    mine(written, head)
    wanted = commit_id(tmp_path / "a__b", loose)
    assert [fix.commit for fix in mine(written, head, commits=(wanted[:7],))] == [wanted]


@pytest.mark.parametrize(
    ("spec", "said"),
    [({"pulls": (99,)}, "#99"), ({"commits": ("0123456789",)}, "0123456789"), ({"commits": ("0123",)}, "no commit id")],
)
def test_says_what_it_could_not_find(mine: Mine, spec: dict[str, Any], said: str) -> None:
    written = History()
    with pytest.raises(UsageError, match=said):
        mine(written, written.commit("Start"), **spec)


def test_the_first_commit_has_no_base(mine: Mine, tmp_path: Path) -> None:
    written = History()
    head = written.line("Fix from the start (#1)", "Fix one (#2)")
    assert titles(mine(written, head)) == ["Fix one (#2)"]
    with pytest.raises(UsageError, match="no base"):
        mine(written, head, commits=(commit_id(tmp_path / "a__b", 1),))


def test_a_commit_of_one_repository_is_not_asked_of_the_other(tmp_path: Path) -> None:
    ids = {}
    for name in ("a__b", "c__d"):
        written = History()
        ids[name] = commit_id(written.write(tmp_path / name, written.line("Start", f"More of {name}")), 2)
    spec = SetSpec(source="mirror", repos=("a/b", "c/d"), commits=tuple(ids.values()))
    assert [(fix.repo, fix.commit) for fix in source(tmp_path).fixes(spec, tmp_path)] == [
        ("a/b", ids["a__b"]),
        ("c/d", ids["c__d"]),
    ]


def test_reads_messages_in_any_encoding_and_with_any_line_ends(mine: Mine, tmp_path: Path) -> None:
    written = History()
    head = written.commit(b"")
    head = written.commit(b"Fix caf\xe9 (#1)", head)
    head = written.commit("Fix café (#2)".encode("latin-1"), head, encoding="ISO-8859-1")
    head = written.commit(b"Fix lines (#3)\r\n\r\nOne\r\nTwo\rThree\r\n", head)
    folder = written.write(tmp_path / "a__b", head)
    git.run(["--git-dir", str(folder), "config", "i18n.logOutputEncoding", "ISO-8859-1"])
    found = mine(written, head)
    assert titles(found) == ["Fix lines (#3)", "Fix café (#2)", "Fix caf\ufffd (#1)"]
    assert found[0].body == "One\nTwo\nThree"


def test_reads_no_more_of_a_history_than_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = History()
    main = written.line("Start", *(f"Fix number {n} (#{n})" for n in range(1, 2000)))
    topic = written.commit("Topic", main)
    written.write(tmp_path / "a__b", written.commit("Merge pull request #2000 from jo/topic", main, topic))
    read: list[history.Commit] = []

    def commit(record: bytes) -> history.Commit:
        read.append(real(record))
        return read[-1]

    real = history._commit
    monkeypatch.setattr(history, "_commit", commit)
    assert next(source(tmp_path).fixes(SetSpec(source="mirror", repos=("a/b",)), tmp_path)).pull == 2000
    assert 2 <= len(read) < 1000


def test_an_empty_repository_is_refused(tmp_path: Path) -> None:
    git.run(["init", "--quiet", "--bare", str(tmp_path / "a__b")])
    with pytest.raises(UsageError, match="no commits"):
        list(source(tmp_path).fixes(SetSpec(source="mirror", repos=("a/b",)), tmp_path))


def test_a_shallow_copy_is_refused(tmp_path: Path) -> None:
    written = History()
    written.write(tmp_path / "whole", written.line("Start", "Fix one (#1)"))
    git.run(["clone", "--quiet", "--bare", "--depth=1", f"file://{tmp_path}/whole", str(tmp_path / "a__b")])
    with pytest.raises(UsageError, match="shallow"):
        list(source(tmp_path).fixes(SetSpec(source="mirror", repos=("a/b",)), tmp_path))


def test_what_is_no_repository_is_an_infrastructure_failure(tmp_path: Path) -> None:
    (tmp_path / "a__b").mkdir()
    with pytest.raises(InfrastructureError, match="a/b"):
        list(source(tmp_path).fixes(SetSpec(source="mirror", repos=("a/b",)), tmp_path))


def test_no_repository_named_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no repository"):
        list(source(tmp_path).fixes(SetSpec(source="mirror"), tmp_path))


def test_a_broken_history_is_not_taken_for_its_end(tmp_path: Path) -> None:
    written = History()
    folder = written.write(tmp_path / "a__b", written.commit("Start"))
    with pytest.raises(InfrastructureError, match="git log"):
        list(history.read_history(folder, ["0" * 39 + "1"]))


def test_one_process_reads_5000_commits_and_ends_when_the_reader_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = History()
    written.write(tmp_path / "a__b", written.line("Start", *(f"Fix number {n} (#{n})" for n in range(1, 5000))))
    started: list[subprocess.Popen[bytes]] = []

    def popen(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(real(*arguments, **options))
        return started[-1]

    real = subprocess.Popen
    monkeypatch.setattr(history.subprocess, "Popen", popen)
    fixes = source(tmp_path).fixes(SetSpec(source="mirror", repos=("a/b",)), tmp_path)
    assert next(fixes).pull == 4999
    fixes.close()  # type: ignore[attr-defined]
    logs = [process for process in started if "log" in process.args]
    assert [process.returncode is None for process in logs] == [False]
    began = time.monotonic()
    assert sum(1 for _ in source(tmp_path).fixes(SetSpec(source="mirror", repos=("a/b",)), tmp_path)) == 4999
    assert time.monotonic() - began < 5
