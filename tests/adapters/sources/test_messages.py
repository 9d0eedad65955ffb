"""How messages of commits are read: no git here, only words."""

from __future__ import annotations

import pytest

from adapters.sources.messages import closed_issues, read_message, sounds_like_a_fix


@pytest.mark.parametrize(
    ("message", "parents", "pull", "title", "body"),
    [
        (
            "Merge pull request #12 from ann/fix-it\n\nHandle nothing\n\nIt was lost.",
            2,
            12,
            "Handle nothing",
            "It was lost.",
        ),
        ("Merge pull request #12 from ann/fix-it", 2, 12, "", ""),
        (
            "Merge branch 'fix' into 'main'\n\nHandle nothing\n\nLost.\n\nSee merge request a/b!7",
            2,
            7,
            "Handle nothing",
            "Lost.",
        ),
        ("Merged in fix (pull request #3)\n\nHandle nothing", 2, 3, "Handle nothing", ""),
        ("Merged PR 31: Handle nothing", 1, 31, "Handle nothing", ""),
        ("Auto merge of #8 - ann:fix, r=bob\n\nHandle nothing", 2, 8, "Handle nothing", ""),
        ("Merge #8\n\nHandle nothing", 2, 8, "Handle nothing", ""),
        ("Merge branch 'pr/15'\n\nHandle nothing", 2, 15, "Handle nothing", ""),
        ("Handle nothing (#44)\n\nIt was lost.", 1, 44, "Handle nothing (#44)", "It was lost."),
        ("Handle nothing (#40) (#44)", 2, 44, "Handle nothing (#40) (#44)", ""),
        ("Handle nothing (GH-44)", 1, 44, "Handle nothing (GH-44)", ""),
        ("Handle nothing\n\nSee merge request a/b!9", 1, 9, "Handle nothing", "See merge request a/b!9"),
    ],
)
def test_reads_every_form_of_a_pull_request(message: str, parents: int, pull: int, title: str, body: str) -> None:
    told = read_message(message, parents=parents, repo="a/b")
    assert (told.kind, told.pull, told.title, told.body) == ("pull", pull, title, body)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Merge branch 'topic'", "topic"),
        ("Merge branch 'jo-fix_the_thing' of https://host.example/jo/x", "topic"),
        ("Merge commit from fork\n\nReject bad hosts", "topic"),
        ("Say hello\n\nCloses #4", "closing"),
        ("Fix crash on empty input", "fix"),
        ("Add a greeting", "plain"),
        ("", "plain"),
    ],
)
def test_tells_how_a_commit_arrived(message: str, kind: str) -> None:
    assert read_message(message, parents=2 if message.startswith("Merge") else 1).kind == kind


@pytest.mark.parametrize(
    "message",
    [
        "Merge branch 'main' into topic",
        "Merge branch 'stable'",
        "Merge branch '2.0.x'",
        "Merge branch '2.x-maintenance' into main",
        "Merge remote-tracking branch 'origin/8.0.x'",
        "Merge branch 'master' of host.example:a/b",
        "Merge `stable` into `main` after the release (#35)",
        "Merge pull request #35 from a/stable",
        "Merge pull request #35 from jo/x\n\nMerge stable into main",
        "Merge tag 'v1.2'",
        "marged",
    ],
)
def test_a_merge_of_long_lived_lines_is_no_fix(message: str) -> None:
    assert read_message(message, parents=2, repo="a/b").kind == "sync"


def test_a_fork_s_main_branch_is_a_pull_request_like_any_other() -> None:
    assert read_message("Merge pull request #5 from jo/main\n\nFix it", parents=2, repo="a/b").kind == "pull"


@pytest.mark.parametrize(
    ("message", "author"),
    [
        ("Bump left-pad from 1.0 to 1.1 (#9)", "dev"),
        ("Merge pull request #9 from a/dependabot/pip/x-2\n\nBump x", "dev"),
        ("Tidy up (#9)", "dependabot[bot]"),
        ("chore(deps): update x (#9)", "dev"),
        ("[pre-commit.ci] pre-commit autoupdate (#9)", "dev"),
        ('Revert "Fix crash" (#9)', "dev"),
        ("Merge pull request #9 from a/undo\n\nRevert the crash fix", "dev"),
        ("release version 1.2.3 (#9)", "dev"),
        ("v1.2.3", "dev"),
        ("Bump version", "dev"),
        ("Prepare release 2.0", "dev"),
    ],
)
def test_bots_reverts_and_releases_are_noise(message: str, author: str) -> None:
    assert read_message(message, parents=2, author=author, repo="a/b").kind == "noise"


def test_a_fix_that_names_a_version_is_not_taken_for_a_release() -> None:
    assert read_message("Fix version 2.0 parsing (#9)").kind == "pull"
    assert read_message("Update the parser to return None (#9)").kind == "pull"


@pytest.mark.parametrize(
    ("text", "issues"),
    [
        ("Fixes #1", (1,)),
        ("fix: thing\n\ncloses #1, #2 and #3", (1, 2, 3)),
        ("Resolves: gh-7", (7,)),
        ("This fixes issue #4 and resolves #5.", (4, 5)),
        ("Closes https://host.example/a/b/issues/6", (6,)),
        ("Closes https://host.example/c/d/issues/6, fixes c/d#8", ()),
        ("fixes A/B#9", (9,)),
        ("see #10, prefixes #11, fixes 12", ()),
    ],
)
def test_finds_the_issues_that_a_message_closes(text: str, issues: tuple[int, ...]) -> None:
    assert closed_issues(text, "a/b") == issues


def test_a_number_in_brackets_that_the_message_closes_is_an_issue() -> None:
    told = read_message("Say hello (#4)\n\nFixes #4")
    assert (told.kind, told.pull, told.issues) == ("closing", None, (4,))


def test_a_pull_request_does_not_close_itself() -> None:
    told = read_message("Merge pull request #4 from jo/x\n\nSay hello\n\nfixes #4, closes #5", parents=2)
    assert (told.pull, told.issues) == (4, (5,))


@pytest.mark.parametrize(
    "subject",
    [
        "Fix crash",
        "fix: parse dates",
        "Don't lose the last line",
        "wait: handle OverflowError",
        "Fix typing of Field.get",
        "Fixing a regression in the parser, and a typo beside it that was there before",
    ],
)
def test_recognises_a_fix_by_its_words(subject: str) -> None:
    assert sounds_like_a_fix(subject)


@pytest.mark.parametrize(
    "subject",
    [
        "Fix typo",
        "Fix typo in parser",
        "fix docs",
        "Fix flake8 errors",
        "Fix CI",
        "Fix failing tests",
        "docs: fix wrong link",
        "Fix changelog links",
        "Add prefixes",
        "Fix",
    ],
)
def test_leaves_out_what_mends_only_words_lint_or_tests(subject: str) -> None:
    assert not sounds_like_a_fix(subject)


def test_a_bare_fix_counts_if_the_message_goes_on() -> None:
    assert sounds_like_a_fix("Fix bug", "An empty line ended the parser.")


@pytest.mark.parametrize(
    "message",
    [
        "[3.2] Fix crash (#9)",
        "Backport of the crash fix (#9)",
        "Fix crash\n\n(cherry picked from commit 0123456789abcdef)",
    ],
)
def test_marks_what_was_picked_from_elsewhere(message: str) -> None:
    assert read_message(message).backport
