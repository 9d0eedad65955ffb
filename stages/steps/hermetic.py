"""What stages/hermetic.py does."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import adapters
from redgreen.contract import ROOT, load, sha256_file
from redgreen.documents import Task
from redgreen.errors import InfrastructureError, UsageError
from redgreen.sandbox import Command, Sandbox

LAST_WORDS = 20  # lines of a failed build that are shown
PROBE = """\
import json, socket, sys
def tried(what):
    try:
        what()
        return True
    except OSError:
        return False
def reach(address, port):
    with socket.create_connection((address, port), timeout=3):
        pass
port, addresses = int(sys.argv[1]), sys.argv[2:]
links = sorted(line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line)
found = [address for address in addresses if tried(lambda: reach(address, port))]
found += [f"link {name}" for name in links if name != "lo"]
print(json.dumps(found))
"""
"""What can be reached from where this runs, and every link that is no loopback."""


def own_address() -> str:
    """The address from which this machine would reach others; nothing is sent."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as asked:
        try:
            asked.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(asked.getsockname()[0])


class Listener(threading.Thread):
    """Accepts on all addresses of this machine for as long as it is open."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.door = socket.create_server(("", 0))
        self.port = int(self.door.getsockname()[1])

    def run(self) -> None:
        while True:
            try:
                self.door.accept()[0].close()
            except OSError:
                return


def ways_out(argv: Sequence[str], sandbox: Sandbox | None) -> list[str]:
    """What the probe reaches inside a sandbox, or outside of any."""
    if sandbox is None:
        done = subprocess.run([sys.executable, *argv], capture_output=True, check=True)
        found: list[str] = json.loads(done.stdout)
        return found
    finished = sandbox.run(Command(argv=["python3", *argv]))
    if finished.exit_status != 0:
        raise InfrastructureError(f"the probe did not run: {finished.stderr.decode(errors='replace')[-200:]}")
    inside: list[str] = json.loads(finished.stdout)
    return inside


def check_images(languages: Sequence[str], out: Path) -> Iterator[tuple[bool, str]]:
    """Build the base and each language's image although they are there."""
    kept = {language: adapters.image(language, out) for language in languages}
    containers = ROOT / "containers"
    _build([str(containers / "build.sh"), "base", "anew"])
    for language in languages:
        anew = _build([str(containers / "build.sh"), language, "anew"])
        told = f"{kept[language]}, {size_of(anew)}"
        yield anew == kept[language], f"image {language}: {told}" + ("" if anew == kept[language] else f"; anew {anew}")


def _build(command: list[str]) -> str:
    done = subprocess.run(["bash", *command], capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        print("\n".join(said[-LAST_WORDS:]), file=sys.stderr)
        raise InfrastructureError(f"{Path(command[0]).name} failed: its last words are above", "run `make doctor`")
    if not (made := done.stdout.decode().strip()):
        raise InfrastructureError(f"{Path(command[0]).name} names no image", "its recipe or this script is broken")
    return made


def size_of(image: str) -> str:
    done = subprocess.run(
        ["podman", "image", "inspect", "--format", "{{.Size}}", image], capture_output=True, text=True, check=False
    )
    return (
        f"{int(done.stdout) / 1e6:.0f} MB" if done.returncode == 0 and done.stdout.strip().isdigit() else "size unknown"
    )


def check_sandbox(language: str, sandbox: Sandbox) -> tuple[bool, str]:
    listener = Listener()
    listener.start()
    with closing(listener.door):
        argv = ["-I", "-c", PROBE, str(listener.port), *dict.fromkeys(["127.0.0.1", own_address()])]
        outside, inside = ways_out(argv, None), ways_out(argv, sandbox)
    if "127.0.0.1" not in outside:
        return False, f"sandbox {language}: the probe reaches nothing outside either: it shows nothing"
    return not inside, f"sandbox {language} ({sandbox.name}): " + (
        ", ".join(inside) + " reached" if inside else "no way out"
    )


def accepted(set_folder: Path, languages: Sequence[str]) -> dict[str, Task]:
    """The first accepted task of each language."""
    found: dict[str, Task] = {}
    for path in sorted(set_folder.glob("tasks/*/accept.json")):
        task = load(path, Task)
        if task.task and task.candidate.language in languages:
            found.setdefault(task.candidate.language, task)
    return found


def check_stages(language: str, task: Task, set_folder: Path, sandbox: str) -> tuple[bool, str]:
    """Run the stages of a copy of the task where there is no network at all, and compare what they write."""
    folder = set_folder / "tasks" / task.id
    attempts = sorted(set_folder.glob(f"runs/*/{task.id}/oracle-1"))
    documents = [(name, folder, folder / f"{name}.json") for name in ("red", "green")]
    documents += [("score", attempt, attempt / "score.json") for attempt in attempts[:1]]
    before = {path: sha256_file(path) for _, _, path in documents}
    differs = []
    for stage, place, path in documents:
        with tempfile.TemporaryDirectory() as scratch:
            shutil.copy2(path, Path(scratch) / "kept")
            fault = _without_network([sys.executable, str(ROOT / "stages" / f"{stage}.py"), str(place)], sandbox)
            if fault or sha256_file(path) != before[path]:
                differs.append(f"{stage}: {fault or 'another document'}")
            shutil.copy2(Path(scratch) / "kept", path)  # with its time: for make nothing happened
    told = f"stages {language}: {', '.join(stage for stage, _, _ in documents)} of {task.id}"
    return not differs, f"{told}: " + ("; ".join(differs) or "the same documents without any network")


def _without_network(command: list[str], sandbox: str) -> str:
    """Empty, or the last word of a stage that could not do without."""
    alone = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--net"]
    done = subprocess.run([*alone, *command, "--sandbox", sandbox], capture_output=True, check=False)
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return "" if done.returncode == 0 else (said[-1] if said else f"exit status {done.returncode}")


def perform(set_folder: Path, languages: Sequence[str], without_images: bool, sandbox: str) -> None:
    chosen = list(languages) or list(adapters.LANGUAGES)
    for name in chosen:
        adapters.language(name)
    out = set_folder.resolve().parent
    tasks = accepted(set_folder, chosen)
    if not tasks:
        raise UsageError(f"{set_folder}: no accepted task", "run `make all` first, or name a set's folder")
    holds = True

    def tell(answer: tuple[bool, str]) -> None:
        nonlocal holds
        holds = holds and answer[0]
        print(f"{'HOLD' if answer[0] else 'FAIL'}  {answer[1]}", flush=True)

    for name in [one for one in chosen if one in tasks]:
        opened = adapters.sandbox(sandbox, name, out)
        tell(check_sandbox(name, opened))
        tell(check_stages(name, tasks[name], set_folder, opened.name))
    for name in [one for one in chosen if one not in tasks]:
        print(f"SKIP  {name}: no accepted task in {set_folder}", flush=True)
    if not without_images and shutil.which("podman"):
        for answer in check_images(chosen, out):
            tell(answer)
    sys.exit(not holds)
