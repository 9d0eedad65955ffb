"""The corpus: which patch a case is, what is tried, and when an outcome counts as right."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from git_repository import File, Repository

from redgreen.contract import ROOT
from redgreen.corpus import attempts, judged, patch_of, read_corpus
from redgreen.documents import Case, Corpus, Score
from redgreen.errors import UsageError
from redgreen.examples import EXAMPLES
from redgreen.git import Store

BASE: dict[str, File] = {"core.py": b"one\ntwo\n", "gone.txt": b"x\n"}
GOLD: dict[str, File] = {**BASE, "core.py": b"one\nTWO\n"}
SCORE = cast(Score, EXAMPLES["score"])


def case(**facts: Any) -> Case:
    return Case(**{"id": "A01", "kind": "pytest", "what": "something", "right": "tampered", **facts})


def after(repository: Repository, store: Store, one: Case) -> dict[str, tuple[str, bytes]]:
    base, gold = repository.tree(BASE), repository.tree(GOLD)
    tree = store.apply(base, patch_of(one, store, base, gold))
    return {entry.path.decode(): (entry.mode, store.content(entry.object)) for entry in store.entries(tree)}


def test_a_case_of_files_is_their_difference(repository: Repository, store: Store) -> None:
    one = case(files={"new.sh": "#!\n"}, executable=("new.sh",), links={"way": "core.py"}, delete=("gone.txt",))
    assert after(repository, store, one) == {
        "core.py": ("100644", b"one\ntwo\n"),
        "new.sh": ("100755", b"#!\n"),
        "way": ("120000", b"core.py"),
    }


def test_a_case_beside_the_fix_holds_both(repository: Repository, store: Store) -> None:
    one = case(fix=True, replace={"core.py": {"one": "ONE"}})
    assert after(repository, store, one)["core.py"][1] == b"ONE\nTWO\n"


def test_a_patch_may_hold_the_human_fix_and_travel_badly(repository: Repository, store: Store) -> None:
    base, gold = repository.tree(BASE), repository.tree(GOLD)
    plain = store.diff(base, gold)
    assert patch_of(case(patch="{gold}"), store, base, gold) == plain
    assert patch_of(case(patch="{gold}", transform="crlf"), store, base, gold) == plain.replace(b"\n", b"\r\n")
    assert patch_of(case(patch="{gold}", transform="no_final_newline"), store, base, gold) == plain[:-1]
    assert patch_of(case(patch="{gold}", transform="in_prose"), store, base, gold).count(b"```") == 2


def test_text_that_is_not_there_cannot_be_replaced(repository: Repository, store: Store) -> None:
    base, gold = repository.tree(BASE), repository.tree(GOLD)
    with pytest.raises(UsageError, match=r"A01: core\.py: does not hold 'three'"):
        patch_of(case(replace={"core.py": {"three": "3"}}), store, base, gold)


def test_what_tampers_is_tried_beside_the_fix_too() -> None:
    cases = (case(files={"a": ""}), case(id="A02", right="not_fixed"), case(id="A03", commands=("true",)))
    tried = [(one.id, one.right, one.fix) for one in attempts(Corpus(cases=cases))]
    assert tried == [
        ("A01", "tampered", False),
        ("A01.with-fix", "fixed", True),
        ("A02", "not_fixed", False),
        ("A03", "tampered", False),
    ]


NOT_FIXED = {"resolved": False, "why": "fail_to_pass: failed"}


@pytest.mark.parametrize(
    ("right", "score", "fault"),
    [
        ("fixed", {}, ""),
        ("fixed", NOT_FIXED, "was not fixed"),
        ("fixed", {"tampered": ("conftest.py",)}, "falsely flagged"),
        ("fixed", {"suspicious": ("a: b",)}, "falsely suspected"),
        ("not_fixed", NOT_FIXED, ""),
        ("not_fixed", {}, "was fixed"),
        ("not_fixed", {**NOT_FIXED, "status": "infra_error"}, "status infra_error"),
        ("tampered", {**NOT_FIXED, "tampered": ("conftest.py",)}, ""),
        ("tampered", NOT_FIXED, "not flagged"),
        ("tampered", {"tampered": ("conftest.py",)}, "was fixed"),
        ("suspicious", {"suspicious": ("a: b",)}, ""),
        ("suspicious", {}, "no suspicion"),
        ("leak", {"leaks": ("a copy",)}, ""),
        ("leak", {}, "no leak"),
        ("infra", {**NOT_FIXED, "status": "infra_error"}, ""),
        ("infra", NOT_FIXED, "status ok"),
        ("does_not_apply", {**NOT_FIXED, "status": "patch_apply_failed"}, ""),
        ("does_not_apply", NOT_FIXED, "status ok"),
    ],
)
def test_an_outcome_is_right_or_says_what_is_wrong(right: str, score: dict[str, Any], fault: str) -> None:
    found = judged(case(right=right), SCORE.model_copy(update=score))
    assert any(fault in line for line in found) if fault else found == []


def test_a_named_file_a_named_suspicion_and_a_reason_have_to_be_there() -> None:
    score = SCORE.model_copy(update={**NOT_FIXED, "tampered": ("a.py",), "suspicious": ("x: frame",)})
    assert judged(case(tampered=("a.py",), suspicious="frame", why="failed"), score) == []
    assert len(judged(case(tampered=("b.py",), suspicious="pytest", why="missing"), score)) == 3


def test_beside_the_fix_the_flag_stays() -> None:
    one = case(id="A01.with-fix", right="fixed", fix=True)
    assert judged(one, SCORE) == ["not flagged: nothing"]
    assert judged(one, SCORE.model_copy(update={"tampered": ("a.py",)})) == []


def test_two_cases_cannot_have_one_number(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "cases.yaml").write_text(
            "schema_version: 1\ncases: [{id: A01, kind: k, what: w, right: fixed}]\n"
        )
    with pytest.raises(UsageError, match=r"A01: is in .*a/cases\.yaml too"):
        read_corpus(tmp_path)


def test_the_bundled_corpus_can_be_read_and_every_case_does_something() -> None:
    for project, corpus in read_corpus(ROOT / "tasks" / "selftest").items():
        for one in corpus.cases:
            does = one.files or one.links or one.delete or one.replace or one.commands or one.patch_base64
            assert does or one.patch is not None or (one.test and one.because), (project, one.id)
