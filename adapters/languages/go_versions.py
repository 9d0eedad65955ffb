"""Which Go runs a project of a given day: a table of facts, and the choice.

Every Go is a module of its own (golang.org/toolchain), so any of them can be had wherever modules can.
The choice never looks at anything but its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Version = tuple[int, ...]

RELEASES: dict[Version, tuple[str, int]] = {
    (1, 21): ("2023-08-08", 13),
    (1, 22): ("2024-02-06", 12),
    (1, 23): ("2024-08-13", 12),
    (1, 24): ("2025-02-11", 13),
    (1, 25): ("2025-08-12", 14),
    (1, 26): ("2026-02-10", 8),
    (1, 27): ("2026-08-18", 4),
}
"""Day of each 1.x.0, and the patch release that stands for 1.x: its last one, or that of the image.

Patch releases mend security and crashes; what a project's tests say does not hang on them, and the last one is what
stays available."""

OLDEST: Version = (1, 21)
BEFORE: Version = (1, 20)
"""The oldest that is used, and the last of those that it stands in for. Before 1.20 `go test -json` took any line of a
test's output that looks like a result for one, and lost the result of a test whose output ended in mid-line; and since
1.21 the go line of go.mod also decides which changes of the standard library's behaviour an old project sees."""

OPEN = re.compile(r"1\.x|1|stable|latest|[\^>].*|.*[*].*")
"""What continuous integration calls the newest Go of the day, in one way or another."""


def parse(text: str) -> Version | None:
    """`1.21`, `1.21.3`, `go1.21.3`, `1.21.x`, `~1.20`: numbers, or None for anything else."""
    found = re.fullmatch(r"(?:go|~)?\s*(1\.\d+(?:\.\d+)?)(?:\.x)?", text.strip())
    return tuple(map(int, found[1].split("."))) if found else None


def shown(version: Version) -> str:
    return ".".join(map(str, version))


def newest(as_of: str) -> Version:
    """The newest 1.x that was out on a day; BEFORE for days before the table's first."""
    return max((minor for minor, (day, _) in RELEASES.items() if day <= as_of[:10]), default=BEFORE)


def full(version: Version) -> str:
    """The release that stands for a version: itself if it names a patch release.

    A minor version outside the table is taken for the nearest that is in it.
    """
    if len(version) > 2 and version[:2] in RELEASES:
        return shown(version)
    minor = min(max(version[:2], min(RELEASES)), max(RELEASES))
    return shown((*minor, RELEASES[minor][1]))


@dataclass(frozen=True)
class Choice:
    """`versions` are full ones to try, the best first; `stands_in`: the project's day had an older one than OLDEST."""

    versions: tuple[str, ...]
    stands_in: bool = False


def choose(as_of: str, *, least: Iterable[str], exact: Iterable[str], named: Sequence[str]) -> Choice:
    """Which Go a project of this day asks for.

    `exact` are `toolchain` lines: the project's own word. `named` is what its continuous integration runs: the newest
    of them that was out counts. `least` are `go` lines: never less than that. Else it is the newest Go of the day. A
    patch release that is named may have gone from the proxy: the last one of its line comes second.
    """
    floor = max((known for text in least if (known := parse(text))), default=BEFORE)
    of_the_day = newest(as_of)
    wanted = max((known for text in exact if (known := parse(text))), default=None)
    if wanted is None:
        told = [parse(text) or (of_the_day if OPEN.fullmatch(text.strip()) else None) for text in named]
        wanted = max((known for known in told if known and known[:2] <= of_the_day), default=of_the_day)
    if wanted < floor:
        wanted = floor[:2] if (parse(full(floor[:2])) or ()) >= floor else floor
    if wanted[:2] < OLDEST:
        return Choice((full(OLDEST),), stands_in=True)
    return Choice(tuple(dict.fromkeys((full(wanted), full(wanted[:2])))))
