"""Which tests a diff changes, on real git objects."""

from __future__ import annotations

import pytest
from git_repository import Repository

from redgreen.changed_tests import changed_tests, name_of, taken_along
from redgreen.documents import Run
from redgreen.git import Store

BEFORE = b"""\
import it

def test_one():
    assert it.one() == 1

def test_two():
    # as test_one
    assert it.two() == 2

def test_three():
    assert it.three() == 3
"""
ONE, TWO, THREE = (f"t/test_it.py::{name}" for name in ("test_one", "test_two", "test_three"))
NEW = "t/test_it.py::test_four"


def run(*outcomes: str, broken: tuple[str, ...] = ()) -> Run:
    passed = dict.fromkeys(outcomes, "passed")
    return Run(ended="finished", exit_status=0, complete=True, collection_errors=broken, outcomes=passed)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        (b"== 2", b"== 4", (TWO,)),
        (b"import it\n", b"import it, more\n", ()),
        (b"def test_two", b"def test_four():\n    pass\n\ndef test_two", (NEW,)),
        (b"def test_two", b"@twice\n# new\ndef test_four():\n    pass\n\ndef test_two", (NEW,)),
        (b"    # as test_one\n", b"", (TWO,)),
        (b"== 3\n", b"== 3\n\ndef test_four(): pass\n", (NEW,)),
        (b"() == 1", b"(1) == 1", (ONE,)),
        (b"2\n\ndef test_three():\n    assert", b"2\n    pass\n\ndef test_three():\n    assert 3 ==", (TWO, THREE)),
    ],
    ids=[
        "its body",
        "an import",
        "a new one before it",
        "a new one with marks",
        "a line less",
        "a new one at the end",
        "the first",
        "two",
    ],
)
def test_a_test_is_changed_if_a_line_between_its_name_and_the_next_name_is(
    store: Store, repository: Repository, old: bytes, new: bytes, changed: tuple[str, ...]
) -> None:
    assert BEFORE.count(old) == 1
    trees = [repository.tree({"t/test_it.py": text}) for text in (BEFORE, BEFORE.replace(old, new))]
    assert changed_tests(store, store.changes(*trees), [NEW, ONE, TWO, THREE]) == changed


def test_every_test_of_a_new_file_is_changed_and_none_of_a_deleted_one(store: Store, repository: Repository) -> None:
    trees = [repository.tree({"x": b""}), repository.tree({"x": b"", "t/test_it.py": BEFORE})]
    assert changed_tests(store, store.changes(*trees), [ONE, NEW]) == (ONE,)
    assert changed_tests(store, store.changes(*reversed(trees)), [ONE, NEW]) == ()


@pytest.mark.parametrize(
    ("test", "name"),
    [
        ("t/test_a.py::TestIt::test_x[1-[a]]", "test_x"),
        ("pkg::TestParse/an_empty_line", "TestParse"),
        (".::org.example.ItTest$Nested::adds(int)[3]", "adds"),
        ("a.test.ts::sum > adds > two numbers", "two numbers"),
        ("src/lib.rs::tests::adds", "adds"),
        ("a.test.ts::it works (really)", "it works (really)"),
    ],
)
def test_the_name_is_what_stands_in_the_source(test: str, name: str) -> None:
    assert name_of(test) == name


def test_taken_along_is_what_passed_on_the_base_and_could_not_be_loaded_later() -> None:
    base = [run(ONE, TWO, THREE), run(ONE, TWO)]
    red = [run(ONE), run(ONE, broken=("t/test_it.py",))]
    assert taken_along(base, red) == [TWO]
    assert taken_along(base, [run(ONE)]) == []
