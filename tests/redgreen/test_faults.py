"""Whose fault it is that an attempt ended, and what that means for its score."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from redgreen.documents import Attempt
from redgreen.examples import EXAMPLES
from redgreen.faults import BY_NAME, FAULTS, classify, excluded

ATTEMPT = cast(Attempt, EXAMPLES["attempt"])


@pytest.mark.parametrize(
    ("status", "said", "name"),
    [
        (429, "Rate limit reached for requests", "rate_limit"),
        (429, "You exceeded your current quota, please check your plan", "billing"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", "context_overflow"),
        (400, "This model's maximum context length is 8192 tokens", "context_overflow"),
        (413, "", "request_too_large"),
        (402, "", "billing"),
        (401, "", "authentication"),
        (404, "The model `x-9` does not exist", "unknown_model"),
        (529, "Overloaded", "service_error"),
        (None, "Connection reset by peer", "service_error"),
        (400, "blocked by our content_filter", "refusal"),
        (418, "I am a teapot", "unknown"),
        (None, "", "unknown"),
    ],
)
def test_a_service_s_error_has_one_name(status: int | None, said: str, name: str) -> None:
    assert classify(status, said).name == name


@pytest.mark.parametrize("name", [fault.name for fault in FAULTS if fault.whose == "model"])
def test_what_is_the_model_s_is_scored(name: str) -> None:
    fault = BY_NAME[name]
    assert fault.policy == "score"
    assert excluded(ATTEMPT.model_copy(update={"fault": name, "stopped": fault.stopped})) is None


@pytest.mark.parametrize("name", [fault.name for fault in FAULTS if fault.whose != "model"])
def test_what_is_not_the_model_s_is_never_charged_to_it(name: str) -> None:
    fault = BY_NAME[name]
    assert (fault.stopped, fault.policy in ("retry", "stop")) == ("infra", True)
    assert excluded(ATTEMPT.model_copy(update={"fault": name, "stopped": "done"})) == fault.what


def test_the_table_for_readers_has_every_fault() -> None:
    page = (Path(__file__).parents[2] / "docs" / "faults.md").read_text()
    rows = {line.split("|")[1].strip(): line for line in page.splitlines() if line.startswith("| ")}
    for fault in FAULTS:
        assert [cell.strip() for cell in rows[fault.name].split("|")[2:5]] == [fault.what, fault.whose, fault.policy]
