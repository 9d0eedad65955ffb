"""A disk that is full and a network that is gone: neither is ever the task's fault, and nothing is lost by it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pipeline import TASK, Checkout, documents, is_clear, missing

SIZE = 512 << 20
LEFT = (0, 24 << 10, 400 << 10)
"""Bytes that are free when a stage starts: nothing at all; enough for a few documents; enough to get half-way."""


class Disk:
    """A small disk in a mount namespace of its own: it is gone with its process, whatever happens to the test."""

    def __init__(self, process: subprocess.Popen[str], place: Path) -> None:
        self.process = process
        self.place = place
        self.seen = Path(f"/proc/{process.pid}/root{place}")
        self.ballast = self.seen / "ballast"

    def fill(self, left: int) -> None:
        self.free()
        with self.ballast.open("wb") as file:
            state = os.statvfs(self.seen)
            os.posix_fallocate(file.fileno(), 0, max(1, state.f_bavail * state.f_frsize - left))

    def free(self) -> None:
        self.ballast.unlink(missing_ok=True)

    def run(self, checkout: Checkout, *command: str) -> subprocess.CompletedProcess[str]:
        inside = ["nsenter", f"--target={self.process.pid}", "--mount", "sh", "-c", 'cd "$0" && exec "$@"']
        return checkout.run(*inside, str(checkout.root), *command, SANDBOX="process")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    place = tmp_path / "o"
    place.mkdir()
    need_namespaces("--mount")
    script = 'mount -t tmpfs -o "size=$1" tmpfs "$0" && echo ready && exec sleep 900'
    command = ["unshare", "--mount", "--propagation=private", "sh", "-c", script, str(place), str(SIZE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as process:
        assert process.stdout
        try:
            if process.stdout.readline().strip() != "ready":
                missing("this test needs to mount a tmpfs: run it as root")
            yield Disk(process, place)
        finally:
            process.kill()


def need_namespaces(kind: str) -> None:
    if not shutil.which("unshare") or subprocess.run(["unshare", kind, "true"], capture_output=True).returncode:
        missing(f"this test needs `unshare {kind}`: run it as root, with util-linux")


def half_written(folder: Path) -> list[str]:
    """Documents that are not whole."""
    broken = []
    for path in [*folder.rglob("*.json"), *folder.rglob("*.jsonl")]:
        if "boxes" in path.parts or "cache" in path.parts:
            continue
        try:
            for text in [path.read_text()] if path.suffix == ".json" else path.read_text().splitlines():
                json.loads(text)
        except ValueError:
            broken.append(path.name)
    return broken


def stages(place: Path) -> list[tuple[str, str, list[str]]]:
    """(stage, what it writes below OUT/demo, its arguments), in the order of the pipeline."""
    task, attempt = f"tasks/{TASK}", f"runs/demo/{TASK}/oracle-1"
    steps = [("mine", "candidates.jsonl", ["--set", "demo", "--out", str(place), "--repo", "demo:ringlog"])]
    for stage, name in (("materialize", "workspace"), ("install", "environment"), ("red", "red"), ("green", "green")):
        steps.append((stage, f"{task}/{name}.json", [str(place / "demo" / task)]))
    steps.append(("accept", f"{task}/accept.json", [str(place / "demo" / task)]))
    steps.append(("collect", "tasks.jsonl", [str(place / "demo"), TASK]))
    steps.append(("run", f"{attempt}/attempt.json", ["--spec", "runs/demo.yaml", str(place / "demo" / attempt)]))
    steps.append(("score", f"{attempt}/score.json", [str(place / "demo" / attempt)]))
    return steps


def test_every_stage_says_that_the_disk_is_full_and_finishes_once_there_is_space(
    checkout: Checkout, disk: Disk
) -> None:
    full = set()
    for stage, written, arguments in stages(disk.place):
        target = disk.seen / "demo" / written
        for left in LEFT:
            disk.fill(left)
            done = disk.run(checkout, checkout.python, f"stages/{stage}.py", *arguments)
            disk.free()
            assert half_written(disk.seen) == []
            if done.returncode == 0:
                break
            full.add(stage)
            assert done.returncode == 1, (stage, left, done.stderr)
            assert is_clear(done.stderr), (stage, left, done.stderr)
            assert "space" in done.stderr.lower(), (stage, left, done.stderr)
            assert not target.exists(), (stage, left)
        done = disk.run(checkout, checkout.python, f"stages/{stage}.py", *arguments)
        assert done.returncode == 0, (stage, done.stderr)
        assert target.exists()
    assert full >= {"mine", "materialize", "install", "red", "accept", "run", "score"}
    task = json.loads((disk.seen / "demo" / "tasks" / TASK / "accept.json").read_text())
    assert task["rejection"] is None
    score = json.loads((disk.seen / "demo" / "runs" / "demo" / TASK / "oracle-1" / "score.json").read_text())
    assert (score["status"], score["resolved"]) == ("ok", True)


FILLS = """
import sys
from pathlib import Path
from adapters.sandboxes.process import ProcessSandbox
from redgreen.errors import InfrastructureError
from redgreen.sandbox import Command, Mount

box, amount = Path(sys.argv[1], "box"), sys.argv[2]
box.mkdir(exist_ok=True)
ProcessSandbox().own(box)
script = f"head -c {amount} /dev/zero >filling; sleep 0.5; rm filling"
try:
    mounts = [Mount(box, "/redgreen/box", "overlay")]
    done = ProcessSandbox().run(Command(["sh", "-c", script], mounts, workdir="/redgreen/box"))
except InfrastructureError as error:
    print("infrastructure:", error)
else:
    print("ended with", done.exit_status)
"""


@pytest.mark.parametrize(("amount", "told"), [("100M", "ended with 0"), ("600M", "infrastructure: no space left")])
def test_a_command_that_ran_out_of_space_says_nothing_even_if_it_cleaned_up(
    checkout: Checkout, disk: Disk, amount: str, told: str
) -> None:
    inside = ["nsenter", f"--target={disk.process.pid}", "--mount", checkout.python, "-c", FILLS]
    done = checkout.run(*inside, str(disk.place), amount, TMPDIR=str(disk.place))
    assert done.stdout.startswith(told), done
    assert shutil.disk_usage(disk.seen).free > SIZE * 0.9


def without_network(checkout: Checkout, *command: str) -> subprocess.CompletedProcess[str]:
    need_namespaces("--net")
    return checkout.run("unshare", "--net", *command, SANDBOX="process")


def test_mining_an_address_without_a_network_is_infrastructure(checkout: Checkout, tmp_path: Path) -> None:
    out = tmp_path / "o"
    address = "https://redgreen.invalid/owner/name"
    command = (checkout.python, "stages/mine.py", "--set", "x", "--out", str(out), "--repo", address)
    done = without_network(checkout, *command)
    assert done.returncode == 1, done.stderr
    assert is_clear(done.stderr), done.stderr
    assert address in done.stderr
    assert not documents(out) or all(name.endswith(".lock") for name in documents(out))


def test_installing_without_a_network_is_infrastructure_and_never_a_rejection(
    checkout: Checkout, tmp_path: Path
) -> None:
    out = tmp_path / "o"
    made = without_network(checkout, "make", "-k", "all", f"OUT={out}", "REPO=demo:ringlog demo:slugline")
    assert made.returncode == 2
    assert "Traceback" not in made.stderr
    for task in ("demo__slugline-4", TASK):
        assert (out / "demo" / "tasks" / task / "workspace.json").exists()
        if (out / "demo" / "tasks" / task / "environment.json").exists():
            environment = json.loads((out / "demo" / "tasks" / task / "environment.json").read_text())
            assert environment["failure"] is None
    done = without_network(
        checkout, checkout.python, "stages/install.py", str(out / "demo" / "tasks" / "demo__slugline-4")
    )
    assert done.returncode == 1, done.stderr
    assert is_clear(done.stderr), done.stderr
    assert "network" in done.stderr
    assert not (out / "demo" / "tasks" / "demo__slugline-4" / "environment.json").exists()
