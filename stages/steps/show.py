"""What stages/show.py does."""

from __future__ import annotations

from pathlib import Path

from redgreen.contract import load_lines
from redgreen.documents import Task


def told(task: Task) -> str:
    if task.rejection:
        return f"rejected  {task.id}  {task.rejection.reason} ({task.rejection.stage}): {task.rejection.detail}"
    assert task.task and task.environment
    runtime = task.environment.runtime
    lines = [
        f"accepted  {task.id}  {runtime.name} {runtime.version}, {task.environment.runner}",
        f"          pass_to_pass: {len(task.task.pass_to_pass)}, flaky: {len(task.task.flaky)}, fail_to_pass:",
    ]
    return "\n".join(lines + [f"            {test}" for test in task.task.fail_to_pass])


def perform(folder: Path) -> None:
    for name in ("tasks.jsonl", "rejected.jsonl"):
        for task in load_lines(folder / name, Task):
            print(told(task))
