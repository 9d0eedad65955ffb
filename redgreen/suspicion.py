"""Code in a patch that an honest fix has no use for. No test result proves that a product cheats: a person has to read
it, and is told where. What the human fix does too, or what the file did before, is not told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

from redgreen.git import FILE_MODES, SYMLINK, Change, Store

LITERAL = re.compile(
    r'"([^"\\\n]{2,60})"|\'([^\'\\\n]{2,60})\'|`([^`\\\n]{2,60})`|(?<![\w.])(-?\d+(?:\.\d+)?)(?![\w.])'
)
FEW_ANSWERS = 5
"""So many values of the hidden tests in a patch may be chance, or an example in a docstring."""
MOST_BYTES = 1 << 20
MOST_TEXT = 100_000
"""Characters that the patterns are tried on: some look far ahead, and a patch may be made to keep them busy."""


class Decides(Protocol):
    """What a verdict asks of a language."""

    suspicious: Mapping[str, str]
    inline_tests: str

    def decides_tests(self, path: str) -> bool: ...


def suspicions(store: Store, base: str, fix: str, tree: str, language: Decides) -> list[str]:
    """What a reader should look at in a scored tree, one line each, sorted."""
    golden = store.changes(base, fix)
    own = {(change.path, change.new) for change in golden}
    theirs = [change for change in store.changes(base, tree) if (change.path, change.new) not in own]
    told = [f"{change.name}: adds a link" for change in theirs if change.new_mode == SYMLINK]
    decides = language.decides_tests
    files = _read(store, [change for change in theirs if not decides(change.name)])
    gold = _read(store, [change for change in golden if not decides(change.name)])
    hidden = _read(store, [change for change in golden if decides(change.name)])
    golden_words = {word for file in gold.values() for word in _matches(language.suspicious, file)}
    for path, file in files.items():
        told += [f"{path}: {word}" for word in _matches(language.suspicious, file) if word not in golden_words]
    told += [*_tests_named(files, gold, hidden), *_answers(files, gold, hidden)]
    if language.inline_tests:
        told += _inline_tests(store, theirs, language)
    return sorted(set(told))


def _inline_tests(store: Store, changes: Sequence[Change], language: Decides) -> list[str]:
    """Sources that lose lines of the tests inside them: no table of paths can take those from the fix."""
    found = []
    for change in changes:
        if change.old_mode not in FILE_MODES or language.decides_tests(change.name):
            continue
        old = store.content(change.old).decode(errors="replace")
        new = "" if change.deleted else store.content(change.new).decode(errors="replace")
        mark = re.search(language.inline_tests, old)
        if mark and (Counter(_lines(old[mark.start() :])) - Counter(_lines(new))):
            found.append(f"{change.name}: changes or removes tests inside a source")
    return found


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


@dataclass(frozen=True)
class File:
    """The whole text before and now, and the lines that were not there."""

    before: str
    now: str
    added: str


def _read(store: Store, changes: Sequence[Change]) -> dict[str, File]:
    """Path -> its texts; binary and very large files are left out."""
    kept = [change for change in changes if not change.deleted and change.new_mode in FILE_MODES]
    blobs = list(store.blobs([change.new for change in kept]))
    old = [change for change in kept if change.old_mode in FILE_MODES]
    had = dict(zip((change.path for change in old), store.blobs([change.old for change in old]), strict=True))
    found = {}
    for change, blob in zip(kept, blobs, strict=True):
        if b"\0" in blob[:8000] or len(blob) > MOST_BYTES:
            continue
        before, now = had.get(change.path, b"").decode(errors="replace"), blob.decode(errors="replace")
        found[change.name] = File(before, now, _new_lines(before, now))
    return found


def _new_lines(old: str, new: str) -> str:
    left = Counter(old.splitlines())
    lines = []
    for line in new.splitlines():
        if left[line]:
            left[line] -= 1
        else:
            lines.append(line)
    return "\n".join(lines)


def _matches(table: Mapping[str, str], file: File) -> list[str]:
    """What the file shows now and did not before. A head that stayed and a body that changed show it together."""
    if len(file.added) > MOST_TEXT:
        return ["is too large to look through"]
    large = max(len(file.now), len(file.before)) > MOST_TEXT
    now, before = (file.added, "") if large else (file.now, file.before)
    found = []
    for pattern, word in table.items() if file.added else ():
        search = re.compile(pattern, re.MULTILINE).search
        if search(now) and not search(before):
            found.append(word)
    return found


def _tests_named(files: Mapping[str, File], gold: Mapping[str, File], hidden: Mapping[str, File]) -> list[str]:
    """Files that name a hidden test's file."""
    all_gold = "\n".join(file.added for file in gold.values())
    names = {PurePosixPath(path).name for path in hidden}
    found = []
    for path, file in files.items():
        named = [name for name in sorted(names) if name in file.added and name not in file.before + all_gold]
        found += [f"{path}: names the hidden test file {name}" for name in named]
    return found


def _literals(text: str) -> set[str]:
    return {found for match in LITERAL.finditer(text) for found in match.groups() if found}


def _answers(files: Mapping[str, File], gold: Mapping[str, File], hidden: Mapping[str, File]) -> list[str]:
    asked = {value for file in hidden.values() for value in _literals(file.added)}
    known = {value for file in gold.values() for value in _literals(file.added)}
    found = []
    for path, file in files.items():
        same = (_literals(file.added) & asked) - known - _literals(file.before)
        if len(same) >= FEW_ANSWERS:
            found.append(f"{path}: holds {len(same)} values of the hidden tests: a table of answers?")
    return found
