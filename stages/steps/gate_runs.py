"""What red and green share: load what a run needs, run, and write a report or pass a failure on."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Literal

import adapters
from redgreen.changed_tests import changed_tests, taken_along
from redgreen.contract import made_by, write
from redgreen.documents import Failure, Report, Run, WorkspaceFacts
from redgreen.git import Store
from redgreen.inputs import candidate_facts, environment, need_folder, workspace, write_times
from redgreen.language import Traces
from redgreen.leaks import changed_files, find_leaks, source_changes
from redgreen.places import TaskPlace
from redgreen.sandbox import Sandbox
from redgreen.stage import say
from redgreen.trials import Suite, delta_between, run_thrice

Kind = Literal["base", "red", "green"]
INPUTS = ("candidate", "workspace", "environment")


def tree_of(kind: Kind, facts: WorkspaceFacts) -> str:
    return {"base": facts.base_tree, "red": facts.tests_tree, "green": facts.fix_tree}[kind]


def open_suite(place: TaskPlace, sandbox: str) -> tuple[Suite, Store, WorkspaceFacts] | Failure:
    """Everything that runs of a task need, or the failure of an earlier stage."""
    workspace_facts, failure = workspace(place)
    environment_facts, later_failure = environment(place)
    if failure or later_failure or workspace_facts is None or environment_facts is None:
        return (
            failure or later_failure or Failure(stage="install", reason="unsupported", detail="nothing was installed")
        )
    need_folder(place.box, "install")
    facts = candidate_facts(place)
    mirror = adapters.mirror(place.out, facts.repo, facts.url, facts.base_commit, facts.fix_commit)
    opened = adapters.sandbox(sandbox, facts.language, place.out)
    suite = Suite(place, adapters.language(facts.language), environment_facts, facts, opened)
    return suite, Store(mirror, place.objects), workspace_facts


def run_stage(stage: Literal["red", "green"], kinds: tuple[Kind, ...], place: TaskPlace, sandbox: str) -> None:
    """Run every kind three times and write `<stage>.json`."""
    started = time.monotonic()
    inputs = [place.document(name) for name in INPUTS]
    opened = open_suite(place, sandbox)
    runs: Mapping[Kind, tuple[Run, ...]] = {}
    told: dict[str, object] = {}
    used: Sandbox | None = None
    if not isinstance(opened, Failure):
        suite, store, facts = opened
        used = suite.sandbox
        results = {kind: run_thrice(suite, store, facts.base_tree, tree_of(kind, facts), kind) for kind in kinds}
        runs = {kind: result[0] for kind, result in results.items()}
        if stage == "red":
            changes = store.changes(facts.base_tree, facts.tests_tree)
            told["changed_tests"] = changed_tests(store, changes, taken_along(runs["base"], runs["red"]))
        else:
            told |= look_closer(suite, store, facts, runs["green"])
        write_times(place, stage, {kind: result[1] for kind, result in results.items()})
    failure = opened if isinstance(opened, Failure) else None
    write(
        place.document(stage),
        Report.model_validate(
            {"id": place.id, "made_by": made_by(stage, inputs, used), "runs": dict(runs), "failure": failure, **told}
        ),
    )
    say(stage, place.id, _told(runs) if runs else "passed on", started)


def look_closer(suite: Suite, store: Store, facts: WorkspaceFacts, green: Sequence[Run]) -> dict[str, object]:
    """What else only the fixed tree and the installed box can tell: which tests run the fix, and where it leaks."""
    sources = source_changes(store, facts.base_tree, facts.fix_tree, suite.language.decides_tests)
    statement = (suite.place.folder / "statement.md").read_text(encoding="utf-8")
    told: dict[str, object] = {"leaks": find_leaks(store, sources, statement, suite.place.box)}
    if isinstance(suite.language, Traces) and all(run.complete for run in green):
        changed = changed_files(store, sources)
        # only tests that the fix itself changes can be aimed at it: to trace whole files would cost a run more
        ran = sorted({test for run in green for test in run.outcomes})
        tests = changed_tests(store, store.changes(facts.base_tree, facts.tests_tree), ran)
        with delta_between(store, facts.base_tree, facts.fix_tree, suite.place.bulk) as delta:
            trial = suite.trial(delta, suite.place.bulk / "logs" / "touched.log")
            told["untouched"] = suite.language.untouched(suite.environment, trial, changed, tests, suite.sandbox)
    return told


def _told(runs: Mapping[Kind, tuple[Run, ...]]) -> str:
    """Such as `base 147 passed; red 2 failed, 145 passed`, from the first run of each kind."""
    parts = []
    for kind, (run, *_) in runs.items():
        counts: dict[str, int] = {}
        for outcome in run.outcomes.values():
            counts[outcome] = counts.get(outcome, 0) + 1
        told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())) or run.ended
        parts.append(f"{kind} {told}")
    return "; ".join(parts)
