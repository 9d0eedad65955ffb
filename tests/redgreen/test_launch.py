"""A test command's start: the delta on a fresh overlay, one connection for the report, an end that nobody forges."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from redgreen.errors import InfrastructureError
from redgreen.events import read_events, read_run
from redgreen.launch import Job, Raw, launch, readable
from redgreen.sandbox import BOX, Command, Finished, Limits, Sandbox

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
TELL = """
import json, os
pipe = int(os.environ["REDGREEN_EVENTS"])
def send(**event):
    os.write(pipe, (json.dumps(event) + chr(10)).encode())
"""


@pytest.fixture
def box(tmp_path: Path, sandbox: Sandbox) -> Iterator[Path]:
    folder = tmp_path / "box"
    (folder / "tree" / "d").mkdir(parents=True)
    (folder / "tree" / "a.txt").write_text("base\n")
    (folder / "tree" / "d" / "gone.txt").write_text("goes\n")
    (folder / "tree" / "kind").write_text("a file\n")
    sandbox.own(folder)
    yield folder
    sandbox.remove(folder)


def run(sandbox: Sandbox, box: Path, code: str, delta: Path | None = None, **limits: Any) -> Raw:
    job = Job(["python3", "-c", TELL + code], box, delta, ENVIRONMENT, limits=Limits(**limits))
    return launch(sandbox, job)


def exit_of(raw: Raw) -> Any:
    return [event for event in read_events(raw.events) if event["event"] == "exit"]


def test_events_come_back_and_the_supervisor_adds_the_end(sandbox: Sandbox, box: Path) -> None:
    raw = run(
        sandbox, box, "send(event='start'); print('seen', flush=True); os.write(pipe, b'half a line'); os._exit(3)"
    )
    assert [event["event"] for event in read_events(raw.events)] == ["start", "exit"]
    assert exit_of(raw) == [{"event": "exit", "status": 3}]
    assert (raw.finished.exit_status, raw.finished.stdout) == (0, b"seen\n")


def test_the_delta_is_laid_on_the_overlay_and_the_box_stays_as_it_was(
    sandbox: Sandbox, box: Path, tmp_path: Path
) -> None:
    delta = tmp_path / "delta"
    (delta / "files" / "new").mkdir(parents=True)
    (delta / "files" / "kind").mkdir()
    (delta / "files" / "a.txt").write_text("delta\n")
    (delta / "files" / "new" / "run").write_text("#!/bin/sh\n")
    (delta / "files" / "new" / "run").chmod(0o755)
    (delta / "files" / "kind" / "inner").write_text("a folder now\n")
    (delta / "deleted").write_bytes(b"a.txt\0d/gone.txt\0kind\0")
    readable(delta)
    code = (
        "found = {p: open(p).read() for p in ('a.txt', 'new/run', 'kind/inner')};"
        "send(event='seen', found=found, d=os.path.exists('d'), x=os.access('new/run', os.X_OK), here=os.getcwd());"
        "open('a.txt', 'w').write('changed by a test')"
    )
    raw = run(sandbox, box, code, delta)
    seen = next(event for event in read_events(raw.events) if event["event"] == "seen")
    assert seen["found"] == {"a.txt": "delta\n", "new/run": "#!/bin/sh\n", "kind/inner": "a folder now\n"}
    assert (seen["d"], seen["x"], seen["here"]) == (False, True, f"{BOX}/tree")
    assert (box / "tree" / "a.txt").read_text() == "base\n"
    assert (box / "tree" / "d" / "gone.txt").exists()


def test_tests_find_no_second_door(sandbox: Sandbox, box: Path) -> None:
    code = "send(event='port', left=os.path.exists('/redgreen/port/report'), fds=len(os.listdir('/proc/self/fd')))"
    raw = run(sandbox, box, code)
    port = next(event for event in read_events(raw.events) if event["event"] == "port")
    assert port["left"] is False
    assert port["fds"] <= 5  # the three standard ones, the pipe, and the listing itself


def test_a_supervisor_killed_by_the_tests_proves_nothing(sandbox: Sandbox, box: Path) -> None:
    code = (
        "import signal, time;"
        "send(event='phase', id='t', when='call', outcome='passed');"
        "send(event='finish', status=0); send(event='exit', status=0); time.sleep(0.3);"
        "os.kill(os.getppid(), signal.SIGKILL); time.sleep(5)"
    )
    raw = run(sandbox, box, code, timeout_s=20)
    assert not read_run(raw).complete


def test_a_command_that_hangs_is_ended_and_its_events_are_kept(sandbox: Sandbox, box: Path) -> None:
    raw = run(sandbox, box, "send(event='start'); import time; time.sleep(60)", timeout_s=2)
    assert raw.finished.ended == "timeout"
    assert [event["event"] for event in read_events(raw.events)] == ["start"]
    assert read_run(raw).ended == "timeout"


def test_a_command_that_is_not_there_ends_with_127(sandbox: Sandbox, box: Path) -> None:
    raw = launch(sandbox, Job(["/no/such/runner"], box, None, ENVIRONMENT))
    assert exit_of(raw) == [{"event": "exit", "status": 127}]
    assert b"/no/such/runner: No such file" in raw.finished.stderr


def test_a_temporary_folder_may_have_a_longer_name_than_a_socket_s_address(
    sandbox: Sandbox, box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("x" * 120)
    deep.mkdir()
    for folder in (deep, *deep.parents[:2]):
        folder.chmod(0o755)
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    assert exit_of(launch(sandbox, Job(["true"], box, None, ENVIRONMENT))) == [{"event": "exit", "status": 0}]
    assert list(deep.iterdir()) == []


class Broken:
    """A sandbox of which the host's half breaks."""

    name, image = "broken", None

    def run(self, command: Command) -> Finished:
        raise InfrastructureError("broke")

    def own(self, folder: Path) -> None: ...

    def remove(self, folder: Path) -> None: ...


def test_a_sandbox_that_breaks_leaves_no_thread_and_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    threads = threading.active_count()
    with pytest.raises(InfrastructureError, match="broke"):
        launch(Broken(), Job(["true"], tmp_path, None, {}))
    assert threading.active_count() == threads
    assert list(tmp_path.iterdir()) == []


class Local(Broken):
    """Connects to the report's socket from this process, twice."""

    def run(self, command: Command) -> Finished:
        port = next(mount.source for mount in command.mounts if mount.target == "/redgreen/port")
        with socket.socket(socket.AF_UNIX) as ours:
            ours.connect(str(port / "report"))
            ours.sendall(json.dumps({"event": "start"}).encode() + b"\n")
        self.second = self._connect_again(port)
        return Finished(0, "exited", b"", b"", 0.0)

    def _connect_again(self, port: Path) -> str:
        for _ in range(200):
            if not (port / "report").exists():
                return "no door"
            threading.Event().wait(0.01)
        return "a door"


@pytest.mark.skipif(sys.platform != "linux", reason="sockets of Linux")
def test_the_door_is_closed_behind_the_first_who_comes(tmp_path: Path) -> None:
    sandbox = Local()
    raw = launch(sandbox, Job(["true"], tmp_path, None, {}))
    assert sandbox.second == "no door"
    assert raw.events == b'{"event": "start"}\n'
