"""From a merged fix to a candidate: where its branch left, what it changed, in which language, under which licence."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass

from redgreen.contract import sha256
from redgreen.documents import CandidateFacts, Failure, SetSpec, Statement
from redgreen.fixes import Fix
from redgreen.git import FILE_MODES, Change, Store, select, shown
from redgreen.language import Language
from redgreen.licence import allowed, identify, is_licence_file
from redgreen.statement import cleanse


@dataclass(frozen=True)
class Found:
    """A candidate with its statement's text, or with the failure that its set's rules give it."""

    facts: CandidateFacts
    statement: str
    failure: Failure | None


@dataclass(frozen=True)
class LeftOut:
    """Not even a candidate: it changes no test, or no code. One word, for the count."""

    why: str


def ends(store: Store, fix: Fix) -> tuple[str, str]:
    """(base, fix): where the branch left and its last commit, for a merge; else first parent and the commit itself."""
    commit, parents = store.commit(fix.commit)
    if fix.base:
        return store.commit(fix.base)[0], commit
    if len(parents) == 2:
        return store.merge_base(parents[0], parents[1]), parents[1]
    return (parents[0] if parents else ""), commit


def task_id(fix: Fix, commit: str) -> str:
    """`owner__repo-<pull>`, or `-<first 10 of the commit>` for a fix that git alone knows."""
    return f"{fix.repo.replace('/', '__')}-{fix.pull or commit[:10]}"


def build(store: Store, fix: Fix, spec: SetSpec, languages: Sequence[Language]) -> Found | LeftOut:
    base, last = ends(store, fix)
    if not base:
        return LeftOut("no parent")
    changes = store.changes(base, last)
    language = main_language(changes, languages)
    if language is None:
        return LeftOut("no code")
    tests, sources = select(changes, language.decides_tests)
    if not any(language.is_test(change.name) and language.is_source(change.name) for change in tests):
        return LeftOut("no test")
    if not any(language.is_source(change.name) for change in sources):
        return LeftOut("no code")
    left_out = _outside(store, base, last, sources, spec)
    if left_out:
        return left_out
    return _found(store, fix, spec, language, base, last, tests, sources)


def _outside(store: Store, base: str, last: str, sources: Sequence[Change], spec: SetSpec) -> LeftOut | None:
    """The filters of a set that say nothing about fairness: size and paths."""
    if len(sources) > spec.max_source_files:
        return LeftOut("too many files")
    if spec.paths and not any(fnmatch.fnmatch(change.name, glob) for change in sources for glob in spec.paths):
        return LeftOut("other paths")
    lines = store.changed_lines(base, last)
    return LeftOut("too many lines") if lines > spec.max_changed_lines else None


def main_language(changes: Sequence[Change], languages: Sequence[Language]) -> Language | None:
    """The language of most changed test code, as its runner has to tell; among equals that of most code."""
    code = {known.name: [change.name for change in changes if known.is_source(change.name)] for known in languages}
    counts = {known.name: (sum(map(known.is_test, code[known.name])), len(code[known.name])) for known in languages}
    best = max(languages, key=lambda known: counts[known.name])
    return best if code[best.name] else None


def _found(
    store: Store,
    fix: Fix,
    spec: SetSpec,
    language: Language,
    base: str,
    last: str,
    tests: Sequence[Change],
    sources: Sequence[Change],
) -> Found:
    text = cleanse(fix.title, fix.body, pull=fix.pull)
    licence = read_licence(store, base)
    facts = CandidateFacts(
        id=task_id(fix, last),
        repo=fix.repo,
        url=fix.url,
        language=language.name,
        pull=fix.pull,
        issues=fix.issues,
        commit=store.commit(fix.commit)[0],
        base_commit=base,
        fix_commit=last,
        merged_at=fix.merged_at or _committed_at(store, fix.commit),
        licence=licence,
        test_files=tuple(change.name for change in tests),
        source_files=tuple(change.name for change in sources),
        statement=Statement(source=fix.statement_source, sha256=sha256(text.encode())),
    )
    failure = None
    if not allowed(licence, spec.licences):
        detail = f"{licence} is not among the licences of this set" if licence else "no licence was found"
        failure = Failure(stage="mine", reason="licence", detail=detail)
    return Found(facts, text, failure)


def _committed_at(store: Store, commit: str) -> str:
    return store.line("show", "--no-patch", "--format=%cd", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", commit)


def read_licence(store: Store, commit: str) -> str | None:
    """The project's licence at a commit, from the files of its root that name one."""
    files: dict[str, bytes] = {}
    for entry in store.top(commit):
        name = shown(entry.path)
        if entry.mode in FILE_MODES and is_licence_file(name):
            files[name] = store.content(entry.object)
    return identify(files)
