"""What an agent may read of a fix."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redgreen.statement import NOTHING, cleanse, leaks

ID = "0123456789abcdef0123456789abcdef01234567"
PULL = "https://github.com/a/b/pull/12"


def body(text: str) -> str:
    return cleanse("Title", text).removeprefix("Title\n").strip("\n")


def test_title_and_body_stand_apart_and_end_with_a_newline() -> None:
    assert (
        cleanse(" Say hello ", "\r\nIt says nothing.  \r\n\r\n\r\n\r\nAt all.\r")
        == "Say hello\n\nIt says nothing.\n\nAt all.\n"
    )


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        (f"See {PULL} for more.", "See [link] for more."),
        (f"See {PULL}/files#diff-1.", ""),
        (f"Look at [the talk]({PULL}#issuecomment-1) here.", "Look at the talk here."),
        (f"<{PULL}>", ""),
        ("Broken since https://git.example/a/b/-/commit/abc1234.", "Broken since [link]."),
        ("Compare https://github.com/a/b/compare/v1...v2 with it", "Compare [link] with it"),
        ("Apply https://git.example/a/b/pull/3.patch now", "Apply [link] now"),
        (f"Text.\n\n[1]: {PULL}", "Text."),
        ("Text.\n\nFixes #3", "Text."),
        ("Text.\n- Closes: #3, #4 and a/b#5.\n", "Text."),
        ("Text. This fixes #3.", "Text."),
        ("Text - closes https://github.com/a/b/issues/3", "Text"),
        ("Text (fixes #3), and more.", "Text, and more."),
        ("Fixes #3: the text", "the text"),
        ("One of them (#34)\nTwo (#35).", "One of them\nTwo."),
        ("Merge pull request #3 from a/b\n\nText", "Text"),
        ("Text\n\nSee merge request a/b!3", "Text"),
    ],
)
def test_links_to_the_fix_go(raw: str, clean: str) -> None:
    assert body(raw) == clean


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        (f"Broken by {ID}", "Broken by [commit]"),
        (f"https://github.com/a/b/blob/{ID}/src/x.py#L3", "https://github.com/a/b/blob/[commit]/src/x.py#L3"),
        ("Broken since 1a2b3c4, not before", "Broken since [commit], not before"),
        ("Broken since `1a2b3c4d`", "Broken since `[commit]`"),
        ("Broken in commit deadbee and commit 1234567", "Broken in commit [commit] and commit [commit]"),
        ("Between 1a2b3c4..5d6e7f8 it broke", "Between [commit] it broke"),
        (f"```\ngit show {ID}\n```", "```\ngit show [commit]\n```"),
    ],
)
def test_commit_ids_go(raw: str, clean: str) -> None:
    assert body(raw) == clean


@pytest.mark.parametrize(
    "text",
    [
        "The colour #1a2b3c4d is lost, and so is #ffffff",
        "id 123e4567-e89b-12d3-a456-426614174000 is refused",
        "md5 is d41d8cd98f00b204e9800998ecf8427e",
        "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "at 0x7f3a9c1b2d4e in the heap",
        "1e10000 overflows, so does 12345678 and 0b1010101",
        "defaced and effaced facades",
        "version 1.2.3a4567890",
        "```\nx = '1a2b3c4d'\n```",
        "    digest = 1a2b3c4d",
        "As told in #34 and https://github.com/a/b/issues/3",
        "It prefixes #34 with a zero",
        "a | b\n--- | ---\n- one\n+ two",
        "rename from here to there fails",
        "```html\n<!-- kept -->\n```",
        "It prints `<!--` and ```` ``` ````",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert cleanse("Title", text) == f"Title\n\n{text}\n"


DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n\n"


@pytest.mark.parametrize(
    "diff",
    [
        f"```diff\n{DIFF}```",
        f"~~~ patch\n{DIFF}~~~",
        "```suggestion\nreturn TWO\n```",
        "```diff\n+TWO",
        DIFF,
        f"diff --git a/x.py b/x.py\nindex 012345..6789ab 100644\n{DIFF}",
        "".join(f"    {line}\n" for line in DIFF.split("\n")),
        "".join(f"> {line}\n" for line in DIFF.split("\n")),
        f"```\n{DIFF}```",
        "@@ -1 +1 @@ def f():\n-two\n+TWO\n\\ No newline at end of file",
        f"git apply <<'EOF'\n{DIFF}EOF",
        f"```sh\ngit apply - << EOF\n{DIFF}EOF\n```",
        "*** Begin Patch\n*** Update File: x.py\n-two\n+TWO\n*** End Patch",
        "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y",
    ],
)
def test_diffs_go_and_the_text_around_them_stays(diff: str) -> None:
    clean = body(f"Before.\n\n{diff}\n\nAfter.")
    closed = diff != "```diff\n+TWO"
    assert clean.replace(">", "").split() == ["Before.", "After."][: 1 + closed]


def test_a_script_that_shows_a_diff_keeps_its_other_lines() -> None:
    assert body(f"```console\n$ git diff\n{DIFF}$ ls\n```") == "```console\n$ git diff\n$ ls\n```"


@pytest.mark.parametrize(
    "noise",
    [
        "Signed-off-by: A <a@example.org>\nCo-authored-by: B <b@example.org>\nReviewed-by: C",
        "Change-Id: I0123456789",
        f"(cherry picked from commit {ID})",
        "<!-- Thank you!\n\nTell us more. -->",
        "<!-- never closed",
        "- [ ] I have read the rules\n- [x] Tests added",
        "![shot](https://host.example/1.png)\n<img src='x' width=3>",
        "https://github.com/user-attachments/assets/1",
        "### Screenshots\n\n_No response_\n\n### Checklist\n\n- [x] done",
        "On Monday, bot wrote:\n> Hello\n>\n> You are welcome",
        "## Summary by SomeBot\n\nReturn two instead of one.\n\n### Details\n\nIt does.",
        "@dependabot rebase\nReply to this email directly, or else\nGenerated with [SomeTool](https://host.example)",
        "---------\n\nCo-authored-by: B <b@example.org>",
    ],
)
def test_what_says_nothing_goes(noise: str) -> None:
    assert body(f"Text.\n\n{noise}") == "Text."


def test_a_heading_above_code_stays() -> None:
    text = "## Steps\n\n```python\n## not a heading\n```\n\n## Result\n\n### Seen\n\nNothing"
    assert body(text) == text


def test_the_fix_s_own_number_goes_and_others_stay() -> None:
    assert (
        cleanse("Say hello (#12)", "PR #12 does what #3 asks, as #123 did")
        == "Say hello\n\n[link] does what #3 asks, as #123 did\n"
    )
    assert cleanse("Say hello", "As #12 did", pull=12) == "Say hello\n\nAs [link] did\n"


def test_a_title_said_twice_is_said_once() -> None:
    assert cleanse("Say hello (#12)", "* Say hello\n\nLoudly.") == "Say hello\n\nLoudly.\n"


def test_a_title_that_was_cut_is_joined_again() -> None:
    assert cleanse("Say hel… (#12)", "…lo to all\n\nLoudly.") == "Say hello to all\n\nLoudly.\n"


@pytest.mark.parametrize(
    ("title", "text", "clean"),
    [
        ("Fixes #3", "", "Fixes #3\n"),
        (f"Fixes {PULL}", "Closes #3", "Fixes [link]\n"),
        ("", "", NOTHING + "\n"),
        ("@@ -1 +1 @@", "", NOTHING + "\n"),
        (ID, "", "[commit]\n"),
    ],
)
def test_never_empty(title: str, text: str, clean: str) -> None:
    assert cleanse(title, text) == clean


def test_long_hostile_text_does_not_take_long() -> None:
    began = time.monotonic()
    for piece in (
        "https://",
        "![",
        "<img ",
        " ",
        "(fixes ",
        "```\n",
        "<!--",
        "@@ -1 +1 @@\n",
        "# \n",
        "[link] ",
        "On ",
    ):
        assert cleanse("Title", piece * (60_000 // len(piece))).startswith("Title")
    assert time.monotonic() - began < 30


PIECES = st.sampled_from(
    [
        ID,
        ID[:7],
        PULL,
        "Fixes #3",
        "#",
        "```",
        "~~~",
        "```diff",
        "<!--",
        "-->",
        "@@ -1 +1 @@",
        "--- a\n",
        "+++ b\n",
        "diff --git a b",
        "(#12)",
        "[",
        "](",
        ")",
        "!",
        "## x",
        "\n",
        "\n\n",
        "\r",
        " ",
        "    ",
        "> ",
        "- ",
        "[link]",
        "[commit]",
        "…",
        "\0",
        "see",
        ".",
        "On x wrote:",
        "- [ ] x",
        "<img>",
        "git apply <<EOF\n",
        "EOF\n",
        "*** Begin Patch",
        "---",
        "_No response_",
        "a",
        "1",
        "Cc: @",
    ]
)
TEXTS = st.one_of(st.text(), st.lists(st.one_of(PIECES, st.text(max_size=3)), max_size=25).map("".join))
HEADER = re.compile(
    r"^[ \t>|]*(?:diff --git |@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|--- \S.*\n[ \t>|]*\+\+\+ \S)", re.MULTILINE
)
FULL_ID = re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{40}(?![0-9a-fA-F])")


@given(TEXTS, TEXTS, st.one_of(st.none(), st.just(12)))
def test_any_text_is_cleansed_once_and_for_all(title: str, text: str, pull: int | None) -> None:
    clean = cleanse(title, text, pull=pull)
    assert cleanse("", clean, pull=pull) == clean
    first, gap, rest = clean.partition("\n\n")
    if gap and "\n" not in first:
        assert cleanse(first, rest, pull=pull) == clean
    assert clean.strip()
    assert not FULL_ID.search(clean)
    assert not HEADER.search(clean)
    assert not re.search(r"[ \t]\n|\r|\0", clean)


@given(TEXTS, st.lists(TEXTS))
def test_any_text_can_be_searched_for_leaks(text: str, lines: list[str]) -> None:
    assert set(leaks(text, lines)) <= {line.strip() for line in lines}


def test_a_quoted_line_of_the_fix_is_a_leak() -> None:
    statement = "Use\n\n    return  value if value is not None else 0\n\ninstead. import collections.abc as abc"
    added = [
        "\treturn value if value is not None else 0",
        "import collections.abc as abc",
        "x = 1",
        "}" * 30,
        "not in there, really not",
    ]
    assert leaks(statement, added) == ("return value if value is not None else 0",)
