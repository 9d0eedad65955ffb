"""A container's output while it runs, by podman's attach: kept up to a limit, read to the end, stored nowhere else."""

from __future__ import annotations

import socket
import struct
import threading
from pathlib import Path

from adapters.sandboxes.child import Kept
from redgreen.errors import InfrastructureError

DRAIN_S = 10
"""The container is gone: what it wrote arrives within moments, unless an orphan of it holds the other end."""


class Attached:
    """Reads both streams in a thread, from `with` on until the container has ended.

    The request is HTTP, and what follows its answer is podman's stream of frames: one byte
    for the stream, three of padding, four of length, the bytes.
    """

    def __init__(self, service: Path, container: str, limit: int) -> None:
        self._kept = {1: Kept(limit), 2: Kept(limit)}
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(str(service))
            target = f"/v4.0.0/libpod/containers/{container}/attach?stream=true&stdout=true&stderr=true&stdin=false"
            head = (
                f"POST {target} HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n\r\n"
            )
            self._socket.sendall(head.encode())
            self._stream = self._socket.makefile("rb")
            self._read_answer()
        except OSError as error:
            self._socket.close()
            raise InfrastructureError(f"podman: cannot attach: {error}", "run `make doctor`") from None
        self._thread = threading.Thread(target=self._read, daemon=True)

    def _read_answer(self) -> None:
        status = self._stream.readline().split()
        while self._stream.readline().strip():
            pass
        if len(status) < 2 or status[1] not in (b"101", b"200"):
            raise OSError(b" ".join(status).decode(errors="replace") or "no answer")

    def _read(self) -> None:
        try:
            while len(head := self._stream.read(8)) == 8:
                stream, size = struct.unpack(">BxxxL", head)
                self._kept[stream if stream in self._kept else 1].add(self._stream.read(size))
        except (OSError, ValueError):
            return

    def __enter__(self) -> Attached:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join(timeout=DRAIN_S)
        self._socket.close()

    @property
    def output(self) -> bytes:
        return bytes(self._kept[1])

    @property
    def errors(self) -> bytes:
        return bytes(self._kept[2])
