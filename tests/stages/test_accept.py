"""accept: from the reports to a task or a rejection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stage_runner import assert_refuses, break_document, call, files, loads, task_folder, well

from redgreen.contract import sha256_file, write
from redgreen.documents import Environment, Failure, Record, Report, Run, Workspace
from redgreen.examples import EXAMPLES, GREEN, ID, NEW, OLD, RED, made
from redgreen.places import TaskPlace

BASE = Run(ended="finished", exit_status=0, complete=True, canary="right", outcomes={OLD: "passed"})


def report(stage: str, **runs: tuple[Run, ...]) -> Report:
    return Report(id=ID, made_by=made(stage), runs=runs)


def documents(**changed: Record) -> dict[str, Record]:
    named = {name: EXAMPLES[name] for name in ("candidate", "workspace", "environment")}
    return {
        **named,
        "red": report("red", base=(BASE,) * 3, red=(RED,) * 3),
        "green": report("green", green=(GREEN,) * 3),
        **changed,
    }


@pytest.fixture
def place(tmp_path: Path) -> TaskPlace:
    return task_folder(tmp_path, documents())


def test_a_proven_candidate_becomes_a_task_with_its_evidence(place: TaskPlace) -> None:
    ended = well("accept", place.folder)
    assert "accepted: 1 fail_to_pass, 1 pass_to_pass, 0 flaky" in ended.stderr
    task = loads(place.document("accept"))
    assert task["task"] == {
        "fail_to_pass": [NEW],
        "pass_to_pass": [OLD],
        "flaky": [],
        "gold_exit_statuses": [0],
        "exit_agrees": True,
        "canary": "right",
        "broken": [],
        "untouched": None,
        "leaks": [],
    }
    assert task["rejection"] is None
    names = ("candidate", "workspace", "environment", "red", "green")
    assert task["made_by"]["inputs"] == {f"{name}.json": sha256_file(place.document(name)) for name in names}


def test_running_it_twice_gives_the_same_bytes(place: TaskPlace) -> None:
    well("accept", place.folder)
    first = files(place.folder)
    well("accept", place.folder)
    assert files(place.folder) == first


@pytest.mark.parametrize("name", ["candidate", "workspace", "environment", "red", "green"])
def test_a_document_that_breaks_its_schema_is_refused(place: TaskPlace, name: str) -> None:
    break_document(place.document(name))
    assert_refuses("accept", place.document(name), place.folder, writes=place.folder)


@pytest.mark.parametrize(
    ("changed", "stage", "reason"),
    [
        ({"green": report("green", green=(RED,) * 3)}, "accept", "not_green"),
        ({"green": report("green", green=(GREEN, RED, GREEN))}, "accept", "flaky"),
        ({"red": report("red", base=(BASE,) * 3, red=(GREEN,) * 3)}, "accept", "not_red"),
        ({"red": report("red")}, "accept", "no_tests_ran"),
        ({"green": report("green")}, "accept", "no_tests_ran"),
        ({"red": report("red", base=(BASE,), red=(RED,) * 3)}, "accept", "no_tests_ran"),
    ],
)
def test_an_unfair_candidate_is_rejected_and_that_is_an_answer(
    tmp_path: Path, changed: dict[str, Record], stage: str, reason: str
) -> None:
    place = task_folder(tmp_path, documents(**changed))
    assert f"rejected: {reason}: " in well("accept", place.folder).stderr
    task = loads(place.document("accept"))
    assert task["task"] is None
    assert (task["rejection"]["stage"], task["rejection"]["reason"]) == (stage, reason)


@pytest.mark.parametrize("first", ["workspace", "environment", "red", "green"])
def test_the_failure_of_an_earlier_stage_is_passed_on(tmp_path: Path, first: str) -> None:
    failure = Failure(stage=first, reason="install_failed", detail="a word")
    kinds: dict[str, Any] = {"workspace": Workspace, "environment": Environment, "red": Report, "green": Report}
    failed = kinds[first](id=ID, made_by=made(first), failure=failure)
    place = task_folder(tmp_path, documents(**{first: failed}))
    well("accept", place.folder)
    assert loads(place.document("accept"))["rejection"] == failure.model_dump()


def test_a_missing_document_or_one_about_another_task_is_refused(place: TaskPlace) -> None:
    place.document("green").unlink()
    ended = call("accept", place.folder)
    assert (ended.status, place.document("accept").exists()) == (2, False)
    assert f"error: {place.document('green')}: no such document" in ended.stderr
    write(place.document("green"), report("green", green=(GREEN,) * 3).model_copy(update={"id": "other__task-1"}))
    ended = call("accept", place.folder)
    assert ended.status == 2
    assert "$.id: is other__task-1" in ended.stderr


def test_a_folder_that_is_no_task_s_is_refused(tmp_path: Path) -> None:
    ended = call("accept", tmp_path)
    assert ended.status == 2
    assert "not a task's folder" in ended.stderr


@pytest.mark.parametrize(
    ("untouched", "rejected", "kept"),
    [(None, None, None), ((), None, []), ((OLD,), None, []), ((NEW,), "misaligned", [])],
)
def test_a_fix_whose_tests_run_none_of_its_lines_is_rejected(
    tmp_path: Path, untouched: tuple[str, ...] | None, rejected: str | None, kept: list[str] | None
) -> None:
    green = report("green", green=(GREEN,) * 3).model_copy(update={"untouched": untouched, "leaks": ("a copy",)})
    place = task_folder(tmp_path, documents(green=green))
    well("accept", place.folder)
    task = loads(place.document("accept"))
    if rejected:
        assert task["rejection"]["reason"] == rejected
    else:
        assert (task["task"]["untouched"], task["task"]["leaks"]) == (kept, ["a copy"])
