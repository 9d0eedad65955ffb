"""verify: what holds, what fails, and what only this machine lacks."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from redgreen.contract import write
from redgreen.documents import Failure, Pointer, Score, Task, Verified
from redgreen.errors import UsageError
from redgreen.examples import EXAMPLES
from redgreen.pointers import pointer
from stages.steps import verify
from stages.steps.verify import Answer, choose, compare, report

TASK = cast(Task, EXAMPLES["task"])
A, B, NEW = "tests/test_a.py::test_a", "tests/test_a.py::test_b", "tests/test_a.py::test_new"


def rebuilt(*, passing: tuple[str, ...] = (A, B), flaky: tuple[str, ...] = (), fixed: tuple[str, ...] = (NEW,)) -> Task:
    task = Verified(
        fail_to_pass=fixed, pass_to_pass=passing, flaky=flaky, gold_exit_statuses=(0,), exit_agrees=True, canary="right"
    )
    return TASK.model_copy(update={"task": task})


RECORDED: Pointer = pointer(rebuilt())


def test_the_same_facts_hold() -> None:
    assert compare(RECORDED, rebuilt()) == ([], [])


def test_a_required_test_that_is_flaky_here_is_named_and_all_else_holds() -> None:
    assert compare(RECORDED, rebuilt(passing=(A,), flaky=(B,))) == ([], [B])


def test_a_test_that_was_flaky_and_is_steady_here_contradicts_nothing() -> None:
    recorded = pointer(rebuilt(passing=(A,), flaky=(B,)))
    assert compare(recorded, rebuilt()) == ([], [])


def test_a_required_test_that_fails_here_does_not_hold() -> None:
    faults, _ = compare(RECORDED, rebuilt(passing=(A,)))
    assert faults == ["pass_to_pass in tests/test_a.py: 2 recorded, 1 rebuilt"]


def test_a_flaky_fail_to_pass_test_does_not_hold() -> None:
    faults, _ = compare(RECORDED, rebuilt(fixed=(), flaky=(NEW,)))
    assert any(fault.startswith("fail_to_pass: lost") for fault in faults)


def test_a_rejection_does_not_hold_and_says_why() -> None:
    failure = Failure(stage="accept", reason="not_red", detail="every test passes")
    faults, _ = compare(RECORDED, TASK.model_copy(update={"task": None, "rejection": failure}))
    assert faults == ["rejected: not_red (accept): every test passes"]


def test_named_tasks_are_chosen_instead_of_a_sample_and_an_unknown_one_is_refused_with_the_nearest() -> None:
    known = [f"a__b-{number}" for number in range(30)]
    assert choose(known, ["a__b-7", "a__b-3"], 20, "0") == ["a__b-3", "a__b-7"]
    assert len(choose(known, [], 20, "0")) == 20
    with pytest.raises(UsageError, match="a__b-77: no such task") as raised:
        choose(known, ["a__b-77"], 20, "0")
    assert "a__b-7" in raised.value.hint


def test_the_report_counts_every_word(capsys: pytest.CaptureFixture[str]) -> None:
    report([Answer("a__b-1", "HOLD"), Answer("a__b-2", "SKIP", "no Python 3.9"), Answer("a__b-3", "FAIL", "lock")])
    assert capsys.readouterr().out.splitlines() == [
        "HOLD  a__b-1",
        "SKIP  a__b-2  no Python 3.9",
        "FAIL  a__b-3  lock",
        "1 HOLD, 1 FAIL, 1 SKIP",
    ]


def judged(monkeypatch: pytest.MonkeyPatch, folder: Path, **scores: dict[str, object]) -> tuple[list[str], str | None]:
    """What verify makes of the scores that the stages wrote."""
    write(folder / "accept.json", TASK)
    example = cast(Score, EXAMPLES["score"]).model_copy(update={"id": TASK.id})

    def stage(arguments: list[str], sandbox: str) -> str | None:
        attempt = Path(arguments[-1])
        agent = attempt.name.removesuffix("-1")
        if arguments[0].endswith("score.py"):
            write(attempt / "score.json", example.model_copy(update={"agent": agent, **scores[agent]}))
        return None

    monkeypatch.setattr(verify, "run_stage", stage)
    return verify.judge_gate(folder, "process")


def test_the_human_fix_has_to_be_fixed_and_the_empty_patch_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "set" / "tasks" / TASK.id
    fixed: dict[str, object] = {"status": "ok", "resolved": True, "why": "every required test passed"}
    not_fixed: dict[str, object] = {"status": "ok", "resolved": False, "why": "fail_to_pass: failed"}
    assert judged(monkeypatch, folder, oracle=fixed, empty=not_fixed) == ([], None)
    faults, fault = judged(monkeypatch, folder, oracle=not_fixed, empty=fixed)
    assert fault is None
    assert faults == [
        f"{TASK.id}: oracle is not fixed: fail_to_pass: failed",
        f"{TASK.id}: empty is fixed: every required test passed",
    ]


def test_a_verdict_that_could_not_be_had_is_no_fault_of_the_task(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broke: dict[str, object] = {"status": "infra_error", "resolved": False, "why": "the sandbox broke"}
    assert judged(monkeypatch, tmp_path / "set" / "tasks" / TASK.id, oracle=broke) == ([], "the sandbox broke")
