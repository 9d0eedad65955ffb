"""What a source yields: merged fixes as they stand in a history, before anyone asked whether they make a fair task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from redgreen.documents import SetSpec


@dataclass(frozen=True)
class Fix:
    """One merged fix.

    `commit` is what arrived on the main line: a merge commit or a single (squashed) commit. `base` is given only where
    the source knows it better than the parents of `commit` tell (a rebased branch of several commits); else it is
    derived: where the fix's branch left, or the first parent of a squash.
    `title` and `body` are raw; the statement is made from them by redgreen.statement.
    """

    repo: str
    url: str
    commit: str
    title: str
    body: str
    statement_source: Literal["issue", "pull_request", "commit"]
    pull: int | None = None
    issues: tuple[int, ...] = ()
    merged_at: str | None = None
    base: str | None = None


class Source(Protocol):
    """Finds fixes. Reads the network only if it must, and says so in stages/README.md."""

    def fixes(self, spec: SetSpec, out: Path) -> Iterator[Fix]:
        """Newest first. Obeys `since`, `until`, `pulls`, `commits` of the set; the other filters are mine's.

        `out` is the OUT folder, where a source may keep what it fetched.

        Raises:
            redgreen.errors.UsageError: an unknown repository, a missing token.
            redgreen.errors.InfrastructureError: the network or the service failed.
        """
        ...
