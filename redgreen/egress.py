"""A way out of a sandbox that has no network: to named hosts on one port, and nowhere else.

The sandbox gets a socket file. On our side of it stands an HTTP proxy that knows CONNECT alone and the allowed hosts
alone; inside, `inside/forward.py` makes a loopback port of it, because package managers take a proxy's address and no
socket. What was refused is kept: a build that calls home is evidence.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from redgreen.launch import INSIDE, TOOLS
from redgreen.sandbox import Command, Mount
from redgreen.unfinished import prefix_in
from redgreen.unix_socket import listening

PORT = 443
HEAD_LIMIT = 16 << 10
TIMEOUT_S = 60
INSIDE_ADDRESS = "http://127.0.0.1:3128"
PROXY_VARIABLES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY")
CERTIFICATES = "/redgreen/certificates.crt"
CERTIFICATE_VARIABLES = ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "REQUESTS_CA_BUNDLE", "PIP_CERT")


@dataclass
class Egress:
    """The socket's folder, and the hosts that were asked for in vain, each once and in order."""

    folder: Path
    hosts: frozenset[str]
    refused: dict[str, None] = field(default_factory=dict)

    def through(self, command: Command) -> Command:
        """The same command with this way out."""
        mounts = [Mount(self.folder, "/redgreen/egress", "rw"), Mount(INSIDE, f"{TOOLS}/inside")]
        variables = dict.fromkeys(PROXY_VARIABLES, INSIDE_ADDRESS)
        bundle = Path(os.environ.get("SSL_CERT_FILE") or "/etc/ssl/certs/ca-certificates.crt")
        if bundle.is_file():  # the host's: a site's own proxy may sign with an authority of its own
            mounts.append(Mount(bundle.resolve(), CERTIFICATES))
            variables |= dict.fromkeys(CERTIFICATE_VARIABLES, CERTIFICATES)
        forward = ["python3", "-I", f"{TOOLS}/inside/forward.py", "/redgreen/egress/proxy", "--"]
        return replace(
            command,
            argv=[*forward, *command.argv],
            mounts=[*command.mounts, *mounts],
            variables={**command.variables, **variables},
            network=False,
        )


@contextlib.contextmanager
def egress(hosts: Sequence[str]) -> Iterator[Egress]:
    """Open a way to these hosts for as long as the block lasts."""
    folder = Path(tempfile.mkdtemp(prefix=prefix_in(Path(tempfile.gettempdir()), "redgreen-")))
    try:
        folder.chmod(0o711)
        with contextlib.closing(listening(folder / "proxy", 128)) as door:
            way = Egress(folder, frozenset(hosts))
            threading.Thread(target=_accept, args=(door, way), daemon=True).start()
            try:
                yield way
            finally:
                with contextlib.suppress(OSError):
                    door.shutdown(socket.SHUT_RDWR)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _accept(door: socket.socket, way: Egress) -> None:
    while True:
        try:
            client, _ = door.accept()
        except OSError:
            return
        threading.Thread(target=_serve, args=(client, way), daemon=True).start()


def _serve(client: socket.socket, way: Egress) -> None:
    with client, contextlib.suppress(OSError):
        client.settimeout(TIMEOUT_S)
        host = asked_host(_head(client))
        if host not in way.hosts:
            way.refused[host or "(not a CONNECT)"] = None
            client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            return
        try:
            server = socket.create_connection((host, PORT), timeout=TIMEOUT_S)
        except OSError:
            client.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
            return
        with server:
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            relay(client, server)


def _head(client: socket.socket) -> bytes:
    head = b""
    while b"\r\n\r\n" not in head and len(head) < HEAD_LIMIT:
        block = client.recv(4096)
        if not block:
            break
        head += block
    return head


def asked_host(head: bytes) -> str | None:
    """The host of `CONNECT host:443 HTTP/1.1`, in lower case; None for anything else."""
    found = re.match(rb"CONNECT ([A-Za-z0-9.-]+):(\d+) HTTP/1\.[01]\r\n", head)
    return found[1].decode().lower() if found and int(found[2]) == PORT else None


def relay(one: socket.socket, other: socket.socket) -> None:
    """Pass bytes both ways until both sides have ended."""
    back = threading.Thread(target=_pump, args=(other, one), daemon=True)
    back.start()
    _pump(one, other)
    back.join()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while block := source.recv(1 << 16):
            target.sendall(block)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
