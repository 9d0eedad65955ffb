"""What every registered language offers."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import adapters
from redgreen.language import Language

MEMBERS = sorted(
    {*Language.__annotations__} | {name for name, member in vars(Language).items() if inspect.isfunction(member)}
)


@pytest.mark.parametrize("name", adapters.LANGUAGES)
def test_a_language_has_every_member_of_the_interface_with_its_parameters(name: str) -> None:
    found = adapters.language(name)
    assert found.name == name
    for member in (one for one in MEMBERS if not one.startswith("_")):
        assert hasattr(found, member), member
        wanted = getattr(Language, member, None)
        if inspect.isfunction(wanted):
            told = inspect.signature(getattr(found, member)).parameters
            assert [*told] == [*inspect.signature(wanted).parameters][1:], member


@pytest.mark.parametrize("name", adapters.LANGUAGES)
def test_a_test_decides_how_tests_run_and_a_language_has_its_container(name: str) -> None:
    language = adapters.language(name)
    for path in (
        "tests/test_a.py",
        "a_test.go",
        "src/a.test.ts",
        "src/test/java/ATest.java",
        "tests/a.rs",
        "README.md",
    ):
        assert language.decides_tests(path) or not language.is_test(path)
    containers = Path(adapters.__file__).parents[1] / "containers" / name
    assert (containers / "Containerfile").is_file() and (containers / "packages.lock").stat().st_size > 1000


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("tests/test_a.py", "python"),
        ("pkg/a_test.go", "go"),
        ("packages/a/src/a.test.ts", "typescript"),
        ("core/src/test/java/org/example/ATest.java", "java"),
        ("crates/a/tests/a.rs", "rust"),
    ],
)
def test_code_of_a_test_is_of_one_language(path: str, name: str) -> None:
    languages = adapters.all_languages()
    assert [one.name for one in languages if one.is_source(path) and one.is_test(path)] == [name]
