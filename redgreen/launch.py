"""Start a test command on a tree: a fresh overlay over the box, the delta laid on it, the report by socket."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from redgreen.sandbox import BOX, Command, Finished, Limits, Mount, Sandbox
from redgreen.unfinished import prefix_in
from redgreen.unix_socket import listening

INSIDE = Path(__file__).with_name("inside")
TOOLS = "/redgreen/tools"
MAX_EVENT_BYTES = 256 << 20


@dataclass(frozen=True)
class Job:
    """One test command. `box` is never changed; `delta` is a folder made by redgreen.folder.write_delta."""

    argv: Sequence[str]
    box: Path
    delta: Path | None
    variables: Mapping[str, str]
    mounts: Sequence[Mount] = ()
    limits: Limits = field(default_factory=Limits)
    label: str = ""


@dataclass(frozen=True)
class Raw:
    """What came back: the events as the language's runner wrote them, a JSON object a line, and how it all ended.

    `exit_status` is the test command's own, or None if it never ended by itself.
    """

    events: bytes
    finished: Finished


class _OneReport(threading.Thread):
    """Accepts a single connection, closes the door behind it, and reads to the end."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.path = folder / "report"
        self.content = bytearray()
        self.door = listening(self.path, 1)

    def run(self) -> None:
        try:
            connection, _ = self.door.accept()
        except OSError:
            return
        self.path.unlink(missing_ok=True)
        self.door.close()
        with connection:
            while len(self.content) < MAX_EVENT_BYTES and (block := connection.recv(1 << 16)):
                self.content += block

    def close(self) -> None:
        """The sandbox is gone: nobody can connect any more, and what was sent has been read soon."""
        with suppress(OSError):
            self.door.shutdown(socket.SHUT_RDWR)
        self.join(timeout=10)
        self.door.close()


def launch(sandbox: Sandbox, job: Job) -> Raw:
    """Run a job to its end or its limits.

    Raises:
        InfrastructureError: the sandbox broke.
    """
    folder = Path(tempfile.mkdtemp(prefix=prefix_in(Path(tempfile.gettempdir()), "redgreen-")))
    try:
        folder.chmod(0o711)
        report = _OneReport(folder)
        report.start()
        try:
            finished = sandbox.run(_command(job, folder))
        finally:
            report.close()
        return Raw(bytes(report.content), finished)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _command(job: Job, port: Path) -> Command:
    mounts = [
        Mount(job.box, BOX, "overlay"),
        Mount(port, "/redgreen/port", "rw"),
        Mount(INSIDE, f"{TOOLS}/inside"),
        *job.mounts,
    ]
    delta = "-"
    if job.delta is not None:
        delta = "/redgreen/delta"
        mounts.append(Mount(job.delta, delta))
    supervisor = ["python3", "-I", f"{TOOLS}/inside/supervisor.py", "/redgreen/port/report", f"{BOX}/tree", delta, "--"]
    return Command(
        argv=[*supervisor, *job.argv],
        mounts=mounts,
        variables=job.variables,
        limits=job.limits,
        label=job.label,
        workdir="/",
    )


def readable(folder: Path) -> None:
    """Let the sandbox's user read a folder that we wrote, whatever this process's umask is."""
    for root, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            place = Path(root, name)
            if not place.is_symlink():
                place.chmod(place.stat().st_mode | (0o555 if place.is_dir() else 0o444))
    folder.chmod(0o755)
