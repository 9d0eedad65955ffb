"""collect, pin and show: the set as a whole."""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

import pytest
from stage_runner import assert_refuses, break_document, call, files, loads, well

from redgreen.contract import load_lines, sha256, write, write_lines
from redgreen.documents import Failure, Task
from redgreen.examples import EXAMPLES

TASK = cast(Task, EXAMPLES["task"])
LOCK = b"pytest==9.0.2\n"


def task(name: str, *, rejected: bool = False, url: str = "https://example.org/o/n") -> Task:
    assert TASK.lock
    facts = {
        "id": name,
        "candidate": TASK.candidate.model_copy(update={"id": name, "url": url}),
        "lock": TASK.lock.model_copy(update={"sha256": sha256(LOCK)}),
    }
    rejection = Failure(stage="accept", reason="flaky", detail="differs")
    return TASK.model_copy(update={**facts, **({"task": None, "rejection": rejection} if rejected else {})})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "out" / "set"
    for found in (task("o__n-2"), task("o__n-1"), task("o__n-3", rejected=True)):
        write(made / "tasks" / found.id / "accept.json", found)
        (made / "tasks" / found.id / "lock.txt").write_bytes(LOCK)
    return made


IDS = ("o__n-3", "o__n-2", "o__n-1")


def test_collect_divides_accepted_from_rejected_by_id(folder: Path) -> None:
    ended = well("collect", folder, *IDS)
    assert "2 accepted; rejected: 1 flaky" in ended.stderr
    assert [found.id for found in load_lines(folder / "tasks.jsonl", Task)] == ["o__n-1", "o__n-2"]
    assert [found.id for found in load_lines(folder / "rejected.jsonl", Task)] == ["o__n-3"]


def test_collect_gives_the_same_bytes_in_any_order(folder: Path) -> None:
    well("collect", folder, *IDS)
    first = files(folder)
    well("collect", folder, *reversed(IDS))
    assert files(folder) == first


def test_collect_refuses_a_document_that_breaks_its_schema(folder: Path) -> None:
    broken = folder / "tasks" / "o__n-2" / "accept.json"
    break_document(broken)
    assert_refuses("collect", broken, folder, *IDS, writes=folder)


def test_collect_refuses_an_id_without_a_document(folder: Path) -> None:
    ended = call("collect", folder, "o__n-1", "o__n-8")
    assert ended.status == 2
    assert "no such document" in ended.stderr
    assert not (folder / "tasks.jsonl").exists()


SPEC = "agents: [{name: oracle, kind: oracle}, {name: twice, kind: empty}]\nrepeats: 2\n"


def test_the_attempts_of_a_run_are_listed_for_make(folder: Path, tmp_path: Path) -> None:
    well("collect", folder, *IDS)
    spec, to = tmp_path / "run.yaml", folder / "runs" / "run" / "attempts.mk"
    spec.write_text(SPEC)
    well("collect", folder, "--spec", spec, "--to", to)
    words = to.read_text().replace("\\\n", "").split()
    assert words[:2] == ["ATTEMPTS", ":="]
    assert words[2:6] == ["o__n-1/oracle-1", "o__n-1/twice-1", "o__n-1/oracle-2", "o__n-1/twice-2"]
    assert len(words) == 2 + 8
    os.utime(to, (1, 1))
    well("collect", folder, "--spec", spec, "--to", to)
    assert to.stat().st_mtime > 1, "Make must see that it is up to date"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("agents: []\n", "$.agents"),
        ("agents: [{name: a, kind: magic}]\n", "magic: no such agent"),
        ("a: [", "not YAML"),
    ],
)
def test_a_run_specification_that_is_none_is_refused_before_anything_runs(
    folder: Path, tmp_path: Path, text: str, words: str
) -> None:
    well("collect", folder, *IDS)
    (tmp_path / "run.yaml").write_text(text)
    to = folder / "attempts.mk"
    ended = call("collect", folder, "--spec", tmp_path / "run.yaml", "--to", to)
    assert ended.status == 2
    assert words in ended.stderr
    assert not to.exists()


def test_pin_keeps_accepted_tasks_and_each_lock_once(folder: Path, tmp_path: Path) -> None:
    well("collect", folder, *IDS)
    to = tmp_path / "v1"
    ended = well("pin", folder, to)
    assert ended.stdout.splitlines() == [str(to / "o__n-1.json"), str(to / "o__n-2.json")]
    kept = files(to)
    assert set(kept) == {"o__n-1.json", "o__n-2.json", "set.yaml", f"locks/{sha256(LOCK)[:16]}.txt"}
    well("pin", folder, to)
    assert files(to) == kept


def test_pin_keeps_only_the_named_ones_and_knows_no_rejected_one(folder: Path, tmp_path: Path) -> None:
    well("collect", folder, *IDS)
    well("pin", folder, tmp_path / "v1", "o__n-2")
    assert loads(tmp_path / "v1" / "o__n-2.json")["candidate"]["id"] == "o__n-2"
    assert not (tmp_path / "v1" / "o__n-1.json").exists()
    ended = call("pin", folder, tmp_path / "v2", "o__n-3")
    assert ended.status == 2
    assert "not an accepted task" in ended.stderr
    assert not (tmp_path / "v2").exists()


@pytest.mark.parametrize("url", ["demo:slugline", "/home/somebody/clone", "git@example.org:o/n.git"])
def test_pin_refuses_a_repository_without_a_public_address(folder: Path, tmp_path: Path, url: str) -> None:
    write_lines(folder / "tasks.jsonl", [task("o__n-1", url=url)])
    ended = call("pin", folder, tmp_path / "v1")
    assert ended.status == 2
    assert "is no public address" in ended.stderr
    assert not (tmp_path / "v1").exists()


def test_pin_and_show_refuse_a_list_that_breaks_its_schema(folder: Path, tmp_path: Path) -> None:
    well("collect", folder, *IDS)
    broken = folder / "tasks.jsonl"
    broken.write_text(broken.read_text().replace('"schema_version": 1', '"schema_version": 9'))
    for stage, arguments in {"pin": (folder, tmp_path / "v1"), "show": (folder,)}.items():
        assert_refuses(stage, broken, *arguments, writes=tmp_path)


def test_show_tells_what_became_of_each(folder: Path) -> None:
    well("collect", folder, *IDS)
    before = files(folder)
    shown = well("show", folder).stdout
    assert "accepted  o__n-1  cpython 3.13.0, pytest" in shown
    assert "rejected  o__n-3  flaky (accept): differs" in shown
    assert well("show", folder).stdout == shown
    assert files(folder) == before
