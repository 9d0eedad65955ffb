"""install: real environments, locked, and the same again without a network."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from stage_runner import assert_refuses, break_document, call, files, loads, task_folder, well

from redgreen.contract import sha256_file, write
from redgreen.documents import Failure, Pointer, Workspace
from redgreen.examples import EXAMPLES, ID, made
from redgreen.places import task_place
from redgreen.sandbox import Sandbox


def test_a_project_is_installed_as_of_its_fix_with_every_dependency_locked(demo: Path, sandbox: Sandbox) -> None:
    folder = demo / "tasks" / "demo__slugline-4"
    environment = loads(folder / "environment.json")
    facts, lock = environment["facts"], environment["lock"]
    assert (facts["runner"], facts["runtime"]["name"], facts["exclude_newer"]) == (
        "pytest",
        "cpython",
        "2026-01-12T10:05:00Z",
    )
    assert lock["sha256"] == sha256_file(folder / "lock.txt")
    assert "pytest" in {package["name"] for package in lock["packages"]}
    assert "--hash=sha256:" in (folder / "lock.txt").read_text()
    assert environment["made_by"]["sandbox"] == sandbox.name
    box = task_place(folder).box
    assert (box / "env" / "bin" / "python").is_symlink()
    assert (box / "tree" / "src" / "slugline" / "core.py").is_file()
    assert not (task_place(folder).bulk / "box.unfinished").exists()


def test_a_project_on_the_standard_library_alone_has_an_empty_list_of_packages(demo: Path) -> None:
    environment = loads(demo / "tasks" / "demo__ringlog-5" / "environment.json")
    assert environment["facts"]["runner"] == "unittest"
    assert environment["lock"]["packages"] == []


def copied(demo: Path, name: str, out: Path, sandbox: Sandbox) -> Path:
    """A task's documents, its base and the cache, in another OUT."""
    folder = out / "demo" / "tasks" / name
    shutil.copytree(demo / "tasks" / name, folder)
    shutil.copytree(task_place(demo / "tasks" / name).base, task_place(folder).base, symlinks=True)
    shutil.copytree(demo.parent / "cache", out / "cache", symlinks=True, copy_function=os.link)
    sandbox.own(out / "cache")
    if (demo.parent / "images").is_dir():
        shutil.copytree(demo.parent / "images", out / "images")
    return folder


def test_a_pinned_task_is_installed_from_its_lock_without_a_network_to_the_same_bytes(
    demo: Path, sandbox: Sandbox, tmp_path: Path
) -> None:
    folder = copied(demo, "demo__slugline-4", tmp_path / "out", sandbox)
    before = files(folder)
    pointer = EXAMPLES["pointer"]
    assert isinstance(pointer, Pointer)
    environment = pointer.environment.model_validate(loads(folder / "environment.json")["facts"])
    write(folder / "pointer.json", pointer.model_copy(update={"environment": environment}))
    shutil.copy(folder / "lock.txt", folder / "pinned.lock.txt")
    (folder / "environment.json").unlink()
    (folder / "lock.txt").unlink()
    try:
        well("install", folder, "--offline", "--sandbox", sandbox.name)
        after = files(folder)
        assert {name: after[name] for name in before} == before
    finally:
        sandbox.remove(task_place(folder).bulk)
        sandbox.remove(tmp_path / "out" / "cache")


@pytest.mark.parametrize(("locked", "held"), [("8.3.5", True), ("0.0.1", False)])
def test_the_projects_own_lock_decides_versions_where_it_can(
    demo: Path, sandbox: Sandbox, tmp_path: Path, locked: str, held: bool
) -> None:
    folder = copied(demo, "demo__slugline-4", tmp_path / "out", sandbox)
    lock = task_place(folder).base / "poetry.lock"
    lock.write_text(f'[[package]]\nname = "pytest"\nversion = "{locked}"\n')
    try:
        well("install", folder, "--sandbox", sandbox.name)
        environment = loads(folder / "environment.json")
        versions = {package["name"]: package["version"] for package in environment["lock"]["packages"]}
        assert (versions["pytest"] == locked) is held
        assert ("poetry.lock" in environment["facts"]["inputs"]) is held
    finally:
        sandbox.remove(task_place(folder).bulk)
        sandbox.remove(tmp_path / "out" / "cache")


def test_what_cannot_be_installed_is_a_failure_with_its_step(demo: Path, out: Path, sandbox: Sandbox) -> None:
    well("mine", "--set", "demo", "--repo", "csvpeek", "--out", out / "second")
    (folder,) = (out / "second" / "demo" / "tasks").iterdir()
    well("materialize", folder)
    ended = call("install", folder, "--sandbox", sandbox.name)
    assert ended.status == 0, ended.stderr
    environment = loads(folder / "environment.json")
    assert environment["facts"] is None
    assert (environment["failure"]["stage"], environment["failure"]["reason"]) == ("install", "install_failed")
    assert "resolve" in environment["failure"]["detail"]
    assert not task_place(folder).box.exists()
    assert not (folder / "lock.txt").exists()


def test_a_document_that_breaks_its_schema_is_refused(tmp_path: Path, sandbox: Sandbox) -> None:
    place = task_folder(tmp_path / "out", {"candidate": EXAMPLES["candidate"], "workspace": EXAMPLES["workspace"]})
    break_document(place.document("workspace"))
    assert_refuses("install", place.document("workspace"), place.folder, "--sandbox", "process", writes=place.folder)


def test_the_failure_of_an_earlier_stage_is_passed_on(tmp_path: Path) -> None:
    failure = Failure(stage="materialize", reason="unsupported", detail="the tree holds a hostile path: ..")
    workspace = Workspace(id=ID, made_by=made("materialize"), failure=failure)
    place = task_folder(tmp_path / "out", {"candidate": EXAMPLES["candidate"], "workspace": workspace})
    well("install", place.folder)
    assert loads(place.document("environment"))["failure"] == failure.model_dump()


def test_a_base_that_was_deleted_is_asked_for(tmp_path: Path) -> None:
    place = task_folder(tmp_path / "out", {"candidate": EXAMPLES["candidate"], "workspace": EXAMPLES["workspace"]})
    ended = call("install", place.folder)
    assert (ended.status, place.document("environment").exists()) == (2, False)
    assert "run stages/materialize.py" in ended.stderr


@pytest.mark.parametrize("choice", ["docker", ""])
def test_an_unknown_sandbox_is_refused(tmp_path: Path, choice: str) -> None:
    place = task_folder(tmp_path / "out", {"candidate": EXAMPLES["candidate"], "workspace": EXAMPLES["workspace"]})
    ended = call("install", place.folder, "--sandbox", choice)
    assert ended.status == 2
    assert "no such sandbox" in ended.stderr
