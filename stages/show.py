"""Print what became of each candidate of a set: accepted with its counts, or rejected with the reason.

Reads tasks.jsonl and rejected.jsonl of OUT/<set>; writes nothing.
"""

from __future__ import annotations

from pathlib import Path

import click

from redgreen import errors
from redgreen.contract import load_lines
from redgreen.documents import Task
from redgreen.stage import as_help


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


@click.command(help=as_help(__doc__))
@click.argument("folder", metavar="OUT/<set>", type=click.Path(path_type=Path))
def main(folder: Path) -> None:
    with errors.reported():
        for name in ("tasks.jsonl", "rejected.jsonl"):
            for task in load_lines(folder / name, Task):
                print(told(task))


if __name__ == "__main__":
    main()
