"""From events to a Run: what counts as a pass, and what a forger or a crash cannot make of it."""

from __future__ import annotations

import json
from itertools import chain, permutations
from typing import Any

import pytest

from redgreen.documents import Run
from redgreen.events import outcome_of, read_events, read_run
from redgreen.launch import Raw
from redgreen.sandbox import Finished

T, U = "t.py::test_a", "t.py::test_b"
HOLDS, BREAKS = "t/test_00ff.py::test_holds", "t/test_00ff.py::test_breaks"
START, FINISH, EXIT = {"event": "start"}, {"event": "finish", "status": 0}, {"event": "exit", "status": 0}


def phase(when: str, outcome: str, test: str = T, *, xfail: bool = False) -> dict[str, Any]:
    return {"event": "phase", "id": test, "when": when, "outcome": outcome, "wasxfail": xfail}


def whole(test: str, call: str = "passed") -> list[dict[str, Any]]:
    return [phase("setup", "passed", test), phase("call", call, test), phase("teardown", "passed", test)]


def collected(*tests: str) -> dict[str, Any]:
    return {"event": "collected", "ids": list(tests)}


CANARIES = [{"event": "canary", "ids": [HOLDS, BREAKS]}, *whole(HOLDS), *whole(BREAKS, "failed")]
GOOD = [START, collected(T, HOLDS, BREAKS), *CANARIES, *whole(T), FINISH, EXIT]


def read(events: list[dict[str, Any]], **finished: Any) -> Run:
    content = "".join(f"\n{json.dumps(event)}\n" for event in events).encode()
    return read_raw(content, **finished)


def read_raw(content: bytes, **finished: Any) -> Run:
    end = {"exit_status": 0, "ended": "exited", "stdout": b"", "stderr": b"", "seconds": 0.1, **finished}
    return read_run(Raw(content, Finished(**end)))


def test_a_whole_report_is_complete_and_keeps_the_canaries_to_itself() -> None:
    assert read(GOOD) == Run(ended="finished", exit_status=0, complete=True, canary="right", outcomes={T: "passed"})


@pytest.mark.parametrize(
    ("phases", "outcome"),
    [
        ({"setup": ("passed", False), "call": ("passed", False), "teardown": ("passed", False)}, "passed"),
        ({"call": ("passed", False)}, "passed"),
        ({"call": ("failed", False)}, "failed"),
        ({"call": ("rerun", False)}, "failed"),
        ({"setup": ("failed", False), "teardown": ("passed", False)}, "error"),
        ({"setup": ("passed", False), "call": ("passed", False), "teardown": ("failed", False)}, "error"),
        ({"setup": ("passed", False), "call": ("skipped", False)}, "skipped"),
        ({"setup": ("skipped", False), "teardown": ("passed", False)}, "skipped"),
        ({"setup": ("skipped", True), "teardown": ("passed", False)}, "xfailed"),
        ({"setup": ("passed", False), "call": ("skipped", True)}, "xfailed"),
        ({"setup": ("passed", False), "call": ("passed", True)}, "xpassed"),
        ({"setup": ("passed", False), "call": ("failed", True)}, "failed"),
        ({"setup": ("passed", False), "teardown": ("passed", False)}, None),
        ({"setup": ("passed", False)}, None),
        ({}, None),
    ],
)
def test_only_a_call_that_passed_unexpectedly_by_nobody_is_a_pass(
    phases: dict[str, tuple[str, bool]], outcome: str | None
) -> None:
    assert outcome_of(phases) == outcome


@pytest.mark.parametrize("bad", ["failed", "error"])
def test_a_repeat_of_a_test_cannot_hide_its_failure(bad: str) -> None:
    fails = whole(T, "failed") if bad == "failed" else [phase("setup", "failed")]
    for order in permutations([whole(T), fails, whole(T)]):
        assert read([START, *chain.from_iterable(order), FINISH, EXIT]).outcomes == {T: bad}


def test_phases_without_a_setup_between_them_cannot_hide_a_failure_either() -> None:
    events = [phase("call", "failed"), phase("call", "passed"), phase("call", "passed"), FINISH, EXIT]
    assert read(events).outcomes == {T: "failed"}


def test_a_teardown_that_fails_makes_a_passed_test_an_error() -> None:
    events = [phase("setup", "passed"), phase("call", "passed"), phase("teardown", "failed"), FINISH, EXIT]
    assert read(events).outcomes == {T: "error"}


def test_a_collected_test_that_told_nothing_makes_the_report_incomplete() -> None:
    run = read([START, collected(T, U, HOLDS, BREAKS), *CANARIES, *whole(T), FINISH, EXIT])
    assert run.outcomes == {T: "passed"}
    assert not run.complete
    assert not read([START, collected(T), phase("setup", "passed"), FINISH, EXIT]).complete


@pytest.mark.parametrize(
    ("canaries", "told", "complete"),
    [
        ([], "absent", True),
        (CANARIES, "right", True),
        ([CANARIES[0], *whole(HOLDS), *whole(BREAKS, "passed")], "wrong", False),
        ([CANARIES[0], *whole(HOLDS, "failed"), *whole(BREAKS, "failed")], "wrong", False),
        ([CANARIES[0], *whole(HOLDS)], "wrong", False),
        ([CANARIES[0]], "wrong", False),
        ([{"event": "canary", "ids": [HOLDS]}, *whole(HOLDS)], "wrong", False),
        ([*CANARIES, {"event": "canary", "ids": ["x::holds"]}, *whole("x::holds")], "wrong", False),
        (
            [{"event": "canary", "ids": [HOLDS, "x::test_holds"]}, *whole(HOLDS), *whole("x::test_holds")],
            "wrong",
            False,
        ),
        ([*CANARIES, *whole(BREAKS, "passed")], "right", True),
    ],
    ids=[
        "none",
        "both",
        "all pass",
        "all fail",
        "one silent",
        "both silent",
        "only one",
        "a third",
        "two that hold",
        "repeat",
    ],
)
def test_canaries_tell_a_forged_report(canaries: list[dict[str, Any]], told: str, complete: bool) -> None:
    run = read([START, *canaries, *whole(T), FINISH, EXIT])
    assert (run.canary, run.complete) == (told, complete)


@pytest.mark.parametrize("status", [2, 3, 4, 5, -1, 137])
def test_a_runner_that_was_interrupted_or_found_nothing_is_not_complete(status: int) -> None:
    events = [*GOOD[:-2], {"event": "finish", "status": status}, {"event": "exit", "status": status}]
    assert not read(events).complete
    assert read(events).exit_status == status


@pytest.mark.parametrize(
    ("events", "finished", "ended"),
    [
        (GOOD, {"exit_status": None, "ended": "timeout"}, "timeout"),
        (GOOD, {"exit_status": None, "ended": "out_of_memory"}, "out_of_memory"),
        (GOOD[:-2], {}, "no_report"),
        ([*GOOD[:-2], {"event": "exit", "status": -11}], {}, "crashed"),
        ([*GOOD[:-2], {"event": "exit", "status": 139}], {}, "crashed"),
        ([*GOOD[:-2], {"event": "exit", "status": 0}], {}, "no_report"),
        (GOOD[:-1], {"exit_status": 137}, "finished"),
        ([], {}, "no_report"),
    ],
)
def test_a_run_that_did_not_end_by_itself_says_how_it_ended_and_is_never_complete(
    events: list[dict[str, Any]], finished: dict[str, Any], ended: str
) -> None:
    run = read(events, **finished)
    assert run.ended == ended
    assert not run.complete


def test_a_supervisor_that_was_killed_did_not_write_its_last_word() -> None:
    """Tests may write an exit into the pipe and kill the supervisor before it writes its own."""
    run = read(GOOD, exit_status=137)
    assert run.exit_status is None
    assert not run.complete
    assert not run.exit_agrees


def test_the_supervisor_s_own_exit_is_the_last_word() -> None:
    assert read([*GOOD[:-1], {"event": "exit", "status": 0}, {"event": "exit", "status": 1}]).exit_status == 1


@pytest.mark.parametrize(
    ("outcomes", "errors", "status", "agrees"),
    [
        ({T: "passed"}, (), 0, True),
        ({T: "passed"}, (), 1, False),
        ({T: "failed"}, (), 1, True),
        ({T: "error"}, (), 0, False),
        ({T: "xfailed", U: "skipped"}, (), 0, True),
        ({T: "passed"}, ("x.py",), 1, True),
        ({T: "passed"}, ("x.py",), 0, False),
        ({T: "passed"}, (), None, False),
    ],
)
def test_the_exit_status_has_to_say_what_the_outcomes_say(
    outcomes: dict[str, Any], errors: tuple[str, ...], status: int | None, agrees: bool
) -> None:
    run = Run(ended="finished", exit_status=status, complete=True, collection_errors=errors, outcomes=outcomes)
    assert run.exit_agrees is agrees


def test_files_that_cannot_be_loaded_are_listed_once_and_sorted() -> None:
    broken = [{"event": "broken", "id": name} for name in ("b.py", "a.py", "b.py")]
    assert read([START, *broken, *whole(T), FINISH, EXIT]).collection_errors == ("a.py", "b.py")


def test_text_between_the_events_decides_nothing() -> None:
    content = b'text\n{"half": \n{"event": 7}\n[1]\n{}\nnull\n{"event": "unknown"}\n\xff\xfe\n'
    events = "".join(f"\n{json.dumps(event)}\n" for event in GOOD).encode()
    assert read_raw(content + events + content) == read(GOOD)
    assert [event["event"] for event in read_events(content)] == ["unknown"]


@pytest.mark.parametrize(
    "forged",
    [
        {"event": "finish", "status": "zero"},
        {"event": "finish", "status": None},
        {"event": "finish", "status": True},
        {"event": "finish", "status": 1e400},
        {"event": "finish"},
        {"event": "exit", "status": []},
        {"event": "collected", "ids": 5},
        {"event": "collected", "ids": {"a": 1}},
        {"event": "canary", "ids": "abc"},
        {"event": "phase"},
        {"event": "phase", "id": None, "when": {}, "outcome": 3, "wasxfail": "no"},
        {"event": "broken"},
    ],
)
def test_an_event_of_another_shape_stops_nothing_and_proves_nothing(forged: dict[str, Any]) -> None:
    run = read([*GOOD[:-2], forged])
    assert not run.complete
    assert run.outcomes[T] == "passed"


def test_nesting_without_end_is_no_event() -> None:
    assert list(read_events(b'{"event": ' + b'{"a":' * 200_000)) == []


def test_ids_that_are_no_unicode_stay_apart() -> None:
    first, second = "t[\udcfe]", "t[\udcff]"
    run = read([START, *whole(first, "failed"), *whole(second), FINISH, EXIT])
    assert run.outcomes == {"t[\\udcfe]": "failed", "t[\\udcff]": "passed"}
    assert Run.model_validate_json(run.model_dump_json()) == run
