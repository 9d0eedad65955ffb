"""Reading and writing documents: what is refused and how it is said, the same bytes every time, all or nothing."""

from __future__ import annotations

import errno
import json
import os
import time
from pathlib import Path
from typing import Any, NoReturn

import pytest

from redgreen import contract
from redgreen.contract import (
    checked,
    dump,
    load,
    load_lines,
    load_yaml,
    made_by,
    text_of,
    write,
    write_bytes,
    write_if_changed,
    write_lines,
)
from redgreen.documents import DOCUMENTS, Record, Run, RunSpec, Score, SetSpec, Stats
from redgreen.errors import UsageError
from redgreen.examples import EXAMPLES

SCORE = EXAMPLES["score"]


def refused(path: Path, model: type[Record]) -> tuple[str, str]:
    with pytest.raises(UsageError) as caught:
        load(path, model)
    assert caught.value.exit_status == 2
    assert "\n" not in str(caught.value)
    return str(caught.value), caught.value.hint


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_document_survives_writing_and_reading(tmp_path: Path, name: str) -> None:
    write(tmp_path / "document.json", EXAMPLES[name])
    assert load(tmp_path / "document.json", DOCUMENTS[name]) == EXAMPLES[name]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_document_refuses_an_unknown_key_and_another_version(tmp_path: Path, name: str) -> None:
    path = tmp_path / "document.json"
    for fault in ({"surprise": 1}, {"schema_version": 2}):
        path.write_text(json.dumps({**json.loads(dump(EXAMPLES[name])), **fault}))
        message, hint = refused(path, DOCUMENTS[name])
        assert message.startswith(f"{path}: $")
        assert next(iter(fault)) in message
        assert hint == f"schemas/{name}.schema.json says what a {name} document holds"


@pytest.mark.parametrize(
    ("place", "value", "path"),
    [
        (("run", "outcomes", "t::x"), "maybe", "$.run.outcomes['t::x']"),
        (("run", "exit_status"), "0", "$.run.exit_status"),
        (("status",), "good", "$.status"),
        (("resolved",), "yes", "$.resolved"),
        (("attempt",), None, "$.attempt"),
        (("made_by", "inputs", "accept.json"), "D" * 64, "$.made_by.inputs['accept.json']"),
        (("id",), "no-owner", "$.id"),
        (("id",), "a__" + "b" * 300, "$.id"),
    ],
)
def test_a_fault_is_named_by_its_json_path(tmp_path: Path, place: tuple[str, ...], value: Any, path: str) -> None:
    document = json.loads(dump(SCORE))
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    (tmp_path / "score.json").write_text(json.dumps(document))
    message, _ = refused(tmp_path / "score.json", Score)
    assert message.startswith(f"{tmp_path / 'score.json'}: {path}: ")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "line 1 column 1: not JSON"),
        (b'{"id": ', "not JSON"),
        (b"\xff\xfe", "byte 0: not UTF-8"),
        (b"[]", "$: [] is not of type 'object'"),
        (b"null", "$: None is not of type 'object'"),
        (b'{"a": ' + b"[" * 100_000, "nesting"),
        (b'{"attempt": ' + b"9" * 5000 + b"}", "number"),
    ],
)
def test_what_is_no_document_at_all_is_refused_in_one_line(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "score.json").write_bytes(content)
    assert words in refused(tmp_path / "score.json", Score)[0]


def test_a_digest_with_a_newline_behind_it_is_none(tmp_path: Path) -> None:
    document = json.loads(dump(SCORE))
    document["made_by"]["inputs"]["accept.json"] = "d" * 64 + "\n"
    (tmp_path / "score.json").write_text(json.dumps(document))
    message, hint = refused(tmp_path / "score.json", Score)
    assert "$.made_by.inputs.accept.json: String should match pattern" in message
    assert hint == "let the stage that writes it run again"


def test_a_document_that_is_not_there_or_no_file_is_refused_with_a_hint(tmp_path: Path) -> None:
    message, hint = refused(tmp_path / "none.json", Score)
    assert message == f"{tmp_path / 'none.json'}: no such document"
    assert "run the stage" in hint
    assert "not a file" in refused(tmp_path, Score)[0]


def test_lines_name_the_line_of_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    write_lines(path, [SCORE, SCORE])
    assert load_lines(path, Score) == [SCORE, SCORE]
    path.write_text(path.read_text() + "\n{}\n")
    with pytest.raises(UsageError, match=r"tasks\.jsonl:4: \$: "):
        load_lines(path, Score)


def test_a_specification_in_yaml_may_leave_defaults_out_and_is_held_against_its_schema(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("agents:\n  - {name: oracle, kind: oracle}\n")
    assert load_yaml(path, RunSpec).repeats == 1
    for text, words in {
        "agents: []": "$.agents",
        "agents: [{name: UPPER, kind: x}]": "$.agents[0].name",
        "agents: [": "not YAML",
        "agents: [{name: a, kind: x}]\nrepeats: 0": "$.repeats",
    }.items():
        path.write_text(text)
        with pytest.raises(UsageError) as caught:
            load_yaml(path, RunSpec)
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_document_is_one_text_whatever_the_order_of_its_keys() -> None:
    first = Run(ended="finished", exit_status=0, complete=True, outcomes={"b": "passed", "a": "failed"})
    second = Run(ended="finished", exit_status=0, complete=True, outcomes={"a": "failed", "b": "passed"})
    texts = {dump(EXAMPLES["report"].model_copy(update={"runs": {"green": (run,)}})) for run in (first, second)}
    assert len(texts) == 1
    text = texts.pop()
    assert text.endswith("}\n")
    assert json.loads(text) == json.loads(text, object_pairs_hook=lambda pairs: dict(sorted(pairs)))
    assert list(json.loads(text)) == sorted(json.loads(text))


def test_the_text_is_ascii_with_one_newline_at_the_end_in_lines_too() -> None:
    odd = SCORE.model_copy(update={"why": "\u00e4 \u2028 \x85 \U0001f600"})
    assert dump(odd).isascii()
    assert text_of(checked(odd), indent=None).count("\n") == 1
    assert Score.model_validate_json(dump(odd)) == odd


def test_a_document_that_does_not_match_its_own_schema_is_never_written(tmp_path: Path) -> None:
    broken = SCORE.model_copy(update={"status": "splendid"})
    with pytest.raises(UsageError, match="about to be written"):
        write(tmp_path / "score.json", broken)
    with pytest.raises(UsageError, match="about to be written"):
        write_lines(tmp_path / "scores.jsonl", [SCORE, broken])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_what_was_there_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, fault: BaseException
) -> None:
    path = tmp_path / "score.json"
    path.write_text("before")

    def fail(*_: object) -> NoReturn:
        raise fault

    monkeypatch.setattr(os if call == "fsync" else Path, call, fail)
    with pytest.raises(type(fault)):
        write(path, SCORE)
    assert [found.name for found in tmp_path.iterdir()] == ["score.json"]
    assert path.read_text() == "before"


def test_a_written_file_can_be_read_by_others_and_makes_its_folders(tmp_path: Path) -> None:
    write_bytes(tmp_path / "a" / "b" / "x", b"1")
    assert (tmp_path / "a" / "b" / "x").stat().st_mode & 0o777 == 0o644
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["x"]


def test_an_equal_file_keeps_its_time(tmp_path: Path) -> None:
    path = tmp_path / "x"
    assert write_if_changed(path, b"1")
    os.utime(path, ns=(10**18, 10**18))
    assert not write_if_changed(path, b"1")
    assert path.stat().st_mtime_ns == 10**18
    assert write_if_changed(path, b"2")
    assert path.stat().st_mtime_ns != 10**18
    assert path.read_bytes() == b"2"


def test_provenance_holds_digests_by_name_and_no_time(tmp_path: Path) -> None:
    for name in ("b.json", "a.json"):
        (tmp_path / name).write_text(name)
    first = made_by("accept", [tmp_path / "b.json", tmp_path / "a.json"])
    time.sleep(0.01)
    second = made_by("accept", [tmp_path / "a.json", tmp_path / "b.json"])
    assert first == second
    assert first.inputs["a.json"] == contract.sha256(b"a.json")
    assert (first.sandbox, first.image) == (None, None)
    assert first.flake_lock == contract.sha256_file(contract.ROOT / "flake.lock")


def test_no_document_can_hold_what_json_cannot() -> None:
    stats = EXAMPLES["stats"]
    assert isinstance(stats, Stats)
    assert "NaN" not in dump(stats)
    assert SetSpec(source="demo").model_dump(mode="json")["repos"] == []
