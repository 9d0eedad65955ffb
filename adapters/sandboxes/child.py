"""The process that holds a sandbox: bounded output, limited time, and its end is the end of all below it."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from adapters.sandboxes.private_root import TOOL_PATH
from redgreen.errors import InfrastructureError

DROPPED = b"\n[redgreen: the rest was dropped: output limit]\n"


@dataclass
class Kept:
    """The beginning of a stream, and whether more came."""

    limit: int
    data: bytearray = field(default_factory=bytearray)
    dropped: bool = False

    def add(self, block: bytes) -> None:
        room = self.limit - len(self.data)
        self.dropped |= len(block) > room
        self.data += block[: max(0, room)]

    def __bytes__(self) -> bytes:
        return bytes(self.data) + (DROPPED if self.dropped else b"")


def start(argv: list[str], standard_input: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start it with no variables of ours, and with both streams to be read."""
    try:
        return subprocess.Popen(
            argv,
            stdin=standard_input,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"PATH": TOOL_PATH, "LC_ALL": "C"},
            start_new_session=True,  # no terminal of ours inside; an interrupt reaches us alone, and we end the sandbox
        )
    except FileNotFoundError as error:
        raise InfrastructureError(f"{error.filename}: not found", "install util-linux") from None


def read(process: subprocess.Popen[bytes], output: Kept, errors: Kept, timeout_s: float) -> bool:
    """Read both streams to their ends, then wait. False if the time was over before."""
    deadline = time.monotonic() + timeout_s
    with selectors.DefaultSelector() as selector:
        for pipe, kept in ((process.stdout, output), (process.stderr, errors)):
            assert pipe is not None
            selector.register(pipe, selectors.EVENT_READ, kept)
        while selector.get_map():
            ready = selector.select(max(0, deadline - time.monotonic()))
            if time.monotonic() >= deadline:
                return False
            for key, _ in ready:
                if block := os.read(key.fd, 1 << 16):
                    key.data.add(block)
                else:
                    selector.unregister(key.fileobj)
    try:
        process.wait(max(0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill PID 1 of the sandbox: unshare ends only after the kernel has ended all below. No PID 1 yet: kill unshare."""
    if process.poll() is None:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            for child in children.read_text().split():
                os.kill(int(child), signal.SIGKILL)
                process.wait(10)
    process.kill()
    process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
