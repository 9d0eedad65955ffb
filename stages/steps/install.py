"""What stages/install.py does."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

import adapters
from redgreen.contract import load, made_by, sha256, write, write_bytes
from redgreen.documents import CandidateFacts, Environment, EnvironmentFacts, Failure, Lock, Pointer, WorkspaceFacts
from redgreen.errors import Rejected
from redgreen.inputs import candidate_facts, need_folder, workspace, write_times
from redgreen.language import Installed, Language, Workshop
from redgreen.mirrors import locked
from redgreen.places import TaskPlace, task_place
from redgreen.sandbox import Limits, Sandbox
from redgreen.stage import say
from redgreen.trials import Suite
from redgreen.unfinished import prefix_in

LIMITS = Limits(timeout_s=1800, memory_bytes=8 << 30)


class Installer:
    """Tries the ways of installing a tree, best first, each in a folder of its own; the best one becomes the box."""

    def __init__(self, place: TaskPlace, facts: CandidateFacts, sandbox: Sandbox, *, offline: bool) -> None:
        self.place = place
        self.facts = facts
        self.sandbox = sandbox
        self.offline = offline
        self.language: Language = adapters.language(facts.language)
        self.cache = place.cache(facts.language, facts.repo)

    def pinned(self) -> tuple[EnvironmentFacts, bytes] | None:
        """What pointer.json and lock.txt beside the candidate ask for, if they are there."""
        pointer = self.place.folder / "pointer.json"
        if not pointer.is_file():
            return None
        return load(pointer, Pointer).environment, (self.place.folder / "pinned.lock.txt").read_bytes()

    def install(self, environment: EnvironmentFacts, lock: bytes | None) -> Installed:
        """Install into a new box, which replaces the one that was there only when it is whole."""
        box = self.place.bulk / "box.unfinished"
        self.sandbox.remove(box)
        self._make_cache()
        shutil.copytree(self.place.base, box / "tree", symlinks=True)
        label = f"{self.place.folder} install"
        workshop = Workshop(box, self.cache, lock, self.offline, LIMITS, label, self.facts.test_files)
        installed = self.language.install(environment, workshop, self.sandbox)
        self.sandbox.remove(self.place.box)
        box.rename(self.place.box)
        return installed

    def _make_cache(self) -> None:
        """Shown only once it belongs to the sandbox's user: tasks of one repository install at the same time."""
        with locked(self.cache.with_name(f".{self.cache.name}.lock")):
            if self.cache.exists():
                return
            home = self.cache.parent
            made = Path(tempfile.mkdtemp(dir=home, prefix=prefix_in(home, f".{self.cache.name}.")))
            made.chmod(0o755)
            self.sandbox.own(made)
            made.rename(self.cache)

    def best(self, workspace_facts: WorkspaceFacts) -> Installed:
        """The first way whose suite loads whole; else the one with the fewest files that cannot be loaded.

        Raises:
            Rejected: install_failed, with the fault of the first way.
        """
        pinned = self.pinned()
        if pinned:
            return self.install(*pinned)
        ways = self.language.detect_environment(
            self.place.base, self.facts.merged_at, workspace_facts.version_hint, self.sandbox
        )
        first_fault: Rejected | None = None
        scored: list[tuple[int, int, EnvironmentFacts, bytes]] = []
        for number, way in enumerate(ways):
            try:
                installed = self.install(way, None)
            except Rejected as fault:
                first_fault = first_fault or fault
                continue
            faults, tests = (0, 1) if number == len(ways) - 1 and not scored else self.try_out(installed.environment)
            if faults == 0 and tests > 0:
                return installed
            scored.append((faults, -tests, installed.environment, installed.lock))
        if not scored:
            raise first_fault or Rejected("install_failed", "no way of installing it was found")
        _, _, environment, lock = min(scored, key=lambda entry: entry[:2])
        return self.install(environment, lock)

    def try_out(self, environment: EnvironmentFacts) -> tuple[int, int]:
        """How many files cannot be loaded, and how many tests report."""
        suite = Suite(self.place, self.language, environment, self.facts, self.sandbox)
        run, _ = suite.run(None, "try", 0)
        return len(run.collection_errors) + (run.ended != "finished"), len(run.outcomes)


def install(place: TaskPlace, sandbox: Sandbox, *, offline: bool) -> Installed | Failure:
    workspace_facts, failure = workspace(place)
    if failure or workspace_facts is None:
        return failure or Failure(stage="install", reason="unsupported", detail="no workspace")
    need_folder(place.base, "materialize")
    installer = Installer(place, candidate_facts(place), sandbox, offline=offline)
    try:
        return installer.best(workspace_facts)
    except Rejected as refused:
        return Failure(stage="install", reason=refused.reason, detail=str(refused))
    finally:
        sandbox.remove(place.bulk / "box.unfinished")


def document(place: TaskPlace, result: Installed | Failure, sandbox: Sandbox, inputs: list[Path]) -> Environment:
    made = made_by("install", inputs, sandbox)
    if isinstance(result, Failure):
        return Environment(id=place.id, made_by=made, failure=result)
    write_bytes(place.folder / "lock.txt", result.lock)
    lock = Lock(sha256=sha256(result.lock), packages=result.packages)
    return Environment(id=place.id, made_by=made, facts=result.environment, lock=lock)


def perform(folder: str, sandbox: str, offline: bool) -> None:
    started = time.monotonic()
    place = task_place(Path(folder))
    box = adapters.sandbox(sandbox, candidate_facts(place).language, place.out)
    result = install(place, box, offline=offline)
    inputs = [place.document("candidate"), place.document("workspace")]
    write_times(place, "install", {"seconds": round(time.monotonic() - started, 3)})
    made = document(place, result, box, inputs)
    write(place.document("environment"), made)
    told = f"{result.reason}: {result.detail}" if isinstance(result, Failure) else _told(made)
    say("install", place.id, told, started)


def _told(made: Environment) -> str:
    assert made.facts and made.lock
    facts = made.facts
    told = (f"{facts.runtime.name} {facts.runtime.version}", facts.manager, facts.runner)
    return f"{', '.join(told)}, {len(made.lock.packages)} packages"
