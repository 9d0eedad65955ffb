"""Canaries that a runner takes for its own, and what of a runner's report becomes an event."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

INSIDE = Path(__file__).parents[3] / "adapters" / "languages" / "inside"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, INSIDE / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sys.path.insert(0, str(INSIDE))
canary = load("redgreen_node_canary")
wrapper = load("redgreen_typescript")
sys.path.remove(str(INSIDE))


@pytest.mark.parametrize(
    ("beside", "path"),
    [
        ("src/add.test.ts", "src/redgreen-1.test.ts"),
        ("src/add.node.spec.tsx", "src/redgreen-1.spec.tsx"),
        ("src/add/test.ts", "src/redgreen-1/test.ts"),
        ("__tests__/add.js", "__tests__/redgreen-1.js"),
        ("test/test-add.js", "test/test-redgreen-1.js"),
        ("test/add_test.mjs", "test/redgreen-1_test.mjs"),
        ("tests/command.parse.test.js", "tests/redgreen-1.test.js"),
        ("test.js", "redgreen-1.js"),
    ],
)
def test_a_canary_is_called_as_its_neighbour_is(beside: str, path: str) -> None:
    assert canary.canary_path(beside, "redgreen-1") == path


@pytest.mark.parametrize(
    ("runner", "neighbour", "name", "first"),
    [
        ("node", "const test = require('node:test')", "a.test.js", 'const test = require("node:test")'),
        ("node", "import test from 'node:test'", "a.test.js", 'import test from "node:test"'),
        ("node", "const test = require('node:test')", "a.test.mjs", 'import test from "node:test"'),
        ("ava", "import test from 'ava'", "a.js", 'import test from "ava"'),
        ("ava", "const test = require('ava')", "a.js", 'const test = require("ava")'),
        ("vitest", "describe('x', () => {})", "a.test.js", 'import { test, expect } from "vitest"'),
        ("mocha", "const assert = require('assert')", "a.js", 'const assert = require("assert")'),
        ("mocha", "import { it } from 'mocha'", "a.ts", "// @ts-nocheck"),
        ("jest", "import { test } from '@jest/globals'", "a.js", 'import { test, expect } from "@jest/globals"'),
        ("jest", "test('x', () => {})", "a.test.js", 'test("redgreen_holds", () => { expect(1).toBe(1) });'),
    ],
)
def test_a_canary_is_written_as_its_neighbour_is(
    tmp_path: Path, runner: str, neighbour: str, name: str, first: str
) -> None:
    (tmp_path / "package.json").write_text("{}")
    (tmp_path / name).write_text(neighbour)
    text = canary.canary_text(runner, str(tmp_path / name), str(tmp_path / name))
    assert text.splitlines()[0] == first
    assert "redgreen_holds" in text and "redgreen_breaks" in text


def test_a_canary_needs_a_test_beside_it_or_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert canary.lay_canary({"runner": "node", "near": ["gone/a.test.js", "data.json"]}) is None
    (tmp_path / "test").mkdir()
    laid = canary.lay_canary({"runner": "node", "near": ["test/new.test.js"]})
    assert laid is not None and (tmp_path / laid).is_file() and laid.startswith("test/redgreen-")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, Any]]:
    monkeypatch.chdir(tmp_path)
    events: list[dict[str, Any]] = []
    monkeypatch.setattr(wrapper.redgreen_events, "send", lambda **event: events.append(event))
    return events


def report(*lines: dict[str, Any], canary_file: str | None = None) -> Any:
    made = wrapper.Report(canary_file, str(Path.cwd()))
    for line in lines:
        made.line(json.dumps({"file": "a.test.js", "label": "", **line}).encode())
    return made


def told(name: str, outcome: str | None, **more: str) -> dict[str, Any]:
    return {"kind": "test", "names": ["suite", name], "outcome": outcome, **more}


END = {"kind": "end", "errors": 0}


def test_names_that_repeat_are_numbered(sent: list[dict[str, Any]]) -> None:
    report(told("a", "passed"), told("a", "failed"), told("b", "passed"))
    ids = [event["id"] for event in sent]
    assert ids == ["a.test.js::suite::a", "a.test.js::suite::a (2)", "a.test.js::suite::b"]


def test_a_test_that_was_announced_and_never_reported_is_collected(sent: list[dict[str, Any]]) -> None:
    report(told("a", None))
    assert sent == [{"event": "collected", "ids": ["a.test.js::suite::a"]}]


def test_a_failing_hook_is_a_setup_that_failed(sent: list[dict[str, Any]]) -> None:
    report(told("a", "error"))
    assert (sent[0]["when"], sent[0]["outcome"]) == ("setup", "failed")


def test_what_is_no_report_is_passed_over(sent: list[dict[str, Any]]) -> None:
    made = wrapper.Report(None, ".")
    made.line(b"")
    made.line(b"a test printed this")
    assert not sent


@pytest.mark.parametrize(
    ("lines", "runner_ended", "status"),
    [
        ([told("a", "passed"), END], 0, 0),
        ([told("a", "failed"), END], 1, 1),
        ([told("a", "passed"), END], 1, 1),
        ([told("a", "passed"), {**END, "errors": 1}], 1, 1),
        ([told("a", "passed")], 0, None),
        ([told("a", "passed"), END], -9, None),
        ([told("a", "passed"), END], None, None),
        ([{"kind": "broken", "names": []}, END], 1, 1),
    ],
)
def test_the_status_is_nothing_unless_the_report_is_whole_and_0_if_all_agree(
    sent: list[dict[str, Any]], lines: list[dict[str, Any]], runner_ended: int | None, status: int | None
) -> None:
    assert wrapper.verdict(report(*lines), runner_ended) == status


@pytest.mark.parametrize(("runner_ended", "status"), [(1, 0), (0, 1)])
def test_the_canary_is_not_what_the_status_tells_and_a_runner_that_calls_it_a_success_is_none(
    sent: list[dict[str, Any]], runner_ended: int, status: int
) -> None:
    lines = [told("a", "passed"), told("redgreen_breaks", "failed", file="redgreen-1.test.js"), END]
    made = report(*lines, canary_file="redgreen-1.test.js")
    assert wrapper.verdict(made, runner_ended) == status
    assert made.canaries == ["redgreen-1.test.js::suite::redgreen_breaks"]


def test_a_check_of_types_does_not_count_for_the_canary(sent: list[dict[str, Any]]) -> None:
    line = told("redgreen_breaks", "passed", file="redgreen-1.test.ts", label="(types)")
    assert not report(line, canary_file="redgreen-1.test.ts").canaries
    assert not sent


def test_the_same_file_in_another_project_has_ids_of_its_own(sent: list[dict[str, Any]]) -> None:
    report(told("a", "passed"), told("a", "passed", label="[edge]"))
    assert [event["id"] for event in sent] == ["a.test.js::suite::a", "a.test.js [edge]::suite::a"]


def test_a_pattern_names_its_files_in_order(tmp_path: Path) -> None:
    for name in ("b.js", "a.js"):
        (tmp_path / name).write_text("")
    assert wrapper.spread("*.js", str(tmp_path)) == ["a.js", "b.js"]
    assert wrapper.spread("--flag", str(tmp_path)) == ["--flag"]


@pytest.mark.parametrize("runner", ["mocha", "node", "jest"])
def test_what_is_told_as_passed_and_as_failed_is_no_pass(monkeypatch: pytest.MonkeyPatch, runner: str) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(wrapper.redgreen_events, "send", lambda **event: sent.append(event))
    made = wrapper.Report(None, ".", runner)
    for outcome in ("passed", "failed"):
        event = {"kind": "test", "file": "a.js", "label": "", "names": ["x"], "outcome": outcome}
        made.line(json.dumps(event).encode())
    assert {event["id"] for event in sent if event["outcome"] == "failed"} == {"a.js::x", "a.js::x (2)"}


def test_a_test_that_is_rewritten_and_put_back_while_it_runs_is_noticed(tmp_path: Path) -> None:
    test = tmp_path / "a.test.js"
    test.write_text("1")
    suites = [{"runner": "node", "folder": str(tmp_path), "near": [str(test)]}]
    before = wrapper.marks(suites)
    assert wrapper.marks(suites) == before
    about = test.stat()
    test.write_text("2")
    test.write_text("1")
    os.utime(test, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert wrapper.marks(suites) != before
