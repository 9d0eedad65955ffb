"""Durations as people write them.

`parse` gives seconds, `write` goes the other way.
"""

import re

_SECONDS = {"w": 604800, "d": 86400, "h": 3600, "m": 60, "s": 1}
_PART = re.compile(r"(\d+)\s*([wdhms])")


def parse(text):
    """Return the seconds in `text`, e.g. 5400 for `1h30m` or `1 h 30 m`."""
    total = 0
    for number, unit in _PART.findall(text.lower()):
        total += int(number) * _SECONDS[unit]
    return total


def write(seconds):
    """Return the shortest text that `parse` reads as `seconds`, largest unit first."""
    if seconds < 0:
        raise ValueError("a duration cannot be negative")
    if seconds == 0:
        return "0s"
    parts = []
    for unit, size in _SECONDS.items():
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts)
