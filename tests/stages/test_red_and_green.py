"""red and green: three real runs of each kind, whose outcomes are what the demo projects say of themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from stage_runner import assert_refuses, break_document, call, files, loads, task_folder, well

from redgreen.contract import ROOT
from redgreen.documents import Environment, Failure
from redgreen.examples import EXAMPLES, ID, made
from redgreen.places import task_place
from redgreen.sandbox import Sandbox

PROJECTS = {"demo__slugline-4": "slugline", "demo__ringlog-5": "ringlog"}


def expected(name: str) -> list[str]:
    text = (ROOT / "tasks" / "demo" / PROJECTS[name] / "project.yaml").read_text()
    return sorted(yaml.safe_load(text)["expect"]["fail_to_pass"])


def ending(outcomes: dict[str, str], *ends: str) -> list[str]:
    return sorted(test for test, outcome in outcomes.items() if outcome in ends)


@pytest.mark.parametrize("name", PROJECTS)
def test_the_new_tests_fail_three_times_before_the_fix_and_pass_three_times_with_it(reports: Path, name: str) -> None:
    red, green = loads(reports / name / "red.json")["runs"], loads(reports / name / "green.json")["runs"]
    assert sorted(red) == ["base", "red"]
    assert sorted(green) == ["green"]
    for run in (*red["base"], *red["red"], *green["green"]):
        assert (run["ended"], run["complete"], run["canary"]) == ("finished", True, "right")
        assert run["collection_errors"] == []
    for kind, runs in {**red, **green}.items():
        assert len(runs) == 3
        assert runs[0] == runs[1] == runs[2]
        assert runs[0]["exit_status"] == (1 if kind == "red" else 0)
    assert ending(red["red"][0]["outcomes"], "failed", "error") == expected(name)
    assert ending(green["green"][0]["outcomes"], "failed", "error") == []
    assert set(expected(name)) <= set(ending(green["green"][0]["outcomes"], "passed"))
    assert not set(expected(name)) & set(red["base"][0]["outcomes"])
    assert len(ending(red["base"][0]["outcomes"], "passed")) >= 2


@pytest.mark.parametrize("stage", ["red", "green"])
def test_running_it_twice_gives_the_same_bytes(reports: Path, sandbox: Sandbox, stage: str) -> None:
    first = files(reports / "demo__ringlog-5")
    well(stage, reports / "demo__ringlog-5", "--sandbox", sandbox.name)
    assert files(reports / "demo__ringlog-5") == first


def test_runs_leave_the_box_as_it_was_and_keep_what_was_printed(reports: Path) -> None:
    place = task_place(reports / "demo__slugline-4")
    logs = {path.name for path in (place.bulk / "logs").iterdir()}
    assert {f"{kind}-{number}.log" for kind in ("base", "red", "green") for number in (1, 2, 3)} <= logs
    assert not (place.box / "tree" / "tests" / "test_shorten.py").exists()
    assert not list((place.box / "tree").rglob("test_*canary*"))
    assert files(place.base).keys() <= files(place.box / "tree").keys()
    assert not list(place.bulk.glob("delta-*"))


@pytest.mark.parametrize("name", PROJECTS)
def test_accept_makes_tasks_of_them(reports: Path, name: str) -> None:
    task: dict[str, Any] = loads(reports / name / "accept.json")["task"]
    assert task["fail_to_pass"] == expected(name)
    assert (task["canary"], task["exit_agrees"], task["flaky"]) == ("right", True, [])


DOCUMENTS = ("candidate", "workspace", "environment")


@pytest.mark.parametrize("stage", ["red", "green"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_that_breaks_its_schema_is_refused(tmp_path: Path, stage: str, name: str) -> None:
    place = task_folder(tmp_path / "out", {found: EXAMPLES[found] for found in DOCUMENTS})
    place.box.mkdir(parents=True)
    break_document(place.document(name))
    assert_refuses(stage, place.document(name), place.folder, writes=place.folder)


@pytest.mark.parametrize("stage", ["red", "green"])
def test_a_candidate_that_was_not_installed_is_passed_on(tmp_path: Path, stage: str) -> None:
    failure = Failure(stage="install", reason="install_failed", detail="resolve: no")
    environment = Environment(id=ID, made_by=made("install"), failure=failure)
    place = task_folder(
        tmp_path / "out", {**{found: EXAMPLES[found] for found in DOCUMENTS}, "environment": environment}
    )
    well(stage, place.folder)
    report = loads(place.document(stage))
    assert (report["runs"], report["failure"]) == ({}, failure.model_dump())


def test_a_box_that_was_deleted_is_asked_for(tmp_path: Path) -> None:
    place = task_folder(tmp_path / "out", {found: EXAMPLES[found] for found in DOCUMENTS})
    ended = call("red", place.folder)
    assert (ended.status, place.document("red").exists()) == (2, False)
    assert "run stages/install.py" in ended.stderr
