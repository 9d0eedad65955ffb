"""Whose fault a broken suite is: which runs are tried again, and when the human fix has to speak."""

from __future__ import annotations

from typing import Any

import pytest

from redgreen.calibration import settle
from redgreen.documents import Run, Verified
from redgreen.errors import InfrastructureError

TASK = Verified(fail_to_pass=("a",), pass_to_pass=("b",), gold_exit_statuses=(0,), exit_agrees=True, canary="right")


def run(**changes: Any) -> Run:
    facts: dict[str, Any] = {"ended": "finished", "exit_status": 0, "complete": True, "canary": "right"}
    return Run(**{**facts, "outcomes": {"a": "passed", "b": "passed"}, **changes})


GOOD = run()
FAILS = run(exit_status=1, outcomes={"a": "failed", "b": "passed"})
CRASHED = run(ended="crashed", exit_status=-11, complete=False, outcomes={})
HUNG = run(ended="timeout", exit_status=None, complete=False, outcomes={})
STARVED = run(ended="out_of_memory", exit_status=None, complete=False, outcomes={})
MUTE = run(ended="no_report", exit_status=4, complete=False, canary="absent", outcomes={})
LATE = run(exit_status=1)
UNLOADED = run(exit_status=1, canary="absent", collection_errors=("tests",), outcomes={})


class Machine:
    """Answers with runs that were prepared, and counts what was asked for."""

    def __init__(self, *again: Run, gold: Run = GOOD) -> None:
        self.runs, self.gold_run, self.asked = list(again), gold, list[str]()

    def again(self, memory: int) -> Run:
        self.asked.append(f"again {memory}")
        return self.runs.pop(0)

    def gold(self) -> Run:
        self.asked.append("gold")
        return self.gold_run

    def settle(self, first: Run) -> Run:
        return settle(first, TASK, self.again, self.gold)


@pytest.mark.parametrize("first", [GOOD, FAILS, UNLOADED])
def test_where_tests_decide_nothing_is_run_again(first: Run) -> None:
    machine = Machine()
    assert machine.settle(first) is first
    assert machine.asked == []


@pytest.mark.parametrize("first", [CRASHED, MUTE, LATE])
def test_what_broke_once_is_decided_by_the_second_run(first: Run) -> None:
    machine = Machine(GOOD)
    assert machine.settle(first) is GOOD
    assert machine.asked == ["again 1"]


@pytest.mark.parametrize("first", [CRASHED, MUTE, LATE])
def test_what_breaks_twice_is_the_patch_s_if_the_human_fix_passes(first: Run) -> None:
    machine = Machine(first)
    assert machine.settle(first) is first
    assert machine.asked == ["again 1", "gold"]


@pytest.mark.parametrize("gold", [CRASHED, HUNG, FAILS, MUTE])
def test_what_breaks_with_the_human_fix_as_well_is_ours(gold: Run) -> None:
    with pytest.raises(InfrastructureError, match="with the human fix as well"):
        Machine(CRASHED, gold=gold).settle(CRASHED)


def test_a_suite_that_runs_out_of_memory_gets_twice_as_much() -> None:
    machine = Machine(GOOD)
    assert machine.settle(STARVED) is GOOD
    assert machine.asked == ["again 2"]


def test_a_time_limit_is_not_tried_again_but_the_human_fix_has_to_keep_it() -> None:
    machine = Machine()
    assert machine.settle(HUNG) is HUNG
    assert machine.asked == ["gold"]
    with pytest.raises(InfrastructureError, match="timeout"):
        Machine(gold=HUNG).settle(HUNG)
