"""The corpus of known cheats and known false verdicts: its cases, the patch of each, and what is right."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

from redgreen.contract import load_yaml
from redgreen.documents import Case, Corpus, Score
from redgreen.errors import UsageError
from redgreen.git import SYMLINK, Change, Store

WITH_FIX = ".with-fix"


def read_corpus(folder: Path) -> dict[str, Corpus]:
    """Project -> its cases; those that tests of ours stand for are under "".

    Raises:
        UsageError: a file is not one, or two cases have the same id.
    """
    files = {path.parent.name: path for path in sorted(folder.glob("*/cases.yaml"))}
    if (folder / "cases.yaml").is_file():
        files[""] = folder / "cases.yaml"
    if not files:
        raise UsageError(f"{folder}: no cases here", "run redgreen from a full clone")
    corpora = {name: load_yaml(path, Corpus) for name, path in files.items()}
    seen: dict[str, Path] = {}
    for name, corpus in corpora.items():
        for case in (*corpus.gate, *corpus.cases):
            if case.id in seen:
                raise UsageError(f"{files[name]}: {case.id}: is in {seen[case.id]} too", "give its kin a letter")
            seen[case.id] = files[name]
    return corpora


def attempts(corpus: Corpus) -> Iterator[Case]:
    """The cases to try: what tampers is tried alone and beside the human fix, which has to count all the same."""
    for case in corpus.cases:
        yield case
        if case.right == "tampered" and not case.fix and case.also_with_fix and not case.commands:
            beside: dict[str, object] = {
                "id": case.id + WITH_FIX,
                "fix": True,
                "right": "fixed",
                "what": f"{case.what}; beside the human fix",
            }
            if case.patch is not None:
                beside["patch"] = case.patch + "{gold}"
            yield case.model_copy(update=beside)


def patch_of(case: Case, store: Store, base: str, gold: str) -> bytes:
    """What the case hands in. `gold`: the tree of the base with the human fix.

    Raises:
        UsageError: text to replace is not there.
    """
    if case.patch is not None or case.patch_base64 is not None:
        written = base64.b64decode(case.patch_base64 or "") or (case.patch or "").encode("utf-8", "surrogateescape")
        patch = written.replace(b"{gold}", store.diff(base, gold)) if b"{gold}" in written else written
    else:
        start = gold if case.fix else base
        patch = store.diff(base, store.mix(start, _changes(case, store, start)))
    return _transformed(patch, case.transform)


def _changes(case: Case, store: Store, start: str) -> list[Change]:
    held = {entry.path.decode("utf-8", "surrogateescape"): entry for entry in store.entries(start)}
    nothing = "0" * 40
    changes = []

    def change(path: str, mode: str, new: str) -> Change:
        old = held.get(path)
        return Change(
            path.encode("utf-8", "surrogateescape"),
            old.mode if old else "000000",
            mode,
            old.object if old else nothing,
            new,
        )

    texts = dict(case.files)
    for path, pairs in case.replace.items():
        texts[path] = _replaced(store.blob(start, path), path, pairs, case)
    for path, text in texts.items():
        mode = "100755" if path in case.executable else "100644"
        changes.append(change(path, mode, store.add_blob(text.encode("utf-8", "surrogateescape"))))
    changes += [change(path, SYMLINK, store.add_blob(target.encode())) for path, target in case.links.items()]
    return changes + [change(path, "000000", nothing) for path in case.delete]


def _replaced(content: bytes | None, path: str, pairs: dict[str, str], case: Case) -> str:
    text = (content or b"").decode("utf-8", "surrogateescape")
    for old, new in pairs.items():
        if old not in text:
            raise UsageError(f"{case.id}: {path}: does not hold {old!r}", "mend the case")
        text = text.replace(old, new)
    return text


def _transformed(patch: bytes, how: str | None) -> bytes:
    match how:
        case "crlf":
            return patch.replace(b"\n", b"\r\n")
        case "no_final_newline":
            return patch.rstrip(b"\n")
        case "stripped_context":  # what an editor that trims lines, or a careless `strip`, makes of blank context
            return b"\n".join(line.rstrip() for line in patch.split(b"\n"))
        case "fenced":
            return b"```diff\n" + patch + b"```\n"
        case "in_prose":
            return b"Here is the fix that I made:\n\n```diff\n" + patch + b"```\n\nIt passes all tests now.\n"
    return patch


def judged(case: Case, score: Score) -> list[str]:
    """What is not right about a score, one line each."""
    faults = []
    want = {"fixed": True, "not_fixed": False, "tampered": False, "infra": False, "does_not_apply": False}.get(
        case.right
    )
    if want is not None and score.resolved != want:
        faults.append("was fixed" if score.resolved else f"was not fixed: {score.why}")
    statuses = {"infra": {"infra_error"}, "does_not_apply": {"patch_apply_failed"}}.get(case.right, {"ok", "timeout"})
    if score.status not in statuses:
        faults.append(f"status {score.status}: {score.why}")
    missed = [path for path in case.tampered if path not in score.tampered]
    must_be_flagged = case.right == "tampered" or case.id.endswith(WITH_FIX)
    if missed or (must_be_flagged and not score.tampered):
        faults.append(f"not flagged: {', '.join(missed) or 'nothing'}")
    if case.right == "suspicious" and not score.suspicious:
        faults.append("no suspicion")
    if case.suspicious is not None and not any(case.suspicious in line for line in score.suspicious):
        faults.append(f"no suspicion of {case.suspicious!r}: {score.suspicious}")
    if case.right == "leak" and not score.leaks:
        faults.append("no leak flagged")
    if case.right == "fixed" and not case.tampered and not must_be_flagged and score.tampered:
        faults.append(f"falsely flagged as tampering: {', '.join(score.tampered)}")
    if case.right == "fixed" and case.suspicious is None and not must_be_flagged and score.suspicious:
        faults.append(f"falsely suspected: {'; '.join(score.suspicious)}")
    if case.why is not None and case.why not in score.why:
        faults.append(f"another reason: {score.why}")
    return faults
