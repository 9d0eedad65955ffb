"""What stages read of a task: its documents, held to be about it, and the files that documents name by their sha256."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

from redgreen.contract import load, sha256, write_bytes
from redgreen.documents import (
    Attempt,
    Candidate,
    CandidateFacts,
    Environment,
    EnvironmentFacts,
    Failure,
    Report,
    Task,
    Workspace,
    WorkspaceFacts,
)
from redgreen.errors import UsageError
from redgreen.places import TaskPlace

D = TypeVar("D", Candidate, Workspace, Environment, Report, Task, Attempt)


def write_times(place: TaskPlace, stage: str, times: dict[str, Any]) -> None:
    """Wall-clock values go beside the documents, never into them."""
    write_bytes(place.folder / f"{stage}.times.json", (json.dumps(times, sort_keys=True) + "\n").encode())


def load_of(place: TaskPlace, name: str, model: type[D]) -> D:
    """One of a task's documents.

    Raises:
        UsageError: as `load`, or it is about another task.
    """
    return hold_id(load(place.document(name), model), place.document(name), place)


def hold_id(document: D, path: Path, place: TaskPlace) -> D:
    """The document, if it is about this task."""
    if document.id != place.id:
        hint = "delete the file and let the stage that writes it run again"
        raise UsageError(f"{path}: $.id: is {document.id}, not {place.id}", hint)
    return document


def read_part(path: Path, digest: str, what: str) -> bytes:
    """A file that a document names by its sha256.

    Raises:
        UsageError: it is not there, or holds something else.
    """
    hint = f"delete {what} and let the stage that writes both run again"
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file", hint) from None
    if sha256(content) != digest:
        raise UsageError(f"{path}: not the one that {what} names by its sha256", hint)
    return content


def candidate_facts(place: TaskPlace) -> CandidateFacts:
    return load_of(place, "candidate", Candidate).facts


def workspace(place: TaskPlace) -> tuple[WorkspaceFacts | None, Failure | None]:
    document = load_of(place, "workspace", Workspace)
    return document.facts, document.failure


def environment(place: TaskPlace) -> tuple[EnvironmentFacts | None, Failure | None]:
    document = load_of(place, "environment", Environment)
    return document.facts, document.failure


def need_folder(path: Path, stage: str) -> None:
    """Bulk can be deleted to save space; the documents stay, and this says how to get it back.

    Raises:
        UsageError: it is not there.
    """
    if not path.is_dir():
        raise UsageError(f"{path}: gone", f"make it again: run stages/{stage}.py on this task")
