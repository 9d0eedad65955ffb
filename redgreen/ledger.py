"""What all runs under OUT have spent, in one file that every attempt's process appends to: OUT/spend.jsonl.

A call is written down twice: before it is made, at the most that it can cost, and after, at what it did cost. One that
was never settled (its process was killed) stays counted at its most: the service may well have charged it.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from redgreen.documents import Limit
from redgreen.errors import UsageError
from redgreen.mirrors import locked


@dataclass(frozen=True)
class Spent:
    """`usd` is what is known; `unpriced` calls are not part of it."""

    usd: float = 0.0
    tokens: int = 0
    turns: int = 0
    minutes: float = 0.0
    unpriced: int = 0

    def plus(self, other: Spent) -> Spent:
        return Spent(
            self.usd + other.usd,
            self.tokens + other.tokens,
            self.turns + other.turns,
            self.minutes + other.minutes,
            self.unpriced + other.unpriced,
        )

    def over(self, limit: Limit) -> str | None:
        """Which limit this would exceed, in words."""
        for name, spent, allowed in (
            ("usd", self.usd, limit.usd),
            ("tokens", self.tokens, limit.tokens),
            ("turns", self.turns, limit.turns),
            ("minutes", self.minutes, limit.minutes),
        ):
            if allowed is not None and spent > allowed:
                return f"{name}: {spent:.6g} of {allowed:.6g}"
        return None


class Ledger:
    """`run` is `<set>/<run>`."""

    def __init__(self, path: Path, run: str) -> None:
        self.path = path
        self.run = run

    def reserve(self, most: Spent, run_limit: Limit, total_limit: Limit) -> tuple[str | None, str]:
        """(the reservation, "") if both limits allow it, else (None, which one does not)."""
        with locked(self.path.with_suffix(".lock")):
            limits = {"run": run_limit, "total": total_limit}
            entries = self._entries() if any(limit != Limit() for limit in limits.values()) else {}
            for name, limit in limits.items():
                spent = sum_of(entries, self.run if name == "run" else None)
                over = spent.plus(most).over(limit)
                if over:
                    return None, f"{name} budget, {over}"
            name = uuid.uuid4().hex
            self._append(name, most)
            return name, ""

    def settle(self, reservation: str, spent: Spent) -> None:
        with locked(self.path.with_suffix(".lock")):
            self._append(reservation, spent)

    def spent(self) -> Spent:
        """Of this run so far."""
        return sum_of(self._entries(), self.run)

    def _append(self, name: str, spent: Spent) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = {"call": name, "run": self.run, **spent.__dict__}
        with self.path.open("ab") as file:
            if file.tell() and not self._ends_whole():
                file.write(b"\n")  # a killed process left half a line
            file.write((json.dumps(line, sort_keys=True) + "\n").encode())

    def _ends_whole(self) -> bool:
        with self.path.open("rb") as file:
            file.seek(-1, 2)
            return file.read(1) == b"\n"

    def _entries(self) -> dict[str, tuple[str, Spent]]:
        """call -> (run, the last word on it)."""
        entries: dict[str, tuple[str, Spent]] = {}
        if not self.path.is_file():
            return entries
        for number, line in enumerate(self.path.read_bytes().splitlines(), 1):
            try:
                told = json.loads(line)
                call, run = told.pop("call"), told.pop("run")
                entries[call] = (run, Spent(**told))
            except (ValueError, KeyError, TypeError):
                if number == 1 or (line.startswith(b"{") and line.endswith(b"}")):
                    raise UsageError(
                        f"{self.path}: line {number}: no record of a call",
                        "mend it: budgets are counted from this file",
                    ) from None
        return entries


def sum_of(entries: Mapping[str, tuple[str, Spent]], run: str | None) -> Spent:
    total = Spent()
    for of, spent in entries.values():
        if run is None or of == run:
            total = total.plus(spent)
    return total
