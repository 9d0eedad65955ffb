"""Where a patch landed: what is proven, what is disproved, and what nobody can tell."""

from __future__ import annotations

import pytest
from git_repository import File, Repository

from redgreen.git import GitError, Store
from redgreen.landing import landed, read_hunks
from redgreen.verdict import apply_patch

FIRST = b"def first(rows):\n    total = 0\n    for row in rows:\n        total += row\n    return total\n"
SECOND = FIRST.replace(b"first", b"second")
TEXT = b'"""Sums."""\n\n\n' + FIRST + b"\n\n" + SECOND
BASE: dict[str, File] = {"sums.py": TEXT}


def hunk(start: int, heading: str, context: str = "    for row in rows:") -> bytes:
    return (
        f"--- a/sums.py\n+++ b/sums.py\n@@ -{start},3 +{start},3 @@ {heading}".rstrip()
        + f"\n     total = 0\n {context}\n-        total += row\n+        total += abs(row)\n     return total\n"
    ).encode()


def changed_function(repository: Repository, store: Store, patch: bytes) -> str:
    base = repository.tree(BASE)
    tree, _ = apply_patch(store, base, patch)
    text = store.blob(tree, "sums.py")
    assert text is not None
    return "first" if b"abs" in text.split(b"def second")[0] else "second"


def test_a_hunk_where_it_says_is_proven(repository: Repository, store: Store) -> None:
    base = repository.tree(BASE)
    patch = hunk(5, "def first(rows):")
    tree = store.apply(base, patch, "--recount")
    assert landed(store, base, tree, patch) == ("proven", "")


@pytest.mark.parametrize(("start", "name"), [(5, "first"), (12, "second")])
def test_of_two_equal_places_the_one_that_is_named_is_taken(
    repository: Repository, store: Store, start: int, name: str
) -> None:
    assert changed_function(repository, store, hunk(start, f"def {name}(rows):")) == name


def test_a_hunk_that_git_would_put_into_another_function_is_refused(repository: Repository, store: Store) -> None:
    with pytest.raises(GitError, match=r"not in def second\(rows\)"):
        apply_patch(store, repository.tree(BASE), hunk(4, "def second(rows):"))


def test_a_hunk_for_a_function_that_is_not_there_is_refused(repository: Repository, store: Store) -> None:
    with pytest.raises(GitError, match="third"):
        apply_patch(store, repository.tree(BASE), hunk(40, "def third(rows):").replace(b"= 0", b"= 0.0"))


def test_a_stale_line_of_context_is_taken_where_the_function_is_named(repository: Repository, store: Store) -> None:
    one: dict[str, File] = {"sums.py": b'"""Sums."""\n\n\n' + FIRST}
    base = repository.tree(one)
    tree, how = apply_patch(
        store, base, hunk(9, "def first(rows):").replace(b"     total = 0\n", b"     total = 0.0\n")
    )
    assert how == "fuzzy"
    assert b"abs(row)" in (store.blob(tree, "sums.py") or b"")


def test_hunks_are_read_file_by_file_whatever_their_counts_say() -> None:
    patch = hunk(5, "def first(rows):") + b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
    assert [[(one.line, one.heading) for one in hunks] for hunks in read_hunks(patch)] == [
        [(5, b"def first(rows):")],
        [(1, b"")],
    ]
