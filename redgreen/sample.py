"""A sample that nobody chose: by hash of the id."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def sampled(ids: Iterable[str], size: int | None, seed: str) -> set[str]:
    """All ids, or `size` of them: the first in the order of sha256("seed:id")."""
    ordered = sorted(ids, key=lambda name: hashlib.sha256(f"{seed}:{name}".encode()).hexdigest())
    return set(ordered[:size] if size else ordered)
