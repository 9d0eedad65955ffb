"""stats: what is counted, what is left out and shown, and how sure a rate is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from stage_runner import assert_refuses, break_document, call, files, loads, well

from redgreen.contract import write, write_lines
from redgreen.documents import Candidate, Failure, Score, Task
from redgreen.examples import EXAMPLES
from stages.steps.stats import agent_stats, check_gate, notes, rate

CANDIDATE = cast(Candidate, EXAMPLES["candidate"])
SCORE, TASK = cast(Score, EXAMPLES["score"]), cast(Task, EXAMPLES["task"])


def score(
    agent: str = "a", *, resolved: bool = True, status: str = "ok", task: str = "o__n-1", n: int = 1, **more: Any
) -> Score:
    facts = {"agent": agent, "resolved": resolved, "status": status, "id": task, "attempt": n, **more}
    return SCORE.model_copy(update=facts)


def task(name: str = "o__n-1", repo: str = "o/n") -> Task:
    return TASK.model_copy(
        update={"id": name, "candidate": TASK.candidate.model_copy(update={"id": name, "repo": repo})}
    )


def candidate(name: str) -> Candidate:
    return CANDIDATE.model_copy(
        update={"id": name, "facts": CANDIDATE.facts.model_copy(update={"id": name, "language": "go"})}
    )


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 1 - 0.1611, 1.0),
    ],
)
def test_an_interval_is_wilson_s(successes: int, trials: int, low: float, high: float) -> None:
    """The examples of Newcombe, Statistics in Medicine 17 (1998), table I, method 3; the last one by symmetry."""
    found = rate(successes, trials)
    assert (found.successes, found.trials) == (successes, trials)
    assert found.rate == pytest.approx(successes / trials, abs=1e-6)
    assert found.low == pytest.approx(low, abs=5.1e-5)
    assert found.high == pytest.approx(high, abs=5.1e-5)
    assert str(found.low) != "-0.0"


def test_a_rate_of_nothing_is_no_rate() -> None:
    assert rate(0, 0).model_dump() == {"successes": 0, "trials": 0, "rate": None, "low": None, "high": None}


def test_broken_infrastructure_is_left_out_and_shown_and_every_other_end_is_not_fixed() -> None:
    found = agent_stats(
        [
            score(n=1),
            score(n=2, resolved=False),
            score(n=3, resolved=False, status="timeout"),
            score(n=4, resolved=False, status="patch_apply_failed", tampered=("conftest.py",)),
            score(n=5, resolved=False, status="infra_error", task="o__n-2"),
        ]
    )
    assert (found.fixed.successes, found.fixed.trials) == (1, 4)
    assert (found.fixed_of_all.successes, found.fixed_of_all.trials) == (1, 5)
    assert found.excluded == {"infra_error": 1}
    assert found.statuses == {"ok": 2, "timeout": 1, "patch_apply_failed": 1, "infra_error": 1}
    assert (found.tasks, found.tampered) == (2, 1)


def test_an_agent_of_which_nothing_could_be_scored_has_no_rate() -> None:
    found = agent_stats([score(resolved=False, status="infra_error")])
    assert found.fixed.rate is None
    assert found.fixed_of_all.rate == 0.0


ORACLE, EMPTY = score("oracle"), score("empty", resolved=False)


BAD_ORACLE, BAD_EMPTY = score("oracle", resolved=False), score("empty")
NOT_FIXED = "o__n-1: oracle is not fixed: every required test passed"
IS_FIXED = "o__n-1: empty is fixed: every required test passed"
GATES: dict[str, tuple[list[Score], list[str]]] = {
    "holds": ([ORACLE, EMPTY], []),
    "the oracle fails": ([BAD_ORACLE, EMPTY], [NOT_FIXED]),
    "the empty patch passes": ([ORACLE, BAD_EMPTY], [IS_FIXED]),
    "no oracle": ([EMPTY], ["o__n-1: oracle has no score"]),
    "not scored": ([ORACLE, score("empty", status="infra_error", resolved=False)], ["o__n-1: empty has no score"]),
    "the first of two oracles fails": ([BAD_ORACLE, score("oracle", n=2), EMPTY], [NOT_FIXED]),
    "the second of two empty patches passes": ([EMPTY, score("empty", n=2), ORACLE], [IS_FIXED]),
    "the first of two empty patches passes": ([BAD_EMPTY, score("empty", n=2, resolved=False), ORACLE], [IS_FIXED]),
}


@pytest.mark.parametrize("what", GATES)
def test_the_gate_on_the_harness_finds_each_wrong_score(what: str) -> None:
    scores, faults = GATES[what]
    assert check_gate([task()], scores) == faults


def test_the_notes_say_what_the_numbers_cannot() -> None:
    tasks = [task(f"o__n-{number}", "o/n" if number < 3 else "x/y") for number in range(4)]
    found = agent_stats([score(resolved=False, status="infra_error")])
    told = notes(tasks, [found])
    assert told[0].startswith("4 tasks are few")
    assert told[1].startswith("3 of 4 tasks come from o/n")
    assert told[2] == "a: 1 attempts could not be scored"
    many = [task(f"o__n-{number}", f"o/{number % 10}") for number in range(40)]
    assert notes(many, [agent_stats([score()])]) == ()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "out" / "set"
    rejection = Failure(stage="accept", reason="flaky", detail="differs")
    write_lines(folder / "candidates.jsonl", [candidate(f"o__n-{number}") for number in range(1, 5)])
    write_lines(folder / "tasks.jsonl", [task("o__n-1"), task("o__n-2", "x/y")])
    write_lines(folder / "rejected.jsonl", [task("o__n-3").model_copy(update={"task": None, "rejection": rejection})])
    for name in ("o__n-1", "o__n-2"):
        write(folder / "runs" / "gate" / name / "oracle-1" / "score.json", score("oracle", task=name))
        write(folder / "runs" / "gate" / name / "empty-1" / "score.json", score("empty", task=name, resolved=False))
    return folder / "runs" / "gate"


def test_the_scores_of_a_run_become_one_document_and_a_table(run: Path) -> None:
    ended = well("stats", run, "--gate")
    assert "the gate holds: the oracle is fixed on all 2 tasks, the empty patch on none" in ended.stdout
    assert "2 of 2" in ended.stdout
    assert "34.2% to 100.0%" in ended.stdout
    assert "rejected, flaky: 1" in ended.stdout
    assert "note: 1 of the candidates skipped: no go on this machine" in ended.stdout
    stats = loads(run / "stats.json")
    assert (stats["set"], stats["run"], stats["tasks"], stats["rejected"]) == ("set", "gate", 2, {"flaky": 1})
    assert {one["agent"]: one["fixed"]["successes"] for one in stats["agents"]} == {"oracle": 2, "empty": 0}
    assert well("stats", run, "--show").stdout.startswith(ended.stdout[:200])


def test_running_it_twice_gives_the_same_bytes(run: Path) -> None:
    well("stats", run)
    first = files(run)
    well("stats", run)
    assert files(run) == first


def test_scores_of_a_task_that_is_no_more_in_the_set_do_not_count(run: Path) -> None:
    write(run / "o__n-9" / "oracle-1" / "score.json", score("oracle", task="o__n-9", resolved=False))
    well("stats", run)
    assert {one["fixed"]["trials"] for one in loads(run / "stats.json")["agents"]} == {2}


def test_a_gate_that_does_not_hold_is_loud_and_keeps_the_numbers(run: Path) -> None:
    write(run / "o__n-2" / "empty-1" / "score.json", score("empty", task="o__n-2"))
    ended = call("stats", run, "--gate")
    assert ended.status == 1
    assert "FAIL o__n-2: empty is fixed" in ended.stdout
    assert "error: the gate does not hold: 1 faults on 2 tasks" in ended.stderr
    assert (run / "stats.json").is_file()


def test_a_gate_on_no_task_proves_nothing(run: Path) -> None:
    write_lines(run.parents[1] / "tasks.jsonl", [])
    assert call("stats", run, "--gate").status == 1


def test_a_score_or_a_list_that_breaks_its_schema_is_refused(run: Path) -> None:
    broken = run / "o__n-2" / "empty-1" / "score.json"
    break_document(broken)
    assert_refuses("stats", broken, run, writes=run)


def test_a_folder_that_is_no_run_s_is_refused(tmp_path: Path) -> None:
    ended = call("stats", tmp_path)
    assert ended.status == 2
    assert "not a run's folder" in ended.stderr
