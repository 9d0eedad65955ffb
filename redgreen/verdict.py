"""The verdict on one patch: what is scored, and what the hidden tests said of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from redgreen.documents import Outcome, Run, Verified
from redgreen.git import GitError, Store, select
from redgreen.landing import landed
from redgreen.suspicion import Decides, suspicions

Status = Literal["ok", "timeout", "patch_apply_failed", "infra_error"]
Told = Outcome | Literal["missing"]


FUZZ = (("--recount",), ("--recount", "-C1"), ("--recount", "--ignore-whitespace"), ("--3way",))
"""Ways in which git may still take a patch that does not apply as it stands. Which one it was is not recorded apart:
any of them is `fuzzy`. Never reversed, never partly, never outside the tree: git refuses that itself."""


@dataclass(frozen=True)
class Applied:
    """`tree` is what is tested: the base with the patch, and with what decides tests as in the fix commit."""

    tree: str
    how: Literal["empty", "strict", "fuzzy"]
    tampered: tuple[str, ...]
    suspicious: tuple[str, ...]


def normal_patch(patch: bytes) -> bytes:
    """The patch with a final newline and without a Markdown fence around it; all other bytes as they came."""
    fenced = re.search(rb"(?ms)^```[a-z]*\r?\n(.*?^(?:diff --git|--- ).*?)^```[ \t]*\r?$", patch)
    content = fenced[1] if fenced else patch
    return content if not content or content.endswith(b"\n") else content + b"\n"


def apply_patch(store: Store, base: str, patch: bytes) -> tuple[str, Literal["empty", "strict", "fuzzy"]]:
    """The base tree with a patch.

    Raises:
        GitError: no way of applying it is left.
    """
    content = normal_patch(patch)
    if not content.strip():
        return base, "empty"
    try:
        tree = store.apply(base, content)
    except GitError as refused:
        return _fuzzily(store, base, content, refused), "fuzzy"
    proof, why = landed(store, base, tree, content)
    if proof == "disproved":
        raise GitError(["apply"], f"it fits only where it does not belong: {why}")
    return tree, "strict"


def _fuzzily(store: Store, base: str, content: bytes, refused: GitError) -> str:
    """The tree after the gentlest way that takes the patch, and puts every hunk where it can be shown to belong."""
    doubt = ""
    for options, text in _fuzzy_ways(content):
        try:
            tree = store.apply(base, text, *options)
        except GitError:
            continue
        proof, why = landed(store, base, tree, text)
        if proof == "proven":
            return tree
        doubt = doubt or why
    if doubt:
        raise GitError(["apply"], f"nothing shows that it lands where it belongs: {doubt}")
    raise refused


def _fuzzy_ways(content: bytes) -> Iterator[tuple[tuple[str, ...], bytes]]:
    """Options and texts, the gentlest first. A patch with CRLF all through is tried with LF too: a mail or a browser
    did that, and taken as it is, it would put CR into the file."""
    unix = content.replace(b"\r\n", b"\n")
    for options in ((), *FUZZ):
        if unix != content:
            yield options, unix
        if options:
            yield options, content


def scored_tree(store: Store, base: str, fix: str, patch: bytes, language: Decides) -> Applied:
    """Apply a patch, then take everything that decides how tests run from the fix commit, on the tree after applying.

    Raises:
        GitError: the patch does not apply.
    """
    decides_tests = language.decides_tests
    patched, how = apply_patch(store, base, patch)
    touched, _ = select(store.changes(base, patched), decides_tests)
    restore, _ = select(store.changes(patched, fix), decides_tests)
    not_as_in_fix = {change.path for change in store.changes(patched, fix)}
    tampered = tuple(change.name for change in touched if change.path in not_as_in_fix)
    tree = store.mix(patched, restore)
    told = suspicions(store, base, fix, tree, language)
    return Applied(tree, how, tampered, tuple(told))


@dataclass(frozen=True)
class Verdict:
    status: Status
    resolved: bool
    why: str
    fail_to_pass: dict[str, Told]
    pass_to_pass_missed: dict[str, Told]


def told(run: Run, tests: Sequence[str]) -> dict[str, Told]:
    return {test: run.outcomes.get(test, "missing") for test in tests}


def judge(run: Run, task: Verified) -> Verdict:
    """Fixed only if every required test has a genuine pass in a complete report that agrees with the exit status.

    A suite that dies, or a report that is forged or incomplete, is the patch's own doing: the gold run was whole.
    """
    fail_to_pass = told(run, task.fail_to_pass)
    missed: dict[str, Told] = {
        test: outcome for test, outcome in told(run, task.pass_to_pass).items() if outcome != "passed"
    }
    why = _why(run, task, fail_to_pass, missed)
    status: Status = "timeout" if run.ended == "timeout" else "ok"
    return Verdict(status, not why, why or "every required test passed", fail_to_pass, missed)


def _why(run: Run, task: Verified, fail_to_pass: Mapping[str, Told], missed: Mapping[str, Told]) -> str:
    if run.ended != "finished":
        return f"the suite did not finish: {run.ended.replace('_', ' ')}"
    unfixed = sorted(test for test, outcome in fail_to_pass.items() if outcome != "passed")
    if unfixed:
        return f"fail_to_pass: {fail_to_pass[unfixed[0]]}: {unfixed[0]}" + _more(unfixed)
    if missed:
        first = min(missed)
        return f"pass_to_pass: {missed[first]}: {first}" + _more(sorted(missed))
    broken = sorted(set(run.collection_errors) - set(task.broken))
    if broken:
        return f"cannot be loaded, and could with the human fix: {broken[0]}" + _more(broken)
    if run.canary == "wrong" or run.canary != task.canary:
        return "the report was forged: a canary of ours did not come out as it must"
    if not run.complete:
        return "the report is incomplete"
    if run.exit_agrees != task.exit_agrees or (not task.exit_agrees and run.exit_status not in task.gold_exit_statuses):
        return f"the exit status {run.exit_status} does not agree with the report"
    return ""


def _more(tests: Sequence[str]) -> str:
    return f" and {len(tests) - 1} more" if len(tests) > 1 else ""
