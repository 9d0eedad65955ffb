"""An agent's place to work: one sandbox for a whole attempt, in which commands are run one after another.

A fresh container for each command would cost more than most commands, and would end what a command started. Inside runs
redgreen/inside/desk.py; what it answers is the agent's word about its own workspace, and decides nothing.
"""

from __future__ import annotations

import base64
import json
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from redgreen.errors import InfrastructureError
from redgreen.launch import INSIDE, TOOLS
from redgreen.sandbox import Command, Finished, Mount, Sandbox
from redgreen.unfinished import prefix_in
from redgreen.unix_socket import listening

KEEP_BYTES = 16 << 10
START_S = 60.0
LATE_S = 10.0
"""So much later than a command's limit the sandbox may still answer; then it is taken for broken."""
ANSWER_BYTES = 64 << 20


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it printed: both outputs together, the middle of a long one dropped."""

    status: int
    output: bytes
    ended: str
    seconds: float
    dropped: int = 0

    @property
    def text(self) -> str:
        return self.output.decode(errors="replace")


class WorkspaceGone(Exception):  # noqa: N818 (an event in an attempt, as often as not no error)
    """The workspace ended while the agent worked: at its limit of time or memory, or because a command ended or stopped
    what answers for it. Never the harness's fault: else an agent could have its failures left out of the count."""

    def __init__(self, how: str) -> None:
        super().__init__(f"the workspace was ended: {how}")
        self.how = how


class Desk:
    """
    Raises (all methods):
        WorkspaceGone: by the attempt's own doing.
        InfrastructureError: the sandbox could not start or broke.
    """

    def __init__(self, sandbox: Sandbox, command: Command, folder: Path) -> None:
        self._door = listening(folder / "desk", 1)
        self._fault: BaseException | None = None
        self._finished: Finished | None = None
        self._thread = threading.Thread(target=self._hold, args=(sandbox, command), daemon=True)
        self._thread.start()
        self._connection = self._accept(folder / "desk")
        self._answers = self._connection.makefile("rb")
        self.seconds = 0.0
        """Of all commands so far, as the desk inside counted them."""

    def _hold(self, sandbox: Sandbox, command: Command) -> None:
        try:
            self._finished = sandbox.run(command)
        except BaseException as error:  # told by the thread that waits
            self._fault = error

    def _accept(self, path: Path) -> socket.socket:
        self._door.settimeout(0.05)
        deadline = time.monotonic() + START_S
        while True:
            try:
                connection, _ = self._door.accept()
                break
            except TimeoutError:
                if not self._thread.is_alive() or time.monotonic() > deadline:
                    self._door.close()
                    raise self._end() from None
        path.unlink(missing_ok=True)  # one connection, ours, before any code of the agent's starts
        self._door.close()
        connection.settimeout(None)
        return connection

    def _end(self) -> Exception:
        """Why there is no answer any more."""
        self._thread.join(timeout=LATE_S)
        if isinstance(self._fault, Exception):
            return self._fault
        if hasattr(self, "_connection"):
            return WorkspaceGone(self._finished.ended if self._finished else "it does not answer")
        said = self._finished.stderr.decode(errors="replace").strip()[-300:] if self._finished else ""
        return InfrastructureError(f"the workspace could not be opened: {said or 'no word'}", "run `make doctor`")

    def run(self, argv: Sequence[str], *, timeout_s: float, stdin: bytes = b"", keep_bytes: int = KEEP_BYTES) -> Done:
        """Run one command in the project's folder; it is ended, with all of its group, at its limit."""
        asked = {
            "argv": list(argv),
            "stdin": base64.b64encode(stdin).decode(),
            "timeout_s": timeout_s,
            "keep_bytes": keep_bytes,
        }
        line = b""
        with suppress(OSError):
            self._connection.settimeout(timeout_s + LATE_S)
            self._connection.sendall(json.dumps(asked).encode() + b"\n")
            line = self._answers.readline(ANSWER_BYTES)
        try:
            told = json.loads(line)
            done = Done(
                int(told["status"]),
                base64.b64decode(told["output"]),
                "timeout" if told["ended"] == "timeout" else "exited",
                float(told["seconds"]),
                int(told["dropped"]),
            )
        except (ValueError, KeyError, TypeError):
            raise self._end() from None
        self.seconds += done.seconds
        return done

    def close(self) -> None:
        """Ends the sandbox with everything in it."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._answers.close()
        self._connection.close()
        self._thread.join(timeout=START_S)


@contextmanager
def desk(sandbox: Sandbox, command: Command) -> Iterator[Desk]:
    """A desk for as long as the block lasts. `command` says mounts, variables, limits and label; its argv is ours."""
    folder = Path(tempfile.mkdtemp(prefix=prefix_in(Path(tempfile.gettempdir()), "redgreen-")))
    try:
        folder.chmod(0o711)
        argv = ["python3", "-I", f"{TOOLS}/inside/desk.py", "/redgreen/desk/desk", command.workdir]
        mounts = [*command.mounts, Mount(folder, "/redgreen/desk", "rw"), Mount(INSIDE, f"{TOOLS}/inside")]
        opened = Desk(sandbox, replace(command, argv=argv, mounts=mounts, workdir="/"), folder)
        try:
            yield opened
        finally:
            opened.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
