"""Make's own promises, on a finished result: what is rebuilt, and what is not."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from pipeline import BULK, REJECTED, SMALL, TASK, Checkout, documents, is_clear, times

AFTER_GREEN = {"green", "accept", "collect", "run", "score", "stats"}


def everything(out: Path, repositories: str = SMALL) -> tuple[str, ...]:
    return ("-j4", "all", f"OUT={out}", f"REPO={repositories}")


def would_run(checkout: Checkout, *arguments: str) -> set[str]:
    """The stages that `make -n` names, but for the table that `all` always prints."""
    done = checkout.make("-n", *arguments)
    assert done.returncode == 0, done.stderr
    return set(re.findall(r"stages/(\w+)\.py(?! --show)", done.stdout))


@contextmanager
def touched(path: Path) -> Iterator[None]:
    before = path.stat()
    path.touch()
    try:
        yield
    finally:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def rebuilt(before: dict[str, int], out: Path) -> set[str]:
    """Paths below OUT/<set> that are newer than they were, or new, or gone."""
    after = times(out)
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    return {name.partition("/")[2] for name in changed}


def test_a_second_make_all_rebuilds_nothing(checkout: Checkout, result: Path) -> None:
    before = times(result)
    done = checkout.make(*everything(result))
    assert (done.returncode, done.stderr) == (0, "")
    assert rebuilt(before, result) == set()
    assert "oracle" in done.stdout
    assert "tasks.jsonl" in done.stdout


@pytest.mark.parametrize(
    ("changed", "stages"),
    [
        ("stages/mine.py", {"mine"}),
        ("stages/materialize.py", {"materialize", "install", "red", *AFTER_GREEN}),
        ("schemas/report.schema.json", {"red", *AFTER_GREEN}),
        ("stages/green.py", AFTER_GREEN),
        ("stages/accept.py", AFTER_GREEN - {"green"}),
        ("stages/run.py", {"run", "score", "stats"}),
        ("stages/score.py", {"score", "stats"}),
        ("schemas/score.schema.json", {"score", "stats"}),
        ("schemas/stats.schema.json", {"stats"}),
    ],
)
def test_a_dry_run_names_what_depends_on_a_changed_file_and_runs_nothing(
    checkout: Checkout, undisturbed: Path, changed: str, stages: set[str]
) -> None:
    before = times(undisturbed)
    assert would_run(checkout, *everything(undisturbed)) == set()
    with touched(checkout.root / changed):
        assert would_run(checkout, *everything(undisturbed)) == stages
    assert times(undisturbed) == before


def test_a_changed_stage_is_run_again_and_equal_bytes_come_out(checkout: Checkout, result: Path) -> None:
    before, content = times(result), documents(result)
    with touched(checkout.root / "stages" / "accept.py"):
        done = checkout.make(*everything(result))
    assert done.returncode == 0, done.stderr
    again = rebuilt(before, result)
    assert {f"tasks/{task}/accept.json" for task in (TASK, REJECTED)} <= again
    assert "runs/demo/stats.json" in again
    assert not {name for name in again if name.endswith(("red.json", "green.json", "environment.json"))}
    assert documents(result) == content


def test_a_changed_run_specification_runs_the_attempts_of_the_agents_that_changed(
    checkout: Checkout, result: Path
) -> None:
    path = checkout.root / "runs" / "demo.yaml"
    text = path.read_text()
    run = yaml.safe_load(text)
    scripted = next(agent for agent in run["agents"] if agent["kind"] == "scripted")
    scripted["commands"] = {"*": ["echo '# seen again' >> README.md"]}
    run["agents"] = [agent for agent in run["agents"] if agent["kind"] != "empty"]
    before = times(result)
    with touched(path):
        path.write_text(yaml.safe_dump(run))
        done = checkout.make(*everything(result))
        path.write_text(text)
    assert done.returncode == 0, done.stderr
    again = rebuilt(before, result)
    assert f"runs/demo/{TASK}/scripted-1/attempt.json" in again
    assert f"runs/demo/{TASK}/scripted-1/score.json" in again
    assert f"runs/demo/{TASK}/oracle-1/attempt.json" not in again
    assert not {name for name in again if name.startswith("tasks/")}
    assert "empty" not in done.stdout


def test_a_limit_rebuilds_the_candidates_alone(checkout: Checkout, result: Path) -> None:
    before = times(result)
    done = checkout.make(*everything(result), "LIMIT=1")
    assert done.returncode == 0, done.stderr
    assert rebuilt(before, result) - {"tasks.mk"} == {"candidates.jsonl", "set.json"}


def test_a_repository_less_takes_its_tasks_out_of_every_list(checkout: Checkout, result: Path) -> None:
    before = times(result)
    done = checkout.make(*everything(result, SMALL.split()[0]))
    assert done.returncode == 0, done.stderr
    again = rebuilt(before, result)
    assert not {name for name in again if name.startswith((f"tasks/{TASK}/", f"runs/demo/{TASK}/"))}
    assert (result / "demo" / "rejected.jsonl").read_text() == ""
    assert REJECTED not in (result / "demo" / "tasks.mk").read_text()


def test_one_stage_of_one_task_is_run_again(checkout: Checkout, result: Path) -> None:
    before = times(result)
    done = checkout.make("red", f"TASK={TASK}", f"OUT={result}", f"REPO={SMALL}")
    assert done.returncode == 0, done.stderr
    assert rebuilt(before, result) == {f"tasks/{TASK}/red.json"}


def test_an_unknown_task_is_bad_usage_and_the_known_ones_are_named(checkout: Checkout, result: Path) -> None:
    before = times(result)
    done = checkout.make("red", "TASK=demo__nothing-1", f"OUT={result}", f"REPO={SMALL}")
    assert done.returncode == 2
    assert is_clear(done.stderr)
    assert TASK in done.stderr
    assert times(result) == before


def test_one_fix_of_a_repository_of_ones_own_needs_no_set(
    checkout: Checkout, undisturbed: Path, tmp_path: Path
) -> None:
    repository = undisturbed / "demo-repos" / "ringlog.git"
    facts = json.loads((undisturbed / "demo" / "tasks" / TASK / "candidate.json").read_text())["facts"]
    done = checkout.make("task", f"REPO={repository}", f"COMMIT={facts['fix_commit']}", f"OUT={tmp_path / 'o'}")
    assert done.returncode == 0, done.stderr
    assert "accepted  local__ringlog-5" in done.stdout
    assert "OrderTest::test_lines_come_oldest_first_after_wrapping" in done.stdout
    assert not (tmp_path / "o" / "demo").exists()


def test_one_fix_has_to_be_named(checkout: Checkout, tmp_path: Path) -> None:
    done = checkout.make("task", f"OUT={tmp_path / 'o'}")
    assert done.returncode == 2
    assert "error: which fix?" in done.stderr
    assert not (tmp_path / "o").exists()


def test_help_lists_the_targets(checkout: Checkout) -> None:
    done = checkout.make("help")
    assert done.returncode == 0
    for target in ("all", "mine", "red", "run", "verify", "doctor", "test"):
        assert re.search(rf"\b{target}\b", done.stdout), target
    assert not BULK & {path.name for path in checkout.root.iterdir()}
