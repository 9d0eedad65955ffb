"""schemas/: generated from the models, an example each, and valid themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from redgreen import contract, schemas
from redgreen.contract import SCHEMAS, dump
from redgreen.documents import DOCUMENTS
from redgreen.errors import UsageError
from redgreen.examples import EXAMPLES
from redgreen.schemas import schema_text


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_schema_and_the_example_in_the_repository_are_what_the_models_say(name: str) -> None:
    hint = "run `make schemas`"
    assert (SCHEMAS / f"{name}.schema.json").read_text() == schema_text(name, DOCUMENTS[name]), hint
    assert (SCHEMAS / f"{name}.example.json").read_text() == dump(EXAMPLES[name]), hint


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_schema_is_valid_closed_and_takes_its_example(name: str) -> None:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    example = json.loads((SCHEMAS / f"{name}.example.json").read_text())
    assert list(Draft202012Validator(schema).iter_errors(example)) == []
    parts = [schema, *schema.get("$defs", {}).values()]
    assert all(part.get("additionalProperties") is False for part in parts if part.get("type") == "object")


def test_there_is_no_schema_without_a_document() -> None:
    assert {path.name for path in SCHEMAS.iterdir()} == {
        f"{name}.{kind}.json" for name in DOCUMENTS for kind in ("schema", "example")
    }


def test_writing_them_again_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemas, "SCHEMAS", tmp_path)
    schemas.main()
    times = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    schemas.main()
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == times
    assert len(times) == 2 * len(DOCUMENTS)


def test_a_schema_is_read_once() -> None:
    assert contract._schema("score") is contract._schema("score")
    assert contract._quick_validator("score") is contract._quick_validator("score") is not None


def variations(value: Any) -> Iterator[Any]:
    """The value with each of its parts, one at a time, left out, added to, or replaced by something of another kind."""
    others: list[Any] = [None, True, 0, -1, 1.5, 2.0, 10**30, "", "x" * 300, "2026-02-30", [], {}, ["x"], {"x": 1}]
    yield from others
    if isinstance(value, dict):
        yield {**value, "unknown": 1}
        for key, part in value.items():
            rest = {other: one for other, one in value.items() if other != key}
            yield rest
            yield from ({**rest, key: changed} for changed in variations(part))
    elif isinstance(value, list):
        yield [*value, *value]
        for place, part in enumerate(value):
            yield from ([*value[:place], changed, *value[place + 1 :]] for changed in variations(part))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_quick_check_says_of_every_variation_of_an_example_what_jsonschema_says(name: str) -> None:
    slow = Draft202012Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_text()))
    tried = [json.loads(dump(EXAMPLES[name])), *variations(json.loads(dump(EXAMPLES[name])))]
    told = [contract._quickly_valid(value, name) for value in tried]
    assert told == [slow.is_valid(value) for value in tried]
    assert {True, False} <= set(told)


def test_without_the_quick_check_jsonschema_decides_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract, "_quick_validator", lambda name: None)
    value = json.loads(dump(EXAMPLES["score"]))
    contract.check(value, DOCUMENTS["score"], "score.json")
    with pytest.raises(UsageError, match=r"score\.json: \$: "):
        contract.check({**value, "unknown": 1}, DOCUMENTS["score"], "score.json")
