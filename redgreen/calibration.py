"""Whose fault it was that a suite broke: the patch's, or ours.

A test that fails is the patch's. A suite that crashes, hangs, needs too much memory or does not report to its end may
be either: it is run once more, and if it breaks again, the human fix has to show that the suite still works here.
"""

from __future__ import annotations

from collections.abc import Callable

from redgreen.documents import Run, Verified
from redgreen.errors import InfrastructureError
from redgreen.verdict import judge


def broke(run: Run, task: Verified) -> str:
    """How a run broke, in words; empty if its tests decide."""
    if run.ended != "finished":
        return run.ended.replace("_", " ")
    unloaded = run.canary == "absent" and bool(run.collection_errors)  # what holds them does not compile: that is plain
    if run.canary == "wrong" or (run.canary != task.canary and not unloaded):
        return "a canary came out wrong"
    if not run.complete:
        return "the report is incomplete"
    if run.exit_agrees != task.exit_agrees:
        return f"the exit status {run.exit_status} does not agree with the report"
    return ""


def settle(first: Run, task: Verified, again: Callable[[int], Run], gold: Callable[[], Run]) -> Run:
    """The run that the verdict is about. `again` runs the patch with so many times the memory, `gold` the human fix.

    A time limit is not tried again: that would only cost the same time once more.

    Raises:
        InfrastructureError: the human fix breaks now as well, so that the patch is not to blame.
    """
    if not broke(first, task):
        return first
    run = first
    if first.ended != "timeout":
        run = again(2 if first.ended == "out_of_memory" else 1)
        if not broke(run, task):
            return run
    verdict = judge(gold(), task)
    if not verdict.resolved:
        raise InfrastructureError(
            f"the suite broke ({broke(run, task)}), and does so with the human fix as well: {verdict.why}",
            "score it again where the human fix passes",
        )
    return run
