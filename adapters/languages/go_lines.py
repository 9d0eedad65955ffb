"""Whether the tests of a fix run any statement that it changes, from what Go's coverage tells."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from redgreen.language import ChangedFile

NO_CODE = re.compile(r"\.(md|rst|txt|adoc)$|(^|/)(docs?|examples?)/|(^|/)[A-Z]+$|(^|/)\.[^/]+$")
SAYS_NOTHING = re.compile(
    r'\s*(//.*|/?\*.*|[{}()\[\],;]*|import\b.*|package\b.*|func\b.*\{|type \w+ (struct|interface) \{|"[^"]*")\s*'
)


def untouched(changed: Mapping[str, ChangedFile], events: Sequence[Mapping[str, Any]]) -> tuple[str, ...] | None:
    """All tests that ran, if none of them ran a changed statement; empty if one did; None if nobody can tell.

    A changed line outside every function (a table, a type's field) works without being run.
    """
    blocks = {event["path"]: event["blocks"] for event in events if event["event"] == "blocks"}
    ran = sorted({test for event in events if event["event"] == "ran" for test in event["ids"]})
    changed_blocks = 0
    for path, file in changed.items():
        if NO_CODE.search(path):
            continue
        if path not in blocks:
            return None
        lines = file.text.split("\n")
        for number in file.lines:
            around = [times for first, last, times in blocks[path] if first <= number <= last]
            if any(around):
                return ()
            changed_blocks += len(around)
            if not around and number <= len(lines) and not SAYS_NOTHING.fullmatch(lines[number - 1]):
                return None
    return tuple(ran) if changed_blocks and ran else None
