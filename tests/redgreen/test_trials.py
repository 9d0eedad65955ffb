"""Runs of a suite: three, in one order, on a delta that goes away, with what they printed kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from git_repository import Repository

from redgreen.documents import EnvironmentFacts, Run
from redgreen.examples import ENVIRONMENT, FACTS
from redgreen.git import Store
from redgreen.language import Language, Trial
from redgreen.launch import Raw
from redgreen.places import TaskPlace
from redgreen.sandbox import Finished, Sandbox
from redgreen.trials import Suite, delta_between, run_thrice


class Noted:
    """A language that notes each trial and answers with the ends it was given."""

    name = "noted"

    def __init__(self, ends: Sequence[str]) -> None:
        self.ends = list(ends)
        self.trials: list[Trial] = []
        self.seen: list[list[str]] = []

    def run_tests(self, environment: EnvironmentFacts, trial: Trial, sandbox: Sandbox) -> Raw:
        self.trials.append(trial)
        self.seen.append(sorted(p.name for p in (trial.delta / "files").iterdir()) if trial.delta else [])
        return Raw(b"", Finished(0, "exited", b"out\n", b"err\n", 0.5))

    def parse_results(self, environment: EnvironmentFacts, raw: Raw) -> Run:
        ended: Any = self.ends[len(self.trials) - 1]
        return Run(ended=ended, exit_status=0, complete=ended == "finished", outcomes={"t": "passed"})


@pytest.fixture
def place(tmp_path: Path) -> TaskPlace:
    return TaskPlace(tmp_path / "out" / "set" / "tasks" / "o__n-1")


def suite(place: TaskPlace, language: Noted) -> Suite:
    return Suite(place, cast(Language, language), ENVIRONMENT, FACTS, cast(Sandbox, None))


@pytest.mark.parametrize(("kind", "seeds"), [("base", [0, 1, 2]), ("red", [0, 0, 0]), ("green", [0, 1, 2])])
def test_three_runs_on_the_same_delta_red_ones_with_the_seed_of_the_score(
    repository: Repository, store: Store, place: TaskPlace, kind: str, seeds: list[int]
) -> None:
    language = Noted(["finished"] * 3)
    base, tree = repository.tree({"a": b"1"}), repository.tree({"a": b"2", "b": b"3"})
    runs, seconds = run_thrice(suite(place, language), store, base, tree, kind)
    assert (len(runs), seconds) == (3, [0.5] * 3)
    assert [trial.seed for trial in language.trials] == seeds
    assert language.seen == [["a", "b"]] * 3
    assert [trial.files for trial in language.trials] == [FACTS.test_files] * 3
    assert len({trial.label for trial in language.trials}) == 3
    logs = place.bulk / "logs"
    assert sorted(path.name for path in logs.iterdir()) == [f"{kind}-{number}.log" for number in (1, 2, 3)]
    assert (logs / f"{kind}-1.log").read_bytes() == b"out\nerr\n"
    assert [path.name for path in place.bulk.iterdir()] == ["logs"], "the delta is gone"


@pytest.mark.parametrize("ended", ["timeout", "out_of_memory"])
def test_a_run_that_a_limit_ended_is_not_repeated(
    repository: Repository, store: Store, place: TaskPlace, ended: str
) -> None:
    language = Noted(["finished", ended, "finished"])
    tree = repository.tree({"a": b"1"})
    runs, _ = run_thrice(suite(place, language), store, tree, tree, "base")
    assert [run.ended for run in runs] == ["finished", ended]
    assert [trial.delta for trial in language.trials] == [None, None]


def test_the_delta_goes_away_when_a_run_breaks(repository: Repository, store: Store, tmp_path: Path) -> None:
    base, tree = repository.tree({"a": b"1"}), repository.tree({"a": b"2"})
    scratch = tmp_path / "scratch"
    with pytest.raises(RuntimeError, match="broke"), delta_between(store, base, tree, scratch) as delta:
        assert delta is not None
        assert (delta / "files" / "a").read_bytes() == b"2"
        assert (delta.stat().st_mode & 0o055) == 0o055, "the sandbox's user must read it"
        raise RuntimeError("broke")
    assert list(scratch.iterdir()) == []
