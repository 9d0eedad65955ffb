"""Which tests a fix's own diff changes, by their names: asked only of tests that no red run could show.

A file that cannot be loaded before the fix, or a package that cannot be compiled, takes tests along that have nothing
to do with it. Those that passed on the base and that the diff leaves alone do not show the fault.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from redgreen.documents import Run
from redgreen.gate import cannot_be_loaded, passing
from redgreen.git import FILE_MODES, Change, Store

MARK = re.compile(r"\s*(@|#|//|/\*|\*)")
"""How a line begins that belongs to the test below it: a decorator, an annotation, an attribute, a comment."""

HUNK = re.compile(rb"(?m)^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")


def taken_along(base: Sequence[Run], red: Sequence[Run]) -> list[str]:
    """Tests that passed in every base run and are absent from a red run because what holds them cannot be loaded."""
    return sorted(
        test for test in passing(base) if any(test not in run.outcomes and cannot_be_loaded(test, run) for run in red)
    )


def changed_tests(store: Store, changes: Iterable[Change], tests: Sequence[str]) -> tuple[str, ...]:
    """Of `tests` (ids), those whose part of a changed file differs.

    A test's part reaches from the first line that holds its name, and the marks above that, to the next one's. A blank
    line more is no change.
    """
    names = {test: name_of(test) for test in tests}
    found: set[str] = set()
    for change in changes if tests else ():
        found |= _changed_names(store, change, set(names.values()))
    return tuple(test for test in tests if names[test] in found)


def name_of(test: str) -> str:
    """The name that a test has in its source: without file, suite, parameters and subtests."""
    last = test.rpartition("::")[2]
    identifier = re.match(r"\w+(?=$|[\[({/])", last)
    return identifier[0] if identifier else last.rpartition(" > ")[2]


def _changed_names(store: Store, change: Change, names: set[str]) -> set[str]:
    if change.new_mode not in FILE_MODES:
        return set()
    lines = store.content(change.new).decode(errors="replace").split("\n")
    starts = sorted((line, name) for name in names if (line := _start(lines, name)) is not None)
    if change.old_mode not in FILE_MODES:
        return {name for _, name in starts}
    places = [line for line, _ in starts]
    changed: set[str] = set()
    for first, last in changed_lines(store, change, lines):
        begin = max(bisect_right(places, first) - 1, 0)
        changed |= {name for _, name in starts[begin : bisect_right(places, last)]}
    return changed


def _start(lines: Sequence[str], name: str) -> int | None:
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    start = next((number for number, line in enumerate(lines, 1) if name in line and pattern.search(line)), None)
    while start and start > 1 and MARK.match(lines[start - 2]):
        start -= 1
    return start


def changed_lines(store: Store, change: Change, lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First and last line, in the new file, of each place that differs; a deletion is at the line before it."""
    for start, count in HUNK.findall(store.git("diff", "--unified=0", "--no-ext-diff", change.old, change.new)):
        first, last = int(start), int(start) + max(int(count or 1), 1) - 1
        while count != b"0" and first < last and not lines[first - 1].strip():
            first += 1
        while count != b"0" and first < last and not lines[last - 1].strip():
            last -= 1
        yield first, last
