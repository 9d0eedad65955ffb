"""What stages/score.py does."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import adapters
from redgreen.calibration import settle
from redgreen.contract import load, made_by, write, write_bytes
from redgreen.documents import Attempt, Run, Score, Task
from redgreen.errors import InfrastructureError, Rejected, UsageError
from redgreen.faults import excluded
from redgreen.git import GitError, Store
from redgreen.inputs import hold_id, load_of, need_folder, read_part
from redgreen.places import TaskPlace, attempt_task
from redgreen.sandbox import Sandbox
from redgreen.stage import say
from redgreen.trials import Suite, delta_between
from redgreen.verdict import Applied, judge, scored_tree, told

TRIES = 3


def run_tests(
    task: Task, place: TaskPlace, applied: Applied, store: Store, sandbox: Sandbox, scratch: Path
) -> tuple[Run, float]:
    """The suite on the scored tree: the first of the gate's runs, seeds and all.

    Raises:
        InfrastructureError: the sandbox broke each time, or the suite does, whatever the patch.
    """
    assert task.workspace and task.environment and task.task
    language = adapters.language(task.candidate.language)
    suite = Suite(place, language, task.environment, task.candidate, sandbox, logs=scratch / "logs")
    base, fix, verified = task.workspace.base_tree, task.workspace.fix_tree, task.task
    spent = []

    def run(tree: str, kind: str, number: int = 0, memory: int = 1) -> Run:
        with delta_between(store, base, tree, scratch) as delta:
            told, seconds = steadily(lambda: suite.run(delta, kind, number, memory=memory))
        spent.append(seconds)
        return told

    settled = settle(
        run(applied.tree, "score"),
        verified,
        again=lambda memory: run(applied.tree, "score", 1, memory),
        gold=lambda: run(fix, "gold"),
    )
    return settled, sum(spent)


def steadily(run: Callable[[], tuple[Run, float]]) -> tuple[Run, float]:
    """Run, and try again a few times where the sandbox itself breaks."""
    for number in range(TRIES - 1):
        try:
            return run()
        except InfrastructureError:
            time.sleep(1 + number)
    return run()


def score(
    task: Task, attempt: Attempt, patch: bytes, place: TaskPlace, folder: Path, sandbox: Sandbox
) -> tuple[Score, float]:
    """The score and the seconds that the suite took."""
    assert task.workspace and task.task
    facts = task.candidate
    inputs = [place.document("accept"), folder / "attempt.json"]
    common = {
        "id": task.id,
        "made_by": made_by("score", inputs, sandbox),
        "agent": attempt.agent,
        "model": attempt.model,
        "attempt": attempt.attempt,
        "pass_to_pass_count": len(task.task.pass_to_pass),
        "leaks": task.task.leaks,
    }
    nothing = dict.fromkeys(task.task.fail_to_pass, "missing")
    if why := excluded(attempt):
        return Score(
            **common, status="infra_error", resolved=False, why=why, applied="empty", fail_to_pass=nothing
        ), 0.0
    mirror = adapters.mirror(place.out, facts.repo, facts.url, facts.base_commit, facts.fix_commit)
    store = Store(mirror, folder / "objects")
    language = adapters.language(facts.language)
    try:
        applied = scored_tree(store, task.workspace.base_tree, task.workspace.fix_tree, patch, language)
    except GitError as refused:
        why = f"the patch does not apply: {refused}"
        return Score(
            **common, status="patch_apply_failed", resolved=False, why=why, applied="failed", fail_to_pass=nothing
        ), 0.0
    marks: dict[str, Any] = {"applied": applied.how, "tampered": applied.tampered, "suspicious": applied.suspicious}
    try:
        run, seconds = run_tests(task, place, applied, store, sandbox, folder)
    except Rejected as refused:
        marks["applied"], why = "failed", f"the patch is refused: {refused}"
        return Score(**common, **marks, status="patch_apply_failed", resolved=False, why=why, fail_to_pass=nothing), 0.0
    except InfrastructureError as broke:
        return Score(**common, **marks, status="infra_error", resolved=False, why=str(broke), fail_to_pass=nothing), 0.0
    verdict = judge(run, task.task)
    return (
        Score(
            **common,
            **marks,
            status=verdict.status,
            resolved=verdict.resolved,
            why=verdict.why,
            fail_to_pass=told(run, task.task.fail_to_pass),
            pass_to_pass_missed=verdict.pass_to_pass_missed,
            run=run.model_copy(update={"outcomes": _required(run, task)}),
        ),
        seconds,
    )


def _required(run: Run, task: Task) -> dict[str, object]:
    """Of all outcomes, those that the task asks for: the rest decides nothing and would fill the disk."""
    assert task.task
    wanted = {*task.task.fail_to_pass}
    return {test: outcome for test, outcome in run.outcomes.items() if test in wanted}


def perform(folder: Path, sandbox: str) -> None:
    started = time.monotonic()
    place = attempt_task(folder)
    task = load_of(place, "accept", Task)
    attempt = hold_id(load(folder / "attempt.json", Attempt), folder / "attempt.json", place)
    if task.task is None:
        raise UsageError(f"{task.id}: was rejected, there is nothing to score", "see accept.json for the reason")
    patch = read_part(folder / "patch.diff", attempt.patch, "attempt.json")
    need_folder(place.box, "install")
    box = adapters.sandbox(sandbox, task.candidate.language, place.out)
    result, seconds = score(task, attempt, patch, place, folder, box)
    write_bytes(folder / "score.times.json", (json.dumps({"tests": round(seconds, 3)}) + "\n").encode())
    write(folder / "score.json", result)
    verdict = "fixed" if result.resolved else f"not fixed: {result.why}"
    say("score", f"{task.id}/{folder.name}", f"{result.status}, {verdict}", started)
