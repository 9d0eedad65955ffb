"""What stages/collect.py does."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import adapters
from redgreen.contract import load, load_lines, load_yaml, write_if_changed, write_lines
from redgreen.documents import RunSpec, Task
from redgreen.errors import UsageError
from redgreen.sample import sampled

DECIDES: dict[str, bool | set[str]] = {
    "budgets": {"attempt"},
    "temperature": True,
    "seed": True,
    "reply_tokens": True,
}
"""What an attempt depends on, besides its agent: more money for the whole run makes no attempt anew."""


def gather(folder: Path, ids: tuple[str, ...]) -> tuple[list[Task], list[Task]]:
    """(accepted, rejected), by id."""
    tasks = [load(folder / "tasks" / name / "accept.json", Task) for name in sorted(ids)]
    return [task for task in tasks if task.task], [task for task in tasks if not task.task]


def attempts(tasks: list[Task], spec: RunSpec) -> list[str]:
    """`<id>/<agent>-<n>` of each attempt: all agents on one task before the next task.

    Raises:
        UsageError: the specification names a task that was not accepted.
    """
    accepted = {task.id for task in tasks}
    if missing := sorted(set(spec.tasks) - accepted):
        raise UsageError(f"tasks: {missing[0]}: no accepted task of this set", "see tasks.jsonl and rejected.jsonl")
    chosen = sampled(spec.tasks or accepted, spec.sample, spec.sample_seed)
    return [
        f"{task.id}/{agent.name}-{number}"
        for task in tasks
        if task.id in chosen
        for number in range(1, spec.repeats + 1)
        for agent in spec.agents
    ]


def perform(folder: Path, ids: tuple[str, ...], spec: Path | None, to: Path | None) -> None:
    if spec and to:
        run = load_yaml(spec, RunSpec)
        for agent in run.agents:
            adapters.agent(agent.kind)  # an unknown kind is an error here, before anything is tried
            own = {"agent": agent.model_dump(mode="json"), **run.model_dump(mode="json", include=DECIDES)}
            text = json.dumps(own, sort_keys=True, indent=1) + "\n"
            write_if_changed(to.parent / "agents" / f"{agent.name}.json", text.encode())
        names = attempts(load_lines(folder / "tasks.jsonl", Task), run)
        write_if_changed(to, (" \\\n  ".join(["ATTEMPTS :=", *names]) + "\n").encode())
        to.touch()
        return
    accepted, rejected = gather(folder, ids)
    write_lines(folder / "rejected.jsonl", rejected)
    write_lines(folder / "tasks.jsonl", accepted)
    reasons = Counter(task.rejection.reason for task in rejected if task.rejection)
    told = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items())) or "none"
    print(f"collect     {folder.name}  {len(accepted)} accepted; rejected: {told}", file=sys.stderr)
