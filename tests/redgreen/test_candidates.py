"""From a merged fix to a candidate, on small histories."""

from __future__ import annotations

from typing import Any

import pytest
from git_repository import File, Repository

import adapters
from redgreen.candidates import Found, LeftOut, build, ends, read_licence, task_id
from redgreen.contract import ROOT, sha256
from redgreen.documents import SetSpec
from redgreen.fixes import Fix
from redgreen.git import Store

MIT = (ROOT / "tasks" / "demo" / "ringlog" / "base" / "LICENSE").read_bytes()
BASE: dict[str, File] = {"LICENSE": MIT, "core.py": b"x = 1\n", "tests/test_core.py": b"def test_x(): pass\n"}
FIXED: dict[str, File] = {**BASE, "core.py": b"x = 2\n", "tests/test_core.py": b"def test_x(): assert True\n"}


def fix(commit: str, **facts: Any) -> Fix:
    common = {"repo": "o/n", "url": "https://example.org/o/n", "title": "x is wrong", "body": "It is 1.", "pull": 7}
    return Fix(commit=commit, statement_source="issue", **{**common, **facts})


@pytest.fixture
def base(repository: Repository) -> str:
    return repository.commit(repository.tree(BASE))


def built(store: Store, found: Fix, **spec: Any) -> Found | LeftOut:
    return build(store, found, SetSpec(source="mirror", **spec), adapters.all_languages())


def test_a_squash_is_a_candidate_on_its_parent(repository: Repository, store: Store, base: str) -> None:
    commit = repository.commit(repository.tree(FIXED), base)
    found = built(store, fix(commit, issues=(3,)))
    assert isinstance(found, Found)
    facts = found.facts
    assert (facts.id, facts.base_commit, facts.fix_commit, facts.commit) == ("o__n-7", base, commit, commit)
    assert (facts.test_files, facts.source_files) == (("tests/test_core.py",), ("core.py",))
    assert (facts.language, facts.licence, facts.issues, facts.merged_at) == (
        "python",
        "MIT",
        (3,),
        "2026-02-01T10:00:00Z",
    )
    assert facts.statement.sha256 == sha256(found.statement.encode())
    assert "x is wrong" in found.statement
    assert found.failure is None


def test_a_merge_is_a_candidate_where_its_branch_left(repository: Repository, store: Store, base: str) -> None:
    branch = repository.commit(repository.tree(FIXED), base)
    main = repository.commit(repository.tree({**BASE, "other.py": b"y = 1\n"}), base)
    merge = repository.commit(repository.tree({**FIXED, "other.py": b"y = 1\n"}), main, branch)
    found = built(store, fix(merge))
    assert isinstance(found, Found)
    assert (found.facts.base_commit, found.facts.fix_commit, found.facts.commit) == (base, branch, merge)
    assert found.facts.source_files == ("core.py",)


def test_a_base_that_the_source_knows_better_is_taken(repository: Repository, store: Store, base: str) -> None:
    first = repository.commit(repository.tree({**FIXED, "core.py": b"x = 1\n"}), base)
    second = repository.commit(repository.tree(FIXED), first)
    assert ends(store, fix(second, base=base)) == (base, second)
    assert ends(store, fix(second)) == (first, second)
    assert ends(store, fix(base)) == ("", base)


@pytest.mark.parametrize(
    ("change", "spec", "why"),
    [
        ({"core.py": b"x = 2\n"}, {}, "no test"),
        ({"tests/test_core.py": b"def test_x(): assert 1\n"}, {}, "no code"),
        ({"README.md": b"hello\n"}, {}, "no code"),
        ({"core.py": b"x = 2\n", "tests/data.json": b"{}\n"}, {}, "no test"),
        ({"README.md": b"x\n", "tests/test_core.py": b"def test_x(): assert 1\n"}, {}, "no code"),
        (FIXED, {"max_changed_lines": 3}, "too many lines"),
        ({**FIXED, "a.py": b"", "b.py": b""}, {"max_source_files": 2}, "too many files"),
        (FIXED, {"paths": ("src/*",)}, "other paths"),
    ],
)
def test_a_fix_that_cannot_be_a_task_is_left_out_with_a_word(
    repository: Repository, store: Store, base: str, change: dict[str, File], spec: dict[str, Any], why: str
) -> None:
    commit = repository.commit(repository.tree({**BASE, **change}), base)
    assert built(store, fix(commit), **spec) == LeftOut(why)


def test_the_first_commit_of_a_history_fixes_nothing(store: Store, base: str) -> None:
    assert built(store, fix(base)) == LeftOut("no parent")


@pytest.mark.parametrize(("licences", "refused"), [((), False), (("MIT",), False), (("Apache-2.0",), True)])
def test_a_licence_that_the_set_does_not_allow_is_a_failure_not_a_silence(
    repository: Repository, store: Store, base: str, licences: tuple[str, ...], refused: bool
) -> None:
    found = built(store, fix(repository.commit(repository.tree(FIXED), base)), licences=licences)
    assert isinstance(found, Found)
    assert (found.failure is not None) is refused
    if found.failure:
        assert (found.failure.stage, found.failure.reason) == ("mine", "licence")


def test_a_project_without_a_licence_is_a_failure(repository: Repository, store: Store) -> None:
    bare = repository.commit(repository.tree({p: f for p, f in BASE.items() if p != "LICENSE"}))
    found = built(
        store, fix(repository.commit(repository.tree({p: f for p, f in FIXED.items() if p != "LICENSE"}), bare))
    )
    assert isinstance(found, Found)
    assert found.failure
    assert found.failure.detail == "no licence was found"


def test_only_files_at_the_root_name_the_project_s_licence(repository: Repository, store: Store, base: str) -> None:
    vendored = repository.commit(repository.tree({"vendor/LICENSE": MIT, "a.py": b""}))
    assert read_licence(store, vendored) is None
    assert read_licence(store, base) == "MIT"


def test_an_id_is_the_pull_request_or_the_commit() -> None:
    assert task_id(fix("a" * 40), "b" * 40) == "o__n-7"
    assert task_id(fix("a" * 40, pull=None), "b" * 40) == "o__n-bbbbbbbbbb"
