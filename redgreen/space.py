"""Watch that a command had room to write: out of space, a suite fails in ways that read like failing tests."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from redgreen.errors import InfrastructureError

LEAST_FREE_BYTES = 32 << 20
LEAST_FREE_FILES = 1000
INTERVAL_S = 0.1
HINT = "free some space, then run the same command again"


class _Watch(threading.Thread):
    """Looks again and again: who meets a full disk often cleans up before the end, and nothing is left to see."""

    def __init__(self, folders: Iterable[Path]) -> None:
        super().__init__(daemon=True)
        self._folders = tuple(folders)
        self._over = threading.Event()
        self.full: Path | None = None

    def look(self) -> bool:
        self.full = self.full or next((folder for folder in self._folders if is_full(folder)), None)
        return self.full is not None

    def run(self) -> None:
        while not self.look() and not self._over.wait(INTERVAL_S):
            pass

    def stop(self) -> None:
        self._over.set()
        self.join()


def is_full(folder: Path) -> bool:
    """Whether less than 32 MiB, or fewer than 1,000 files, can still be written there by an ordinary user."""
    try:
        state = os.statvfs(folder)
    except FileNotFoundError:
        return False
    # a file system without a fixed number of files says 0 of 0
    few_files = state.f_files > 0 and state.f_favail < LEAST_FREE_FILES
    return few_files or state.f_bavail * state.f_frsize < LEAST_FREE_BYTES


@contextmanager
def room_in(folders: Iterable[Path]) -> Iterator[None]:
    """Hold that every folder's file system had room all the time.

    Raises:
        InfrastructureError: one was, or became, almost full: whatever came out meanwhile says nothing.
    """
    watch = _Watch(folders)
    if watch.look():
        raise InfrastructureError(f"no space left on the disk: {watch.full}", HINT)
    watch.start()
    try:
        yield
    finally:
        watch.stop()
        if watch.look():
            raise InfrastructureError(f"no space left on the disk: {watch.full}, while a command ran", HINT)
