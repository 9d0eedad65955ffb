"""schemas/: generated from the models, an example each, and valid themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from redgreen import contract, schemas
from redgreen.contract import SCHEMAS, dump
from redgreen.documents import DOCUMENTS
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


def test_the_validator_is_built_once() -> None:
    assert contract._validator("score") is contract._validator("score")
