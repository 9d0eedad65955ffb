"""verify: what holds, what fails, and what only this machine lacks."""

from __future__ import annotations

from typing import cast

import pytest

from redgreen.documents import Failure, Pointer, Task, Verified
from redgreen.examples import EXAMPLES
from redgreen.pointers import pointer
from stages.steps.verify import Answer, compare, report

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


def test_the_report_counts_every_word(capsys: pytest.CaptureFixture[str]) -> None:
    report([Answer("a__b-1", "HOLD"), Answer("a__b-2", "SKIP", "no Python 3.9"), Answer("a__b-3", "FAIL", "lock")])
    assert capsys.readouterr().out.splitlines() == [
        "HOLD  a__b-1",
        "SKIP  a__b-2  no Python 3.9",
        "FAIL  a__b-3  lock",
        "1 HOLD, 1 FAIL, 1 SKIP",
    ]
