"""The way out of a sandbox: named hosts, one port, CONNECT alone."""

from __future__ import annotations

import shutil
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import adapters
from redgreen import egress as egress_module
from redgreen.egress import asked_host, egress
from redgreen.sandbox import Command, Finished, Sandbox

ASK = """
import socket, sys
host, port = sys.argv[1], int(sys.argv[2])
way = socket.create_connection(("127.0.0.1", 3128), timeout=10)
way.sendall(f"CONNECT {host}:{port} HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n".encode())
head = way.recv(4096).split(b"\\r\\n")[0].decode()
if " 200 " in head:
    way.sendall(b"ping")
    head += "|" + way.recv(100).decode()
try:
    socket.create_connection((host, port), timeout=3)
    head += "|reached directly"
except OSError:
    pass
print(head)
"""


@pytest.fixture
def echo(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server on loopback that answers `ping` with `pong`; its port stands for the one that is allowed."""
    server = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            with client:
                if client.recv(100) == b"ping":
                    client.sendall(b"pong")

    threading.Thread(target=answer, daemon=True).start()
    port = server.getsockname()[1]
    monkeypatch.setattr(egress_module, "PORT", port)
    yield port
    server.close()


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return adapters.sandbox("auto" if shutil.which("podman") else "process", "python", tmp_path_factory.mktemp("out"))


def ask(sandbox: Sandbox, hosts: list[str], host: str, port: int) -> tuple[Finished, list[str]]:
    with egress(hosts) as way:
        finished = sandbox.run(way.through(Command(["python3", "-c", ASK, host, str(port)])))
        return finished, list(way.refused)


def test_an_allowed_host_is_reached_through_the_socket_and_not_otherwise(sandbox: Sandbox, echo: int) -> None:
    finished, refused = ask(sandbox, ["localhost"], "localhost", echo)
    assert finished.stdout.decode().strip() == "HTTP/1.1 200 Connection established|pong"
    assert refused == []


def test_another_host_is_refused_and_named(sandbox: Sandbox, echo: int) -> None:
    finished, refused = ask(sandbox, ["registry.invalid"], "localhost", echo)
    assert finished.stdout.decode().strip() == "HTTP/1.1 403 Forbidden"
    assert refused == ["localhost"]


def test_another_port_of_an_allowed_host_is_refused(sandbox: Sandbox, echo: int) -> None:
    finished, refused = ask(sandbox, ["localhost"], "localhost", echo + 1)
    assert finished.stdout.decode().strip() == "HTTP/1.1 403 Forbidden"
    assert refused == ["(not a CONNECT)"]


def test_an_allowed_host_that_is_down_is_a_bad_gateway(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    monkeypatch.setattr(egress_module, "PORT", port)
    finished, _ = ask(sandbox, ["localhost"], "localhost", port)
    assert finished.stdout.decode().strip() == "HTTP/1.1 502 Bad Gateway"


def test_the_commands_own_exit_status_comes_back(sandbox: Sandbox) -> None:
    with egress([]) as way:
        assert sandbox.run(way.through(Command(["sh", "-c", "exit 7"]))).exit_status == 7
        assert sandbox.run(way.through(Command(["sh", "-c", "kill -9 $$"]))).exit_status == 137


@pytest.mark.parametrize(
    ("head", "host"),
    [
        (b"CONNECT Registry.Example:443 HTTP/1.1\r\n\r\n", "registry.example"),
        (b"CONNECT registry.example:80 HTTP/1.1\r\n\r\n", None),
        (b"GET http://registry.example/ HTTP/1.1\r\n\r\n", None),
        (b"CONNECT registry.example@evil.example:443 HTTP/1.1\r\n\r\n", None),
        (b"", None),
    ],
)
def test_only_connect_to_the_one_port_names_a_host(head: bytes, host: str | None) -> None:
    assert asked_host(head) == host


def test_nothing_is_left_when_the_way_is_closed() -> None:
    with egress([]) as way:
        folder = Path(way.folder)
        assert (folder / "proxy").is_socket()
    assert not folder.exists()
