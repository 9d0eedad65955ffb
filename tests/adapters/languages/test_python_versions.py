"""The choice of a Python: what the project names, what had settled on the day, what is at hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from adapters.languages.python_versions import RELEASED, choose, choose_version, look_until, minor_of

AT_HAND = ["2.7.18", "3.6.15", "3.7.16", "3.8.18", "3.9.18", "3.10.13", "3.11.7", "3.12.1", "3.13.0"]


@pytest.mark.parametrize(
    ("requires", "named", "day", "expected"),
    [
        (">=3.10", ["3.10", "3.11", "3.12", "3.13", "3.14"], "2026-06-03T10:00:00Z", "3.13.0"),
        (">=3.6", ["3.6", "3.7", "3.8", "3.9"], "2021-04-20", "3.9.18"),
        (">=3.8", ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"], "2025-10-20", "3.13.0"),
        (">=3.8", ["3.8", "3.9", "3.10"], "2026-01-01", "3.10.13"),
        (">=3.8,<3.12", [], "2025-01-01", "3.11.7"),
        (None, [], "2020-02-01", "3.8.18"),
        (None, ["2.6", "2.7"], "2014-05-25", "2.7.18"),
    ],
)
def test_takes_the_newest_named_python_that_had_settled(
    requires: str | None, named: list[str], day: str, expected: str
) -> None:
    assert choose(requires, named, as_of=day, available=AT_HAND).version == expected


def test_waits_sixty_days_after_a_release() -> None:
    named = ["3.11", "3.12"]
    assert choose_version(None, named, as_of="2023-11-30", available=AT_HAND) == "3.11.7"
    assert choose_version(None, named, as_of="2023-12-01", available=AT_HAND) == "3.12.1"


def test_takes_the_newest_patch_of_a_minor() -> None:
    assert choose_version(None, ["3.9"], as_of="2024-01-01", available=["3.9.18", "3.9.2", "3.9.9"]) == "3.9.18"


def test_never_takes_a_python_that_requires_python_excludes() -> None:
    choice = choose(">=3.9", ["3.6", "3.7", "3.8"], as_of="2021-06-01", available=AT_HAND)
    assert choice.version == "3.9.18"
    assert "3.8 is wanted" in choice.note


def test_prefers_a_slightly_newer_python_3_to_python_2_for_a_project_of_both() -> None:
    choice = choose(None, ["2.7", "3.4", "3.5"], as_of="2016-06-01", available=AT_HAND)
    assert choice.version == "3.6.15"
    assert "3.5 is wanted" in choice.note


def test_falls_back_to_python_2_where_no_python_3_is_near() -> None:
    assert choose(None, ["2.6", "2.7", "3.2"], as_of="2014-03-01", available=AT_HAND).version == "2.7.18"


def test_says_why_nothing_fits() -> None:
    choice = choose(">=3.14", ["3.14"], as_of="2026-06-01", available=AT_HAND)
    assert choice.version is None
    assert "3.14" in choice.note


def test_ignores_a_specifier_that_cannot_be_read_and_says_so() -> None:
    choice = choose("at least three", ["3.9"], as_of="2022-01-01", available=AT_HAND)
    assert choice.version == "3.9.18"
    assert "at least three" in choice.note


def test_never_takes_a_python_whose_release_day_is_unknown() -> None:
    assert choose_version(None, ["3.13", "3.15"], as_of="2026-12-01", available=["3.13.0", "3.15.0"]) == "3.13.0"


@given(
    named=st.lists(st.sampled_from([f"{major}.{minor}" for major, minor in RELEASED]), max_size=5),
    day=st.dates(min_value=min(RELEASED.values())).map(str),
    available=st.lists(st.sampled_from(AT_HAND), unique=True),
    requires=st.sampled_from([None, ">=3.7", "<3.10", ">=2.7,!=3.0.*", "~=3.8"]),
)
def test_answers_with_an_available_and_admitted_python_or_a_reason(
    named: list[str], day: str, available: list[str], requires: str | None
) -> None:
    choice = choose(requires, named, as_of=day, available=available)
    if choice.version is None:
        assert choice.note
    else:
        assert choice.version in available
        assert choice.version in SpecifierSet(requires or "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("3.9", (3, 9)), ("3.10.13", (3, 10)), ("cpython-3.12", (3, 12)), ("3", None), ("pypy", None)],
)
def test_reads_a_minor_version(text: str, expected: tuple[int, int] | None) -> None:
    assert minor_of(text) == expected


def test_looks_further_than_the_day_only_for_packages_that_need_it_and_never_back() -> None:
    assert set(look_until("2018-06-11T10:00:00Z")) == {"setuptools", "wheel", "atomicwrites", "codecov"}
    assert look_until("2022-01-01") == {
        "atomicwrites": "2022-07-10T00:00:00Z",
        "codecov": "2023-04-20T00:00:00Z",
    }
    assert look_until("2026-06-01") == {}
