"""What stages/pin.py does."""

from __future__ import annotations

from pathlib import Path

from redgreen.contract import load_lines, write_if_changed
from redgreen.documents import Task
from redgreen.errors import UsageError
from redgreen.pointers import pin


def perform(folder: Path, to: Path, ids: tuple[str, ...]) -> None:
    tasks = load_lines(folder / "tasks.jsonl", Task)
    unknown = set(ids) - {task.id for task in tasks}
    if unknown:
        raise UsageError(f"{min(unknown)}: not an accepted task of {folder}", "see rejected.jsonl for the reason")
    for task in tasks:
        if ids and task.id not in ids:
            continue
        if not task.candidate.url.startswith("https://"):
            raise UsageError(f"{task.id}: {task.candidate.url} is no public address", "mine it by its https address")
        print(pin(task, (folder / "tasks" / task.id / "lock.txt").read_bytes(), to))
    if not (to / "set.yaml").is_file():
        write_if_changed(
            to / "set.yaml",
            b"# Pointers and facts: `make verify SET=<this folder's name>` holds them.\nsource: pointers\n",
        )
