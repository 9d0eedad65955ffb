"""Runs of a suite on a tree: fresh copies of the installed base, three times, no network, one fixed order."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from redgreen.contract import write_bytes
from redgreen.documents import CandidateFacts, EnvironmentFacts, Run
from redgreen.folder import write_delta
from redgreen.gate import RUNS
from redgreen.git import Store
from redgreen.language import Language, Trial
from redgreen.launch import readable
from redgreen.places import TaskPlace
from redgreen.sandbox import Limits, Sandbox
from redgreen.unfinished import prefix_in

SCORED_SEED = 0
"""What a language seeds with when a patch is scored. Red runs have it too, three times: they show what scoring no patch
would, and a fix that makes an order reproducible fails before it under this seed every time and under others perhaps
not. Base and green runs have another seed each: what needs luck to pass is required by nobody."""


@dataclass(frozen=True)
class Suite:
    """How a task's suite is run, whatever the tree."""

    place: TaskPlace
    language: Language
    environment: EnvironmentFacts
    facts: CandidateFacts
    sandbox: Sandbox
    logs: Path | None = None

    def run(
        self, delta: Path | None, kind: str, number: int, seed: int = SCORED_SEED, memory: int = 1
    ) -> tuple[Run, float]:
        """One run, with its seconds. What it printed is kept under the task's bulk as evidence.

        `memory`: so many times the usual limit.
        """
        log = (self.logs or self.place.bulk / "logs") / f"{kind}-{number + 1}.log"
        trial = self.trial(delta, log, kind, seed, memory)
        raw = self.language.run_tests(self.environment, trial, self.sandbox)
        write_bytes(log, raw.finished.stdout + raw.finished.stderr)
        return self.language.parse_results(self.environment, raw), raw.finished.seconds

    def trial(self, delta: Path | None, log: Path, kind: str = "", seed: int = SCORED_SEED, memory: int = 1) -> Trial:
        return Trial(
            self.place.box,
            delta,
            self.facts.test_files,
            seed,
            self.place.cache(self.facts.language, self.facts.repo),
            limits=Limits(memory_bytes=memory * Limits.memory_bytes),
            label=f"{log} {kind}",
            sources=self.facts.source_files,
        )


@contextmanager
def delta_between(store: Store, base: str, tree: str, scratch: Path) -> Iterator[Path | None]:
    """A folder that turns the base into `tree` when the supervisor lays it, or None if nothing differs."""
    changes = store.changes(base, tree)
    if not changes:
        yield None
        return
    scratch.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=scratch, prefix=prefix_in(scratch, "delta-")))
    try:
        write_delta(store, changes, folder)
        readable(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_thrice(suite: Suite, store: Store, base: str, tree: str, kind: str) -> tuple[tuple[Run, ...], list[float]]:
    """Three runs of one kind and their seconds. A run that a limit ended is not tried again: it says enough."""
    runs: list[Run] = []
    seconds: list[float] = []
    with delta_between(store, base, tree, suite.place.bulk) as delta:
        for number in range(RUNS):
            run, took = suite.run(delta, kind, number, SCORED_SEED if kind == "red" else number)
            runs.append(run)
            seconds.append(took)
            if run.ended in ("timeout", "out_of_memory"):
                break
    return tuple(runs), seconds
