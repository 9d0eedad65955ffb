"""What Go's coverage says about the tests of a fix."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.languages.go_lines import untouched
from redgreen.language import ChangedFile

TEXT = """package clock

var table = []int{1, 2}

// Later adds.
func Later(a int) int {
	if a > 1 {
		return a
	}
	return a + 1
}
"""
RAN: dict[str, Any] = {"event": "ran", "ids": [".::TestB", ".::TestA"]}


def told(lines: tuple[int, ...], times: int, path: str = "clock.go") -> tuple[str, ...] | None:
    blocks = {"event": "blocks", "path": "clock.go", "blocks": [[6, 7, 1], [7, 9, times], [10, 10, 1]]}
    return untouched({path: ChangedFile(TEXT, lines)}, [RAN, blocks])


@pytest.mark.parametrize(("lines", "times"), [((8,), 1), ((8,), 3), ((8, 10), 0), ((5, 8), 2)])
def test_one_changed_statement_that_runs_is_enough(lines: tuple[int, ...], times: int) -> None:
    assert told(lines, times) == ()


def test_all_tests_are_named_if_no_changed_statement_runs() -> None:
    assert told((8,), 0) == (".::TestA", ".::TestB")
    assert told((5, 8), 0) == (".::TestA", ".::TestB")


def test_a_changed_table_a_file_without_coverage_or_a_note_alone_tells_nothing() -> None:
    assert told((3, 8), 0) is None
    assert told((8,), 0, path="other.go") is None
    assert told((5,), 0) is None
    assert told((1,), 0, path="README.md") is None
