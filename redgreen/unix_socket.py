"""Listening on a socket file whose path may be longer than a socket's address, which holds 107 bytes."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def listening(path: Path, backlog: int) -> socket.socket:
    """A socket that listens at `path` and that every user may connect to."""
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        door.bind(f"/proc/self/fd/{folder}/{path.name}")
        path.chmod(0o666)
        door.listen(backlog)
    except OSError:
        door.close()
        raise
    finally:
        os.close(folder)
    return door
