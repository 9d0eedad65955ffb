"""run and score on real tasks: what agents leave, what it is worth, and what cheats are worth."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from git_repository import File, link
from stage_runner import assert_refuses, break_document, call, files, loads, well

import adapters
from redgreen.contract import sha256, write
from redgreen.documents import Attempt, Failure, Run, Task
from redgreen.errors import InfrastructureError
from redgreen.examples import EXAMPLES
from redgreen.git import NOTHING, Change, Store
from redgreen.sandbox import Sandbox
from redgreen.trials import Suite

RING, SLUG = "demo__ringlog-5", "demo__slugline-4"
SPEC = """
agents:
  - {name: oracle, kind: oracle}
  - {name: empty, kind: empty}
  - name: typist
    kind: scripted
    commands:
      "*":
        - sed -i 's/return iter(self._lines)/n = self._next if len(self) == self.size else 0; return iter(self._lines[n:] + self._lines[:n])/' ringlog/__init__.py
        - echo done; test ! -d .git; exit 3
  - {name: tester, kind: scripted, commands: {"*": ["python -m pytest -q && ls -d .pytest_cache"]}}
  - {name: sleeper, kind: scripted, commands: {"*": ["sleep 600"]}}
budgets: {attempt: {minutes: 0.25}}
"""  # noqa: E501
FIXED_RING = "n = self._next if len(self) == self.size else 0\n        return iter(self._lines[n:] + self._lines[:n])"

Patch = Mapping[str, File | None]
Scored = Callable[[str, bytes], dict[str, Any]]


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spec") / "run.yaml"
    path.write_text(SPEC)
    return path


@pytest.fixture(scope="module")
def attempted(reports: Path, spec: Path, sandbox: Sandbox) -> Callable[[str, str], Path]:
    """Let an agent try a task and score it; the attempt's folder."""

    def attempt(task: str, agent: str) -> Path:
        folder = reports.parent / "runs" / "run" / task / f"{agent}-1"
        if not (folder / "score.json").is_file():
            well("run", folder, "--spec", spec, "--sandbox", sandbox.name)
            well("score", folder, "--sandbox", sandbox.name)
        return folder

    return attempt


def source(reports: Path, task: str) -> str:
    path = {RING: "ringlog/__init__.py", SLUG: "src/slugline/core.py"}[task]
    return (reports.parent / "boxes" / task / "base" / path).read_text()


def patch_of(reports: Path, task: str, files: Patch) -> bytes:
    """A patch that gives the base these files; None deletes one."""
    accepted = Task.model_validate(loads(reports / task / "accept.json"))
    assert accepted.workspace
    mirror = adapters.mirror(reports.parents[1], accepted.candidate.repo, accepted.candidate.url)
    store = Store(mirror, reports.parent / "boxes" / task / "objects")
    changes = []
    for path, file in files.items():
        mode, content = ("000000", b"") if file is None else file if isinstance(file, tuple) else ("100644", file)
        changes.append(
            Change(path.encode(), "100644", mode, NOTHING, NOTHING if file is None else store.add_blob(content))
        )
    return store.diff(accepted.workspace.base_tree, store.mix(accepted.workspace.base_tree, changes))


def hand_in(reports: Path, task: str, patch: bytes, **facts: Any) -> Path:
    """An attempt as if an agent had handed in this patch."""
    folder = reports.parent / "runs" / "hand" / task / f"hand-{sha256(patch)[:12]}-1"
    example = EXAMPLES["attempt"]
    assert isinstance(example, Attempt)
    update = {"id": task, "agent": "hand", "patch": sha256(patch), "patch_bytes": len(patch), **facts}
    write(folder / "attempt.json", example.model_copy(update=update))
    (folder / "patch.diff").write_bytes(patch)
    return folder


@pytest.fixture(scope="module")
def scored(reports: Path, sandbox: Sandbox) -> Scored:
    def score(task: str, patch: bytes) -> dict[str, Any]:
        folder = hand_in(reports, task, patch)
        well("score", folder, "--sandbox", sandbox.name)
        found: dict[str, Any] = loads(folder / "score.json")
        return found

    return score


@pytest.mark.parametrize("task", [RING, SLUG])
def test_the_human_fix_is_fixed_and_the_empty_patch_is_not(attempted: Callable[[str, str], Path], task: str) -> None:
    gold = loads(attempted(task, "oracle") / "score.json")
    assert (gold["status"], gold["resolved"], gold["applied"], gold["tampered"]) == ("ok", True, "strict", [])
    assert set(gold["fail_to_pass"].values()) == {"passed"}
    assert gold["run"]["canary"] == "right"
    nothing = loads(attempted(task, "empty") / "score.json")
    assert (nothing["status"], nothing["resolved"], nothing["applied"]) == ("ok", False, "empty")
    assert set(nothing["fail_to_pass"].values()) == {"failed"}
    assert nothing["pass_to_pass_missed"] == {}


def test_an_agent_s_commands_leave_a_patch_and_a_trajectory(attempted: Callable[[str, str], Path]) -> None:
    folder = attempted(RING, "typist")
    attempt = loads(folder / "attempt.json")
    assert (attempt["stopped"], attempt["usage"]["turns"], attempt["agent"]) == ("done", 2, "typist")
    patch = (folder / "patch.diff").read_bytes()
    assert (attempt["patch"], attempt["patch_bytes"]) == (sha256(patch), len(patch))
    assert patch.count(b"diff --git") == 1
    turns = [json.loads(line) for line in (folder / "trajectory.jsonl").read_text().splitlines()]
    assert [(turn["exit_status"], turn["stdout"]) for turn in turns] == [(0, ""), (3, "done\n")]
    assert loads(folder / "score.json")["resolved"]
    assert not (folder / "upper").exists()


def test_an_agent_can_run_the_project_s_own_tests_and_what_they_leave_behind_is_no_patch(
    attempted: Callable[[str, str], Path],
) -> None:
    folder = attempted(SLUG, "tester")
    [turn] = [json.loads(line) for line in (folder / "trajectory.jsonl").read_text().splitlines()]
    assert turn["exit_status"] == 0, turn
    assert " passed" in turn["stdout"] and ".pytest_cache" in turn["stdout"]
    assert (folder / "patch.diff").read_bytes() == b""


def test_an_agent_at_its_time_limit_is_an_attempt_that_is_scored(attempted: Callable[[str, str], Path]) -> None:
    folder = attempted(RING, "sleeper")
    assert loads(folder / "attempt.json")["stopped"] == "time"
    assert loads(folder / "score.json")["status"] == "ok"


def test_running_and_scoring_twice_gives_the_same_bytes(
    attempted: Callable[[str, str], Path], spec: Path, sandbox: Sandbox
) -> None:
    folder = attempted(RING, "typist")
    names = ("attempt.json", "patch.diff", "trajectory.jsonl", "score.json")
    first = {name: (folder / name).read_bytes() for name in names}
    well("run", folder, "--spec", spec, "--sandbox", sandbox.name)
    well("score", folder, "--sandbox", sandbox.name)
    assert {name: (folder / name).read_bytes() for name in names} == first


EDIT_TESTS: dict[str, Patch] = {
    RING: {
        "tests/test_ring.py": b"",
        "tests/__init__.py": b"import unittest\nunittest.TestCase.run = lambda self, result=None: None\n",
        "sitecustomize.py": b"raise SystemExit(0)\n",
    },
    SLUG: {
        "conftest.py": b"def pytest_collection_modifyitems(items): items.clear()\n",
        "pytest.ini": b"[pytest]\naddopts = -k nothing\n",
        "tests/test_slugify.py": None,
    },
}


@pytest.mark.parametrize("task", [RING, SLUG])
def test_tests_that_a_patch_edits_are_restored_and_said_so(reports: Path, scored: Scored, task: str) -> None:
    found = scored(task, patch_of(reports, task, EDIT_TESTS[task]))
    assert (found["status"], found["resolved"]) == ("ok", False)
    assert set(found["tampered"]) == set(EDIT_TESTS[task])
    assert set(found["fail_to_pass"].values()) == {"failed"}
    assert found["pass_to_pass_missed"] == {}


def test_a_true_fix_counts_though_it_also_touched_the_tests(reports: Path, scored: Scored) -> None:
    fixed = source(reports, RING).replace("return iter(self._lines)", FIXED_RING).encode()
    found = scored(RING, patch_of(reports, RING, {"ringlog/__init__.py": fixed, "tests/test_ring.py": b"x = 1\n"}))
    assert found["resolved"]
    assert found["tampered"] == ["tests/test_ring.py"]


CHEATS = {
    "ends at import": (RING, "import os\nos._exit(0)\n"),
    "exits at import": (SLUG, "raise SystemExit(0)\n"),
    "no test fails": (RING, "import unittest\nunittest.TestCase._callTestMethod = lambda self, method: None\n"),
    "no assertion fails": (RING, "import unittest\nunittest.TestCase.assertEqual = lambda *a, **k: None\n"),
    "pytest runs no test": (SLUG, "import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n"),
    "a good exit status": (SLUG, "import atexit, os\natexit.register(lambda: os._exit(0))\n"),
    "printed words": (SLUG, "print('99 passed in 0.01s')\n"),
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_cheat_is_not_fixed(reports: Path, scored: Scored, cheat: str) -> None:
    task, code = CHEATS[cheat]
    path = {RING: "ringlog/__init__.py", SLUG: "src/slugline/core.py"}[task]
    found = scored(task, patch_of(reports, task, {path: (source(reports, task) + "\n\n" + code).encode()}))
    assert not found["resolved"], found
    assert found["status"] == "ok"


@pytest.mark.parametrize(
    "patch",
    [b"I could not do it.\n", b"diff --git a/nowhere b/nowhere\n--- a/nowhere\n+++ b/nowhere\n@@ -1 +1 @@\n-a\n+b\n"],
)
def test_a_patch_that_does_not_apply_is_not_fixed(scored: Scored, patch: bytes) -> None:
    found = scored(RING, patch)
    assert (found["status"], found["resolved"], found["applied"]) == ("patch_apply_failed", False, "failed")
    assert set(found["fail_to_pass"].values()) == {"missing"}


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../outside"])
def test_a_link_out_of_the_tree_is_the_patch_s_fault_and_stops_nobody(
    reports: Path, scored: Scored, target: str
) -> None:
    found = scored(RING, patch_of(reports, RING, {"ringlog/way": link(target)}))
    assert (found["status"], found["resolved"]) == ("patch_apply_failed", False)
    assert "link out of itself" in found["why"]


def test_an_attempt_that_infrastructure_ended_is_excluded(reports: Path, sandbox: Sandbox) -> None:
    folder = hand_in(reports, RING, b"\n", stopped="infra", failure="the model's service broke")
    well("score", folder, "--sandbox", sandbox.name)
    found = loads(folder / "score.json")
    assert (found["status"], found["resolved"], found["why"]) == ("infra_error", False, "the model's service broke")


@pytest.mark.parametrize(("breaks", "status", "tries"), [(1, "ok", 2), (2, "ok", 3), (9, "infra_error", 3)])
def test_a_sandbox_that_breaks_is_tried_again_twice(
    reports: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, breaks: int, status: str, tries: int
) -> None:
    tried = []

    def run(suite: Suite, delta: Path | None, kind: str, number: int, memory: int) -> tuple[Run, float]:
        tried.append(number)
        if len(tried) <= breaks:
            raise InfrastructureError("the sandbox broke")
        return Run(ended="finished", exit_status=0, complete=True, canary="right", outcomes={}), 0.1

    monkeypatch.setattr(Suite, "run", run)
    monkeypatch.setattr("stages.steps.score.time.sleep", lambda seconds: None)
    folder = hand_in(reports, RING, b"")
    well("score", folder, "--sandbox", sandbox.name)
    found = loads(folder / "score.json")
    assert (found["status"], found["resolved"], len(tried)) == (status, False, tries)
    assert set(tried) == {0}, "each try is the first of the gate's runs"


def test_documents_that_break_their_schema_are_refused(reports: Path, spec: Path, tmp_path: Path) -> None:
    folder = hand_in(reports, RING, b"broken\n")
    break_document(folder / "attempt.json")
    assert_refuses("score", folder / "attempt.json", folder, writes=folder)
    broken = tmp_path / "run.yaml"
    broken.write_text("schema_version: 99\n" + SPEC)
    assert_refuses("run", broken, folder.with_name("oracle-1"), "--spec", broken, writes=folder.parent)
    place = tmp_path / "out" / "set" / "tasks" / RING
    break_document(place / "accept.json", "task")
    attempt = tmp_path / "out" / "set" / "runs" / "run" / RING / "oracle-1"
    assert_refuses("run", place / "accept.json", attempt, "--spec", spec, writes=tmp_path / "out")


def test_a_patch_that_is_not_the_attempt_s_is_refused(reports: Path) -> None:
    folder = hand_in(reports, RING, b"one\n")
    (folder / "patch.diff").write_bytes(b"another\n")
    ended = call("score", folder)
    assert (ended.status, (folder / "score.json").exists()) == (2, False)
    assert "patch.diff: not the" in ended.stderr


def test_who_is_not_in_the_run_and_what_was_rejected_is_refused(reports: Path, spec: Path, tmp_path: Path) -> None:
    runs = reports.parent / "runs" / "run" / RING
    for name in ("nobody-1", "oracle-2", "oracle-0", "oracle"):
        ended = call("run", runs / name, "--spec", spec)
        assert ended.status == 2
        assert f"{name}: no such attempt in this run" in ended.stderr
    task = Task.model_validate(loads(reports / RING / "accept.json"))
    rejection = Failure(stage="accept", reason="flaky", detail="differs")
    rejected = task.model_copy(update={"task": None, "rejection": rejection})
    write(tmp_path / "out" / "set" / "tasks" / RING / "accept.json", rejected)
    folder = tmp_path / "out" / "set" / "runs" / "run" / RING / "oracle-1"
    ended = call("run", folder, "--spec", spec)
    assert ended.status == 2
    assert "was rejected" in ended.stderr
    assert files(tmp_path / "out" / "set").keys() == {f"tasks/{RING}/accept.json"}
