"""Where the fix lies in reach of an agent though its history does not: in the statement, or in something installed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from redgreen.changed_tests import changed_lines
from redgreen.git import FILE_MODES, Change, Store, select
from redgreen.language import ChangedFile

SHORTEST = 12
"""A shorter line (`return None`, `}`) stands in many places by chance."""
FEW = 3
SHARE = 0.8
MOST_BYTES = 4 << 20


def source_changes(store: Store, base: str, fix: str, decides_tests: Callable[[str], bool]) -> list[Change]:
    """The files that the fix's source half leaves changed."""
    _, sources = select(store.changes(base, fix), decides_tests)
    return [change for change in sources if change.new_mode in FILE_MODES]


def changed_files(store: Store, sources: Sequence[Change]) -> dict[str, ChangedFile]:
    """Path -> text and changed lines; a deletion is at the lines around it."""
    found = {}
    for change in sources:
        text = store.content(change.new).decode(errors="replace")
        lines = text.split("\n")
        if change.old_mode in FILE_MODES:
            numbers = {n for first, last in changed_lines(store, change, lines) for n in range(first, last + 1)}
            numbers |= {first + 1 for first, last in changed_lines(store, change, lines) if first == last}
        else:
            numbers = set(range(1, len(lines) + 1))
        found[change.name] = ChangedFile(text, tuple(sorted(numbers)))
    return found


def find_leaks(store: Store, sources: Sequence[Change], statement: str, box: Path) -> tuple[str, ...]:
    """What was found, one line each. `box`: the installed base, whose tree the agent gets."""
    golden = {change.name: _golden(store, change) for change in sources}
    return (*_in_statement(statement, golden), *_copies(box, golden))


def _golden(store: Store, change: Change) -> frozenset[str]:
    """Lines of a fixed file that tell it from the file before: neither there already nor too short to mean anything."""
    before = store.content(change.old).decode(errors="replace") if change.old_mode in FILE_MODES else ""
    had = {line.strip() for line in before.splitlines()}
    after = store.content(change.new).decode(errors="replace").splitlines()
    return frozenset(line.strip() for line in after if len(line.strip()) >= SHORTEST) - had


def _in_statement(statement: str, golden: Mapping[str, frozenset[str]]) -> Iterator[str]:
    lines = frozenset().union(*golden.values())
    held = [line for line in lines if line in statement]
    if len(held) >= FEW and len(held) >= len(lines) / 2:
        yield f"the statement holds {len(held)} of the {len(lines)} lines of the fix"


def _copies(box: Path, golden: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Files of the same name elsewhere in the box that hold what only the fix brought."""
    wanted = {name.rpartition("/")[2]: name for name, lines in golden.items() if len(lines) >= FEW}
    own = {box / "tree" / name for name in golden}
    for folder, folders, files in os.walk(box) if wanted else ():
        folders.sort()
        for place in (Path(folder, name) for name in sorted(set(files) & set(wanted))):
            if place in own or place.is_symlink() or not place.is_file() or place.stat().st_size > MOST_BYTES:
                continue
            lines = golden[wanted[place.name]]
            there = {line.strip() for line in place.read_bytes().decode(errors="replace").splitlines()}
            if len(lines & there) >= SHARE * len(lines):
                yield f"{place.relative_to(box)} holds the fix of {wanted[place.name]}"
