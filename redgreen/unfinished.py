"""Names for temporary files and folders by which a later process knows what a killed one has left."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def prefix_in(folder: Path, name: str) -> str:
    """`<name><id of this process>.`, for tempfile; what dead processes left of this name in `folder` goes first."""
    for left in list(folder.iterdir()) if folder.is_dir() else ():
        process, dot, _ = left.name.removeprefix(name).partition(".")
        if left.name.startswith(name) and dot and process.isdigit() and is_gone(int(process)):
            _delete(left)
    return f"{name}{os.getpid()}."


def is_gone(process: int) -> bool:
    """Whether a process has ended. One that is dead and not yet waited for has, too: not every PID 1 waits."""
    try:
        return Path(f"/proc/{process}/stat").read_bytes().rpartition(b") ")[2][:1] in (b"Z", b"X")
    except (FileNotFoundError, ProcessLookupError):
        return True


def _delete(left: Path) -> None:
    try:
        if left.lstat().st_uid != os.geteuid():  # in a folder that others use too
            return
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)
    except FileNotFoundError:
        return  # another process swept at the same time
