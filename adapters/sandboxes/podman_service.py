"""podman's API service: a request a connection over its socket, and starting it where it does not run.

By hand, and not by podman-py: importing that takes 0.4 s of processor, more than a stage's whole start may, and of what
it offers only the transport would be used. tests/adapters/sandboxes hold this against podman-py.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from redgreen.contract import ROOT
from redgreen.errors import InfrastructureError
from redgreen.mirrors import locked

IDLE_S = 300
API = "/v4.0.0/libpod"


class Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket. `timeout` None: as long as it takes."""

    def __init__(self, path: Path, timeout: float | None = None) -> None:
        super().__init__("d", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


class Service:
    """The API at a socket. `revive` starts it again if it is gone when something is to be asked."""

    def __init__(self, path: Path, revive: Callable[[Service], None] | None = None) -> None:
        self.path = path
        self.revive = revive

    def ask(
        self,
        verb: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        body: Any = None,
        timeout: float | None = None,
    ) -> tuple[int, Any]:
        """Status and JSON of the answer, None if it is empty.

        Raises:
            InfrastructureError: no answer, or one that is no JSON.
        """
        query = f"?{urlencode(params)}" if params else ""
        status, text = self._exchange(verb, f"{path}{query}", body, timeout)
        try:
            return status, json.loads(text) if text.strip() else None
        except ValueError:
            raise InfrastructureError("podman: its answer is no JSON", "run `make doctor`") from None

    def _exchange(self, verb: str, target: str, body: Any, timeout: float | None) -> tuple[int, bytes]:
        connection = self._connected(timeout)
        content, headers = (None, {}) if body is None else (json.dumps(body), {"Content-Type": "application/json"})
        try:
            connection.request(verb, f"{API}{target}", body=content, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            said = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
            raise InfrastructureError(f"podman: {said}", "run `make doctor`") from None
        finally:
            connection.close()

    def _connected(self, timeout: float | None) -> Connection:
        """A service that went away, idle or beaten, is started again: nothing has been asked of it yet."""
        connection = Connection(self.path, timeout)
        try:
            connection.connect()
        except (FileNotFoundError, ConnectionRefusedError):
            if not self.revive:
                raise InfrastructureError(f"podman: no service at {self.path}", "run `make doctor`") from None
            self.revive(self)
            connection = Connection(self.path, timeout)
            try:
                connection.connect()
            except OSError as error:
                raise InfrastructureError(f"podman: {error}", "run `make doctor`") from None
        except OSError as error:
            raise InfrastructureError(f"podman: {error}", "run `make doctor`") from None
        return connection

    def demand(self, verb: str, path: str, **options: Any) -> Any:
        """The JSON of an answer that is no refusal.

        Raises:
            InfrastructureError: as `ask`, or podman refused.
        """
        status, content = self.ask(verb, path, **options)
        if status >= 400:
            message = content.get("message", "") if isinstance(content, dict) else ""
            raise InfrastructureError(f"podman: {message or status}", "run `make doctor`")
        return content

    def answers(self) -> bool:
        if not self.path.exists():
            return False
        try:
            # asked for its version instead, podman starts half a dozen programs
            status, _ = Service(self.path)._exchange("GET", "/_ping", None, 5)
        except InfrastructureError:
            return False
        return status == 200


def started() -> Service:
    """The service of this user, started if nobody has.

    Raises:
        InfrastructureError: there is no podman, or it does not come up.
    """
    service = Service(_folder() / "podman.sock", revive=_revive)
    _revive(service)
    return service


def _revive(service: Service) -> None:
    with locked(service.path.with_suffix(".lock")):
        if not service.answers():
            _start(service)


def configuration() -> dict[str, str]:
    """The environment that podman is started with: where runc is there, it is used, as crun refuses hybrid cgroups."""
    if "CONTAINERS_CONF" in os.environ or not shutil.which("runc"):
        return dict(os.environ)
    return {**os.environ, "CONTAINERS_CONF": str(ROOT / "containers" / "containers.conf")}


def _folder() -> Path:
    """A folder of this user alone, for the service's socket: short, as a socket's address holds 107 bytes."""
    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    folder = Path(base) / f"redgreen-podman-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise InfrastructureError(f"{folder}: belongs to another user", "remove it, or set XDG_RUNTIME_DIR")
    return folder


def _start(service: Service) -> None:
    service.path.unlink(missing_ok=True)
    words = service.path.with_suffix(".log")
    try:
        # a session of its own: ending one stage must not end the service that its neighbours use
        with words.open("wb") as log:
            subprocess.Popen(
                ["podman", "system", "service", f"--time={IDLE_S}", f"unix://{service.path}"],
                env=configuration(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd=service.path.parent,
            )
    except FileNotFoundError:
        raise InfrastructureError("podman: not found", "install podman, or use SANDBOX=process") from None
    deadline = time.monotonic() + 20
    while not service.answers():
        if time.monotonic() > deadline:
            said = words.read_text(errors="replace").strip().splitlines()
            raise InfrastructureError(
                f"podman: its service does not answer: {said[-1] if said else 'no word'}", "run `make doctor`"
            )
        time.sleep(0.05)
