"""What stages/materialize.py does."""

from __future__ import annotations

import re
import shutil
import time

import adapters
from redgreen.contract import made_by, write
from redgreen.documents import Candidate, CandidateFacts, Failure, Workspace, WorkspaceFacts
from redgreen.errors import Rejected
from redgreen.folder import check_tree, write_tree
from redgreen.git import SUBMODULE, GitError, Store, digest, select, shown
from redgreen.inputs import load_of
from redgreen.places import TaskPlace
from redgreen.stage import say

LFS_HEAD = "version https://git-lfs.github.com/spec/"


def describe(store: Store, facts: CandidateFacts) -> WorkspaceFacts:
    """The three trees that everything is tested on, and what a build may ask git for."""
    language = adapters.language(facts.language)
    base, fix = store.tree(facts.base_commit), store.tree(facts.fix_commit)
    for tree in (base, fix):  # also of what only the later stages write
        check_tree(store, tree)
    tests, sources = select(store.changes(base, fix), language.decides_tests)
    entries = store.entries(base)
    return WorkspaceFacts(
        base_tree=base,
        tests_tree=store.mix(base, tests),
        fix_tree=fix,
        source_half=digest(sources),
        test_half=digest(tests),
        version_hint=version_hint(store, facts.base_commit),
        submodules=tuple(shown(entry.path) for entry in entries if entry.mode == SUBMODULE),
        lfs_pointers=lfs_pointers(store, base)
        if any(entry.path.endswith(b".gitattributes") for entry in entries)
        else (),
    )


def lfs_pointers(store: Store, tree: str) -> tuple[str, ...]:
    """Files whose content lies elsewhere: what is in the tree is a pointer, and stays one."""
    try:
        found = store.git("grep", "-z", "--name-only", "--fixed-strings", "-e", LFS_HEAD, tree)
    except GitError:  # exit status 1: none
        return ()
    return tuple(shown(name.partition(b":")[2]) for name in found.split(b"\0") if name)


def version_hint(store: Store, commit: str) -> str | None:
    """The newest tag's version before a commit, such as 8.1.3, or None if no tag looks like one."""
    try:
        tag = store.line("describe", "--tags", "--abbrev=0", commit)
    except GitError:
        return None
    found = re.search(r"\d+(?:[._]\d+)+(?:\.?(?:a|b|rc|post)\d+)?", tag)
    return found[0].replace("_", ".") if found else None


def materialize(place: TaskPlace, candidate: Candidate) -> WorkspaceFacts | Failure:
    facts = candidate.facts
    if candidate.failure:
        return candidate.failure
    mirror = adapters.mirror(place.out, facts.repo, facts.url, facts.base_commit, facts.fix_commit)
    store = Store(mirror, place.objects)
    unfinished = place.bulk / "base.unfinished"
    try:
        found = describe(store, facts)
        shutil.rmtree(unfinished, ignore_errors=True)
        write_tree(store, found.base_tree, unfinished)
    except Rejected as refused:
        shutil.rmtree(unfinished, ignore_errors=True)
        return Failure(stage="materialize", reason=refused.reason, detail=str(refused))
    shutil.rmtree(place.base, ignore_errors=True)
    unfinished.rename(place.base)
    return found


def perform(place: TaskPlace, sandbox: str) -> None:
    started = time.monotonic()
    path = place.document("candidate")
    result = materialize(place, load_of(place, "candidate", Candidate))
    failure = result if isinstance(result, Failure) else None
    facts = result if isinstance(result, WorkspaceFacts) else None
    write(
        place.document("workspace"),
        Workspace(id=place.id, made_by=made_by("materialize", [path]), facts=facts, failure=failure),
    )
    say("materialize", place.id, failure.detail if failure else "base written", started)
