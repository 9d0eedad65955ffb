"""What a reader of a patch is told, and what is left alone."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from git_repository import File, Repository, link

from redgreen.git import Store
from redgreen.suspicion import suspicions

BASE: dict[str, File] = {
    "core.py": b"import gc\n\n\ndef price(text):\n    return 0\n",
    "inner.rs": b"fn one() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() { assert!(1 == 1); }\n}\n",
    "tests/test_core.py": b"",
}
FIX: dict[str, File] = {
    **BASE,
    "core.py": b"import gc\nimport atexit\n\n\ndef price(text):\n    return len(text)\n",
    "tests/test_core.py": b"VALUES = ['11a', '22b', '33c', '44d', '55e', '66f']\n",
}


class Language:
    suspicious: Mapping[str, str] = {r"\batexit\b": "atexit", r"\bgc\b": "gc", r"\bframe\b": "frame"}
    inline_tests = r"#\[cfg\(test\)\]"

    def decides_tests(self, path: str) -> bool:
        return path.startswith("tests/")


def told(repository: Repository, store: Store, files: Mapping[str, File]) -> list[str]:
    base, fix = repository.tree(BASE), repository.tree(FIX)
    return suspicions(store, base, fix, repository.tree({**BASE, **files}), Language())


def test_the_human_fix_and_the_base_are_never_suspected(repository: Repository, store: Store) -> None:
    assert told(repository, store, FIX) == told(repository, store, {}) == []


def test_code_is_told_unless_the_file_or_the_human_fix_does_the_same(repository: Repository, store: Store) -> None:
    text = b"import gc\nimport atexit\ngc.x\nframe\n"
    assert told(repository, store, {"core.py": text}) == ["core.py: frame"]
    assert told(repository, store, {"new.py": text}) == ["new.py: frame", "new.py: gc"]


def test_only_lines_that_were_not_there_count(repository: Repository, store: Store) -> None:
    moved = b"\n\ndef price(text):\n    return 0\n\n\nimport gc\n"
    assert told(repository, store, {"core.py": moved}) == []


def test_a_link_and_the_name_of_a_hidden_test_are_told(repository: Repository, store: Store) -> None:
    files: dict[str, File] = {"way": link("core.py"), "core.py": b"open('test_core.py')\n"}
    assert told(repository, store, files) == ["core.py: names the hidden test file test_core.py", "way: adds a link"]


@pytest.mark.parametrize(
    ("held", "found"), [(b"'11a', '22b', '33c', '44d', '55e'", 1), (b"'11a', '22b', 'x9', 'y8'", 0)]
)
def test_many_values_of_the_hidden_tests_are_a_table_of_answers(
    repository: Repository, store: Store, held: bytes, found: int
) -> None:
    lines = told(repository, store, {"core.py": b"ANSWERS = [%b]\n" % held})
    assert len([line for line in lines if "table of answers" in line]) == found


def test_tests_inside_a_source_that_lose_a_line_are_told_and_new_ones_are_not(
    repository: Repository, store: Store
) -> None:
    content = BASE["inner.rs"]
    assert isinstance(content, bytes)
    weaker = content.replace(b"assert!(1 == 1);", b"")
    more = content.replace(b"mod tests {", b"mod tests {\n    #[test]\n    fn two() { assert!(2 == 2); }")
    assert told(repository, store, {"inner.rs": weaker}) == ["inner.rs: changes or removes tests inside a source"]
    assert told(repository, store, {"inner.rs": more}) == []


def test_a_binary_file_is_not_read(repository: Repository, store: Store) -> None:
    assert told(repository, store, {"blob": b"\0frame atexit"}) == []


def test_a_head_that_stays_and_a_body_that_changes_tell_together(repository: Repository, store: Store) -> None:
    language = Language()
    language.suspicious = {r"def price\(text\):\n    return True": "always true"}
    base, fix = repository.tree(BASE), repository.tree(FIX)
    tree = repository.tree({**BASE, "core.py": b"import gc\n\n\ndef price(text):\n    return True\n"})
    assert suspicions(store, base, fix, tree, language) == ["core.py: always true"]


def test_a_file_that_is_too_large_to_look_through_is_told(repository: Repository, store: Store) -> None:
    assert told(repository, store, {"new.py": b"x = 1  # frame\n" * 10_000}) == ["new.py: is too large to look through"]
    long = b"y = 2\n" * 20_000
    base = repository.tree({**BASE, "core.py": long})
    tree = repository.tree({**BASE, "core.py": long + b"frame\n"})
    assert suspicions(store, base, base, tree, Language()) == ["core.py: frame"]
