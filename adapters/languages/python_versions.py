"""Which CPython runs a project of a given day: a table of facts, and the choice.

A maintainer on the day of a fix had a Python that the project already named and that had settled for a while; a newer
one may not even import the project. The choice never looks at anything but its arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

Minor = tuple[int, int]

RELEASED: dict[Minor, date] = {
    (2, 7): date(2010, 7, 3),
    (3, 2): date(2011, 2, 20),
    (3, 3): date(2012, 9, 29),
    (3, 4): date(2014, 3, 16),
    (3, 5): date(2015, 9, 13),
    (3, 6): date(2016, 12, 23),
    (3, 7): date(2018, 6, 27),
    (3, 8): date(2019, 10, 14),
    (3, 9): date(2020, 10, 5),
    (3, 10): date(2021, 10, 4),
    (3, 11): date(2022, 10, 24),
    (3, 12): date(2023, 10, 2),
    (3, 13): date(2024, 10, 7),
    (3, 14): date(2025, 10, 7),
}
"""Day of each final x.y.0 (PEP 373, 392, 398, 429, 478, 494, 537, 569, 596, 619, 664, 693, 719, 745)."""

LOOK_UNTIL: dict[str, str] = {
    # The oldest that build front ends still speak to, and the newest that builds what people released before.
    "setuptools": "2020-02-15T00:00:00Z",
    "wheel": "2020-02-15T00:00:00Z",
    # Removed from PyPI and published again later; pytest 3.6 to 7.1 needs atomicwrites.
    "atomicwrites": "2022-07-10T00:00:00Z",
    "codecov": "2023-04-20T00:00:00Z",
}
"""Packages of which a resolver has to look further than the day of a fix, and until when."""

SETTLED = timedelta(days=60)
"""How long after x.y.0 most projects and their dependencies' wheels are ready for it."""

NEAREST_ABOVE = 3
"""A Python 3 at most this many minors above what a project names is closer to it than Python 2.7 is."""


@dataclass(frozen=True)
class Choice:
    """`version` is one of those available, or None; `note` says in one line what had to give, or is empty."""

    version: str | None
    note: str = ""


def minor_of(text: str) -> Minor | None:
    """(3, 9) for "3.9", "3.9.18" or "cpython-3.9"; None where no minor version is named."""
    try:
        release = Version(text.strip().rpartition("-")[2]).release
    except InvalidVersion:
        return None
    return (release[0], release[1]) if len(release) > 1 else None


def choose(requires_python: str | None, minors_named: Iterable[str], *, as_of: str, available: Sequence[str]) -> Choice:
    """Pick the Python for a project as it was on a day.

    Args:
        requires_python: the project's own specifier, such as ">=3.8"; one that cannot be read counts as none.
        minors_named: minor versions that the project says it is tested with, such as "3.9"; may be empty.
        as_of: ISO date or time of the fix.
        available: full versions at hand, such as "3.13.0".
    """
    day = date.fromisoformat(as_of[:10])
    allowed, note = _allowed(requires_python, available)
    named = [minor for minor in map(minor_of, minors_named) if minor]
    newest_named = max(named, default=None)
    settled = {minor for minor in allowed if minor not in RELEASED or RELEASED[minor] + SETTLED <= day}
    settled -= {minor for minor in allowed if minor not in RELEASED and minor > max(RELEASED)}
    fitting = [minor for minor in settled if newest_named is None or minor <= newest_named]
    wanted_major = newest_named[0] if newest_named else 3
    if fitting and max(fitting)[0] >= wanted_major:
        return Choice(allowed[max(fitting)], note)
    return _closest(allowed, newest_named or _newest_settled(day), fitting, note)


def choose_version(
    requires_python: str | None, minors_named: Iterable[str], *, as_of: str, available: Sequence[str]
) -> str | None:
    """As `choose`, without the note."""
    return choose(requires_python, minors_named, as_of=as_of, available=available).version


def look_until(as_of: str) -> dict[str, str]:
    """Package -> UTC time, for a resolver's limits by package (uv's `--exclude-newer-package`), each after `as_of`."""
    return {package: time for package, time in LOOK_UNTIL.items() if time[:10] > as_of[:10]}


def _allowed(requires_python: str | None, available: Sequence[str]) -> tuple[dict[Minor, str], str]:
    """Newest patch of each available minor that the specifier admits."""
    note = ""
    try:
        specifier = SpecifierSet(requires_python or "")
    except InvalidSpecifier:
        specifier, note = SpecifierSet(), f"requires-python cannot be read: {requires_python}"
    allowed: dict[Minor, str] = {}
    for version in sorted(available, key=Version):
        minor = minor_of(version)
        if minor and specifier.contains(version, prereleases=True):
            allowed[minor] = version
    return allowed, note


def _newest_settled(day: date) -> Minor:
    return max((minor for minor, released in RELEASED.items() if released + SETTLED <= day), default=(2, 7))


def _closest(allowed: dict[Minor, str], target: Minor, fitting: list[Minor], note: str) -> Choice:
    """The nearest Python of the same major: below the target, else a little above it; else what fits at all."""
    same_major = [minor for minor in allowed if minor[0] == target[0]]
    below = [minor for minor in same_major if minor <= target]
    above = [minor for minor in same_major if target < minor and minor[1] - target[1] <= NEAREST_ABOVE]
    best = max(below, default=None) or min(above, default=None) or max(fitting, default=None)
    if best is None:
        detail = f"no Python at hand is close to {target[0]}.{target[1]}, which the project needs"
        return Choice(None, f"{note}; {detail}" if note else detail)
    detail = f"Python {target[0]}.{target[1]} is wanted, {allowed[best]} is the closest at hand"
    return Choice(allowed[best], f"{note}; {detail}" if note else detail)
