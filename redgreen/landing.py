"""Proof of where a patch landed: each hunk in the function that it names, or where its own lines stand only once.

git finds a hunk's place by its context. With less context, or at another line than the hunk says, that may be a place
that only looks alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from redgreen.git import FILE_MODES, Store

HUNK = re.compile(rb"^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@ ?(.*)$")
WORD = re.compile(rb"[\w$]")
Proof = Literal["proven", "disproved", "unknown"]


@dataclass
class Hunk:
    """`line` is where the hunk says that it starts, from 1; `heading` the function that it names, or nothing."""

    line: int
    heading: bytes
    lines: list[bytes] = field(default_factory=list)

    @property
    def old(self) -> list[bytes]:
        return [line[1:] for line in self.lines if not line.startswith(b"+")]

    @property
    def new(self) -> list[bytes]:
        return [line[1:] for line in self.lines if not line.startswith(b"-")]

    @property
    def lead(self) -> int:
        """Lines of context before the first change."""
        changed = [number for number, line in enumerate(self.lines) if line[:1] in (b"+", b"-")]
        return changed[0] if changed else 0


def read_hunks(patch: bytes) -> Iterator[list[Hunk]]:
    """The hunks of each file of a unified diff that has any, in order."""
    hunks: list[Hunk] = []
    lines = patch.split(b"\n")
    for number, line in enumerate(lines):
        if line.startswith(b"diff --git ") or _names_file(lines, number):
            if hunks:
                yield hunks
            hunks = []
        elif match := HUNK.match(line.rstrip(b"\r")):
            hunks.append(Hunk(int(match[1]), match[2].strip()))
        elif (
            hunks
            and line[:1] in (b" ", b"+", b"-")
            and not (line.startswith(b"+++ ") and _names_file(lines, number - 1))
        ):
            hunks[-1].lines.append(line)
        elif hunks and not line.strip() and number < len(lines) - 1:
            hunks[-1].lines.append(b" ")
    if hunks:
        yield hunks


def _names_file(lines: Sequence[bytes], number: int) -> bool:
    return lines[number].startswith(b"--- ") and number + 1 < len(lines) and lines[number + 1].startswith(b"+++ ")


def landed(store: Store, base: str, tree: str, patch: bytes) -> tuple[Proof, str]:
    """Whether every hunk of a patch, which made `tree` of `base`, landed where it says; and which one did not.

    `unknown`: a hunk names nothing, or its lines stand in several places, or it cannot be found again.
    """
    texts = [
        (c.name, store.content(c.old).split(b"\n"), [] if c.deleted else store.content(c.new).split(b"\n"))
        for c in store.changes(base, tree)
        if c.old_mode in FILE_MODES
    ]
    worst: tuple[Proof, str] = ("proven", "")
    for hunks in read_hunks(patch):
        if all(hunk.line == 0 for hunk in hunks):
            continue  # a new file
        proofs = [(_file(hunks, old, new), name) for name, old, new in texts]
        best = min(proofs, key=lambda told: ("proven", "unknown", "disproved").index(told[0][0]), default=None)
        (proof, why), name = best if best else (("unknown", "its file is not found"), "")
        if proof == "disproved":
            return proof, f"{name}: {why}"
        if proof == "unknown":
            worst = (proof, f"{name}: {why}")
    return worst


def _file(hunks: Sequence[Hunk], old: Sequence[bytes], new: Sequence[bytes]) -> tuple[Proof, str]:
    shift = 0
    worst: tuple[Proof, str] = ("proven", "")
    for hunk in hunks:
        place = _place(hunk, old, new, shift)
        if place is None:
            return "unknown", f"the hunk at line {hunk.line} is not found again"
        shift += len(hunk.new) - len(hunk.old)
        if _whole(hunk, old, place):
            continue
        if hunk.heading:
            if not _within(hunk.heading, old, place):
                return "disproved", f"the hunk at line {hunk.line} is not in {hunk.heading.decode(errors='replace')}"
        elif not _only_once(hunk, old):
            worst = (
                "unknown",
                f"the hunk at line {hunk.line} names no function, and its lines stand in several places",
            )
    return worst


def _whole(hunk: Hunk, old: Sequence[bytes], place: int) -> bool:
    """With every line of its context, where it says, or at the only place that has them."""
    size = len(hunk.old)
    places = [n for n in range(len(old) - size + 1) if list(old[n : n + size]) == hunk.old]
    return place in places and (place + 1 == hunk.line or len(places) == 1)


def _core(lines: Sequence[bytes], hunk: Hunk) -> tuple[list[bytes], list[bytes]]:
    """A hunk without the context at its two ends: what must be there, before and after."""
    changed = [number for number, line in enumerate(lines) if line[:1] in (b"+", b"-")]
    inner = lines[changed[0] : changed[-1] + 1] if changed else []
    return [line[1:] for line in inner if line[:1] != b"+"], [line[1:] for line in inner if line[:1] != b"-"]


def _place(hunk: Hunk, old: Sequence[bytes], new: Sequence[bytes], shift: int) -> int | None:
    """Where, in the old file, the hunk starts: its core is there before and, `shift` lines further on, after."""
    before, after = _core(hunk.lines, hunk)
    starts = [
        place
        for place in range(len(old) - len(before) + 1)
        if _alike(old[place : place + len(before)], before)
        and _alike(new[place + shift : place + shift + len(after)], after)
        and place + shift >= 0
    ]
    if not starts:
        return None
    return min(starts, key=lambda place: abs(place - hunk.lead - hunk.line + 1)) - hunk.lead


def _alike(there: Sequence[bytes], said: Sequence[bytes]) -> bool:
    return len(there) == len(said) and all(a.split() == b.split() for a, b in zip(there, said, strict=True))


def _within(heading: bytes, old: Sequence[bytes], place: int) -> bool:
    """Whether the nearest line before `place` that opens something, no deeper than the heading, is the heading."""
    named = heading.split()
    for number in range(min(place, len(old)) - 1, -1, -1):
        line = old[number].strip()
        if line.split()[: len(named)] == named or line.startswith(heading):
            depth = _depth(old[number])
            between = [text for text in old[number + 1 : place] if WORD.match(text.strip()[:1])]
            return all(_depth(text) > depth for text in between)
    return False


def _depth(line: bytes) -> int:
    text = line.expandtabs(8)
    return len(text) - len(text.lstrip())


def _only_once(hunk: Hunk, old: Sequence[bytes]) -> bool:
    before, _ = _core(hunk.lines, hunk)
    lead = [line[1:] for line in hunk.lines[: hunk.lead]][-1:]
    wanted = [*lead, *before]
    places = [n for n in range(len(old) - len(wanted) + 1) if _alike(old[n : n + len(wanted)], wanted)]
    return bool(before) and len(places) == 1
