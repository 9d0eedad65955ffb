"""From a test runner's events to a Run: the one reading of what happened, for every language that reports phases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

from redgreen.documents import Outcome, Run
from redgreen.launch import Raw

WORST_LAST: tuple[Outcome, ...] = ("skipped", "xfailed", "xpassed", "passed", "failed", "error")


def read_events(content: bytes) -> Iterator[dict[str, Any]]:
    """The lines that are events. Half a line, or text of a test that found the pipe, is none."""
    for line in content.split(b"\n"):
        if line.startswith(b"{"):
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(event, dict) and isinstance(event.get("event"), str):
                yield event


def outcome_of(phases: dict[str, tuple[str, bool]]) -> Outcome | None:
    """A test's outcome from its phases, `when -> (outcome, was expected to fail)`. Only a call that passed is a pass.

    None: no phase tells (a test that was set up and never called).
    """
    setup, call, teardown = (phases.get(when) for when in ("setup", "call", "teardown"))
    if (setup and setup[0] == "failed") or (teardown and teardown[0] == "failed"):
        return "error"
    if call is None:
        if setup and setup[0] == "skipped":
            return "xfailed" if setup[1] else "skipped"
        return None
    result, expected_to_fail = call
    if result == "skipped":
        return "xfailed" if expected_to_fail else "skipped"
    if result == "passed":
        return "xpassed" if expected_to_fail else "passed"
    return "failed"


class _Suite:
    """Gathers events. A test that is reported twice keeps its worst outcome: a repeat cannot hide a failure."""

    def __init__(self) -> None:
        self.collected: set[str] = set()
        self.broken: set[str] = set()
        self.canaries: set[str] = set()
        self.phases: dict[str, dict[str, tuple[str, bool]]] = {}
        self.outcomes: dict[str, Outcome] = {}
        self.finish: int | None = None
        self.exit: int | None = None

    def add(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "collected":
            self.collected.update(_ids(event.get("ids")))
        elif kind == "broken":
            self.broken.add(_id(event.get("id", "")))
        elif kind == "canary":
            self.canaries.update(_ids(event.get("ids")))
        elif kind == "phase":
            test, when, outcome = (_id(event.get(name)) for name in ("id", "when", "outcome"))
            self._phase(test, when, outcome, bool(event.get("wasxfail")))
        elif kind == "finish":
            self.finish = _status(event.get("status"))
        elif kind == "exit":
            self.exit = _status(event.get("status"))

    def _phase(self, test: str, when: str, outcome: str, expected_to_fail: bool) -> None:
        phases = self.phases.setdefault(test, {})
        if when in phases and when != "teardown":  # the test starts a second time
            phases.clear()
        phases[when] = (outcome, expected_to_fail)
        now = outcome_of(phases)
        if now is not None:
            before = self.outcomes.get(test, now)
            self.outcomes[test] = max(before, now, key=WORST_LAST.index)

    def canary(self) -> Literal["right", "wrong", "absent"]:
        """One pair, or one in each process of a suite that runs in several."""
        if not self.canaries:
            return "absent"
        told = sorted((name.rpartition("_")[2], str(self.outcomes.get(name))) for name in self.canaries)
        pairs = len(told) // 2
        return "right" if told == [*[("breaks", "failed")] * pairs, *[("holds", "passed")] * pairs] else "wrong"


def _id(value: object) -> str:
    """Text that every file takes: what is no Unicode is written out, so that two ids never become one."""
    return str(value).encode("utf-8", "backslashreplace").decode()


def _ids(values: object) -> list[str]:
    return [_id(value) for value in values] if isinstance(values, list) else []


def _status(value: object) -> int:
    """Events may be forged by the tests: what is no status must not become one, nor stop us."""
    return value if isinstance(value, int) and not isinstance(value, bool) else -1


def read_run(raw: Raw) -> Run:
    """What one run of a suite showed."""
    suite = _Suite()
    for event in read_events(raw.events):
        suite.add(event)
    canary = suite.canary()
    # the supervisor itself ends with 0: one that was killed did not write what stands there as its last word
    exit_status = suite.exit if raw.finished.exit_status == 0 else None
    outcomes = {test: outcome for test, outcome in suite.outcomes.items() if test not in suite.canaries}
    silent = suite.collected - set(suite.outcomes)
    return Run(
        ended=_ended(raw, suite),
        exit_status=exit_status,
        complete=suite.finish in (0, 1) and exit_status is not None and not silent and canary != "wrong",
        canary=canary,
        collection_errors=tuple(sorted(suite.broken)),
        outcomes=outcomes,
    )


def _ended(raw: Raw, suite: _Suite) -> Literal["finished", "timeout", "crashed", "no_report", "out_of_memory"]:
    if raw.finished.ended in ("timeout", "out_of_memory"):
        return "timeout" if raw.finished.ended == "timeout" else "out_of_memory"
    if suite.finish is not None:
        return "finished"
    if suite.exit is not None and (suite.exit < 0 or suite.exit > 128):
        return "crashed"
    return "no_report"
