"""What stages/accept.py does."""

import time

from redgreen.contract import made_by, write
from redgreen.documents import Candidate, Environment, Failure, Report, Task, Verified, Workspace
from redgreen.errors import Rejected
from redgreen.gate import decide
from redgreen.inputs import load_of
from redgreen.places import TaskPlace
from redgreen.stage import say

INPUTS = ("candidate", "workspace", "environment", "red", "green")


def accept(red: Report, green: Report, earlier: Failure | None) -> Verified | Failure:
    failure = earlier or red.failure or green.failure
    if failure:
        return failure
    try:
        runs = red.runs.get("base", ()), red.runs.get("red", ()), green.runs.get("green", ())
        return aligned(decide(*runs, frozenset(red.changed_tests)), green)
    except Rejected as refused:
        return Failure(stage="accept", reason=refused.reason, detail=str(refused))


def aligned(task: Verified, green: Report) -> Verified:
    """The task, with what the fix's own tests show of the fix's own lines.

    Raises:
        Rejected: none of them runs a line that the fix changes: they fail and pass for another reason.
    """
    if green.untouched is None:
        return task.model_copy(update={"leaks": green.leaks})
    untouched = tuple(test for test in task.fail_to_pass if test in set(green.untouched))
    if len(untouched) == len(task.fail_to_pass):
        raise Rejected("misaligned", "no fail_to_pass test runs a line that the fix changes")
    return task.model_copy(update={"untouched": untouched, "leaks": green.leaks})


def perform(place: TaskPlace, sandbox: str) -> None:
    started = time.monotonic()
    paths = {name: place.document(name) for name in INPUTS}
    candidate = load_of(place, "candidate", Candidate)
    workspace = load_of(place, "workspace", Workspace)
    environment = load_of(place, "environment", Environment)
    red, green = load_of(place, "red", Report), load_of(place, "green", Report)
    result = accept(red, green, workspace.failure or environment.failure)
    task = result if isinstance(result, Verified) else None
    rejection = result if isinstance(result, Failure) else None
    write(
        place.document("accept"),
        Task(
            id=place.id,
            made_by=made_by("accept", paths.values()),
            candidate=candidate.facts,
            workspace=workspace.facts,
            environment=environment.facts,
            lock=environment.lock,
            task=task,
            rejection=rejection,
        ),
    )
    say("accept", place.id, _told(result), started)


def _told(result: Verified | Failure) -> str:
    if isinstance(result, Failure):
        return f"rejected: {result.reason}: {result.detail}"
    counts = {name: len(getattr(result, name)) for name in ("fail_to_pass", "pass_to_pass", "flaky")}
    return "accepted: " + ", ".join(f"{count} {name}" for name, count in counts.items())
