"""Our own requests to podman, held against podman-py; and what a service that is broken is called."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from podman import PodmanClient

from adapters.sandboxes.podman import OWNER, PodmanSandbox
from adapters.sandboxes.podman_service import Service, started
from redgreen.errors import InfrastructureError
from redgreen.sandbox import Command, Limits, Sandbox


@pytest.fixture
def client(podman: Sandbox) -> Iterator[PodmanClient]:
    with PodmanClient(base_url=f"unix://{started().path}", timeout=30) as found:
        yield found


def ours(client: PodmanClient, label: str) -> list[Any]:
    return [found for found in client.containers.list(all=True) if found.labels.get("redgreen-label") == label]


def test_podman_py_sees_the_container_as_it_was_asked_for_and_sees_it_go(
    podman: Sandbox, client: PodmanClient, tmp_path: Path
) -> None:
    limits = Limits(timeout_s=30, memory_bytes=256 << 20, processes=50)
    label = str(tmp_path)
    command = Command(["sleep", "3"], limits=limits, label=label)
    running = threading.Thread(target=podman.run, args=(command,))
    running.start()
    deadline = time.monotonic() + 20
    while not (seen := ours(client, label)) and time.monotonic() < deadline:
        time.sleep(0.05)
    (container,) = seen
    container.reload()
    settings = container.attrs["HostConfig"]
    assert container.labels[OWNER].isdigit()
    assert settings["NetworkMode"] == "none"
    assert settings["Memory"] == settings["MemorySwap"] == 256 << 20
    assert settings["PidsLimit"] == 50
    assert settings["ReadonlyRootfs"] is True
    assert container.attrs["EffectiveCaps"] in (None, [])
    assert container.attrs["Config"]["User"] == "1000:1000"
    assert container.attrs["Image"] == podman.image
    running.join()
    assert ours(client, label) == []


def test_podman_py_knows_the_same_images(podman: Sandbox, client: PodmanClient) -> None:
    assert podman.image is not None
    assert client.images.get(podman.image).id.removeprefix("sha256:") == podman.image
    nowhere = PodmanSandbox("localhost/redgreen-no-such-image")
    assert not nowhere.has_image()
    assert not client.images.exists("localhost/redgreen-no-such-image")
    with pytest.raises(InfrastructureError, match="redgreen-no-such-image"):
        nowhere.run(Command(["true"]))


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n<p>",
    ],
)
def test_a_service_that_answers_with_rubbish_is_infrastructure(tmp_path: Path, answer: bytes) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.bind(str(path))
        door.listen(1)

        def serve() -> None:
            connection, _ = door.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(InfrastructureError, match="podman: "):
            Service(path).demand("GET", "/version")
        thread.join()


def test_no_service_is_infrastructure(tmp_path: Path) -> None:
    assert not Service(tmp_path / "s").answers()
    with pytest.raises(InfrastructureError, match="podman: "):
        Service(tmp_path / "s").demand("GET", "/version")


def end_service(path: Path) -> None:
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if entry.read_bytes().endswith(f"unix://{path}\0".encode()):
                os.kill(int(entry.parent.name), signal.SIGTERM)


def test_a_service_that_went_away_is_started_again(podman: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    assert podman.image is not None
    with tempfile.TemporaryDirectory() as short:
        monkeypatch.setenv("XDG_RUNTIME_DIR", short)
        fresh = PodmanSandbox(f"sha256:{podman.image}")
        assert fresh.run(Command(["true"])).exit_status == 0
        path = started().path
        assert path.is_relative_to(short)
        end_service(path)
        deadline = time.monotonic() + 20
        while path.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not path.exists()
        try:
            assert fresh.run(Command(["true"])).exit_status == 0
        finally:
            end_service(path)
