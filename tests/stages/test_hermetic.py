"""hermetic: what holds is told as such, and what does not is found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from stage_runner import call, loads

import adapters
from redgreen import errors
from redgreen.contract import load
from redgreen.documents import Task
from redgreen.sandbox import Command, Finished, Sandbox
from stages.steps import hermetic

RING = "demo__ringlog-5"


class Outside:
    """A sandbox that is none."""

    name, image = "outside", None

    def run(self, command: Command) -> Finished:
        done = subprocess.run([sys.executable, *command.argv[1:]], capture_output=True, check=False)
        return Finished(done.returncode, "exited", done.stdout, done.stderr, 0.0)

    def own(self, folder: Path) -> None: ...

    def remove(self, folder: Path) -> None: ...


def test_a_sandbox_has_no_way_out_and_what_is_none_is_found(sandbox: Sandbox) -> None:
    assert hermetic.check_sandbox("python", sandbox) == (True, f"sandbox python ({sandbox.name}): no way out")
    holds, told = hermetic.check_sandbox("python", Outside())
    assert not holds
    assert "127.0.0.1 reached" in told or "127.0.0.1, " in told


def test_red_and_green_write_the_same_without_any_network_and_keep_their_time(reports: Path, sandbox: Sandbox) -> None:
    times = {path: path.stat().st_mtime_ns for path in (reports / RING).glob("*.json") if "times" not in path.name}
    ended = call("hermetic", reports.parent, "--language", "python", "--without-images", "--sandbox", sandbox.name)
    assert ended.status == 0, ended.stderr
    assert f"HOLD  stages python: red, green of {RING}: the same documents" in ended.stdout
    assert {path: path.stat().st_mtime_ns for path in times} == times


def test_a_stage_that_writes_something_else_is_found_and_its_document_kept(reports: Path, sandbox: Sandbox) -> None:
    path = reports / RING / "green.json"
    kept = path.read_bytes()
    value = json.loads(kept)
    value["runs"]["green"][0]["exit_status"] = 9
    path.write_text(json.dumps(value))
    task = load(reports / RING / "accept.json", Task)
    try:
        holds, told = hermetic.check_stages("python", task, reports.parent, sandbox.name)
        assert (holds, told) == (False, f"stages python: red, green of {RING}: green: another document")
        assert loads(path) == value
    finally:
        path.write_bytes(kept)


def test_a_stage_that_needs_a_network_is_found() -> None:
    reach = "import socket, sys; s = socket.socket(); s.connect(('127.0.0.1', int(sys.argv[1])))"
    listener = hermetic.Listener()
    listener.start()
    command = [sys.executable, "-c", reach, str(listener.port)]
    assert subprocess.run(command, check=False).returncode == 0
    assert "Network is unreachable" in hermetic._without_network(command, "process")
    listener.door.close()


@pytest.mark.parametrize(("anew", "holds"), [("sha256:1", True), ("sha256:2", False)])
def test_an_image_that_comes_out_otherwise_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, anew: str, holds: bool
) -> None:
    built: list[list[str]] = []
    monkeypatch.setattr(adapters, "image", lambda language, out: "sha256:1")
    monkeypatch.setattr(hermetic, "size_of", lambda image: "1 MB")
    monkeypatch.setattr(hermetic, "_build", lambda command: built.append(command) or anew)
    [(found, told)] = hermetic.check_images(["python"], tmp_path)
    assert (found, told.startswith("image python: sha256:1, 1 MB")) == (holds, True)
    assert [command[1:] for command in built] == [["base", "anew"], ["python", "anew"]]


def test_a_set_without_an_accepted_task_is_refused(tmp_path: Path) -> None:
    ended = call("hermetic", tmp_path / "demo")
    assert ended.status == 2
    assert "no accepted task" in ended.stderr


def test_the_last_words_of_a_build_that_failed_are_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    script = tmp_path / "build.sh"
    script.write_text("printf '%s\\n' first >&2; seq 30 >&2; echo the mirror is gone >&2; exit 1")
    with pytest.raises(errors.InfrastructureError, match="its last words are above"):
        hermetic._build([str(script)])
    words = capsys.readouterr().err.splitlines()
    assert (words[-1], len(words)) == ("the mirror is gone", hermetic.LAST_WORDS)
