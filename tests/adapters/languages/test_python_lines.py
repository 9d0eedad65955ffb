"""Which changed lines a test has to run: those that do nothing until a function is called."""

from __future__ import annotations

import pytest

from adapters.languages.python_lines import lines_to_touch
from redgreen.language import ChangedFile

TEXT = '''"""Docs."""
import re

TABLE = {1: 2}


def plain(a,
          b):
    """What it does."""
    if (a and
            b):
        return sum([a,
                    b])
    try:
        return a
    except ValueError:
        import os
        return os


def with_default(a=TABLE):
    return a


class Kind:
    limit = 3

    @property
    def method(self):
        return self.limit
'''


def touch(*lines: int, path: str = "pkg/core.py") -> dict[str, list[int]] | None:
    return lines_to_touch({path: ChangedFile(TEXT, lines)})


@pytest.mark.parametrize(
    ("line", "wanted"),
    [(10, [10, 11]), (11, [10, 11]), (13, [12, 13]), (15, [15]), (18, [18]), (22, [22]), (30, [30])],
)
def test_a_line_of_a_body_stands_for_its_statement(line: int, wanted: list[int]) -> None:
    assert touch(line) == {"pkg/core.py": wanted}


@pytest.mark.parametrize("line", [4, 21, 26, 28])
def test_a_table_a_default_an_attribute_or_a_decorator_works_without_being_run(line: int) -> None:
    assert touch(line, 15) is None


@pytest.mark.parametrize("line", [1, 2, 7, 9, 17, 25])
def test_texts_imports_and_plain_heads_ask_for_nothing(line: int) -> None:
    assert touch(line) is None
    assert touch(line, 15) == {"pkg/core.py": [15]}


def test_notes_are_left_out_and_other_code_tells_nothing() -> None:
    body = ChangedFile(TEXT, (15,))
    for note in ("CHANGES.rst", "releasenotes/notes/a-1.yaml", ".github/workflows/ci.yaml", "uv.lock", "docs/conf.py"):
        assert lines_to_touch({"a.py": body, note: ChangedFile("x", (1,))}) == {"a.py": [15]}, note
    assert lines_to_touch({"a.py": body, "pkg/data.yaml": ChangedFile("x", (1,))}) is None
    assert lines_to_touch({"a.py": body, "a.pyx": ChangedFile("x", (1,))}) is None
    assert lines_to_touch({"a.py": ChangedFile("def (", (1,))}) is None
