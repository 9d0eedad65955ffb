"""Runs stages as their command lines do, in this process, and lays out the folders that they read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from redgreen.contract import dump, write
from redgreen.documents import Record
from redgreen.examples import EXAMPLES, ID
from redgreen.places import TaskPlace


@dataclass(frozen=True)
class Ended:
    status: int
    stdout: str
    stderr: str


def call(stage: str, *arguments: object) -> Ended:
    """Run `stages/<stage>.py` with these arguments. An exception that it lets through is raised here."""
    result = CliRunner().invoke(import_module(f"stages.{stage}").main, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ended(result.exit_code, result.stdout, result.stderr)


def well(stage: str, *arguments: object) -> Ended:
    ended = call(stage, *arguments)
    assert ended.status == 0, ended.stderr
    return ended


def files(folder: Path) -> dict[str, bytes]:
    """Every file below, by path; without the sidecars that hold times."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith("times.json"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def task_folder(out: Path, documents: Mapping[str, Record]) -> TaskPlace:
    """`out/set/tasks/<id of the examples>` with these documents."""
    place = TaskPlace(out / "set" / "tasks" / ID)
    for name, document in documents.items():
        write(place.document(name), document)
    return place


def break_document(path: Path, example: str | None = None) -> None:
    """Give a document a version that there is not; if it is not there, it is the example of this name."""
    value = json.loads(path.read_text()) if path.is_file() else json.loads(dump(EXAMPLES[example or path.stem]))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**value, "schema_version": 99}))


def assert_refuses(stage: str, broken: Path, *arguments: object, writes: Path) -> None:
    """Exit status 2, one error line that names file and JSON path, a hint, and nothing written below `writes`."""
    before = files(writes)
    ended = call(stage, *arguments)
    assert ended.status == 2, ended
    error, hint = [line for line in ended.stderr.splitlines() if line.startswith(("error: ", "hint: "))]
    assert error.startswith(f"error: {broken}")
    assert ": $.schema_version: " in error
    assert hint.startswith("hint: schemas/")
    assert files(writes) == before


def loads(path: Path) -> Any:
    return json.loads(path.read_text())
