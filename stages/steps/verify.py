"""What stages/verify.py does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from redgreen.contract import ROOT, load, load_yaml
from redgreen.documents import Candidate, Pointer, RunSpec, Score, Task
from redgreen.errors import UsageError
from redgreen.pointers import differences, pointer, read
from redgreen.sample import sampled
from redgreen.stage import say
from stages.steps.stats import check_gate

STAGES = ("materialize", "install", "red", "green", "accept")
GATE = ROOT / "runs" / "gate.yaml"
"""The agents whose verdict is known beforehand: the human fix, and nothing at all."""


@dataclass(frozen=True)
class Answer:
    id: str
    word: str
    why: str = ""


def run_stage(arguments: list[str], sandbox: str) -> str | None:
    """None if the stage wrote its document; else the line that says why not."""
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        env={**os.environ, "SANDBOX": sandbox},
        check=False,
    )
    if done.returncode == 0:
        return None
    lines = done.stderr.decode(errors="replace").splitlines()
    said = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    return said[-1] if said else (lines[-1] if lines else f"exit status {done.returncode}")


def rebuild(folder: Path, sandbox: str) -> str | None:
    """All stages of one task; the line that says why not, if one of them could not work here."""
    for stage in STAGES:
        fault = run_stage([str(ROOT / "stages" / f"{stage}.py"), str(folder)], sandbox)
        if fault:
            return fault
    return None


def judge_gate(folder: Path, sandbox: str) -> tuple[list[str], str | None]:
    """(what is wrong with the verdict on a known patch, one line each; the line that says why there is none)."""
    scores = []
    for agent in load_yaml(GATE, RunSpec).agents:
        attempt = folder.parents[1] / "runs" / "gate" / folder.name / f"{agent.name}-1"
        fault = run_stage([str(ROOT / "stages" / "run.py"), "--spec", str(GATE), str(attempt)], sandbox)
        fault = fault or run_stage([str(ROOT / "stages" / "score.py"), str(attempt)], sandbox)
        if fault:
            return [], fault
        scores.append(load(attempt / "score.json", Score))
        if scores[-1].status == "infra_error":
            return [], scores[-1].why
    return check_gate([load(folder / "accept.json", Task)], scores), None


def compare(recorded: Pointer, task: Task) -> tuple[list[str], list[str]]:
    """(what does not hold, one line each; tests that were steady when they were recorded and are flaky here).

    A required test that comes out differently here does not contradict what was recorded, if all else holds: it is
    named, for a reader to judge. One of fail_to_pass does: it is what the task is about.
    """
    if task.rejection or task.task is None:
        refused = task.rejection
        return [f"rejected: {refused.reason} ({refused.stage}): {refused.detail}" if refused else "no task"], []
    was = set(recorded.flaky)
    now = set(task.task.flaky)
    passing = ({*task.task.pass_to_pass} | now) - was - {*task.task.fail_to_pass}
    steady = task.task.model_copy(update={"pass_to_pass": tuple(sorted(passing)), "flaky": recorded.flaky})
    if not differences(recorded, pointer(task.model_copy(update={"task": steady}))):
        return [], sorted(now - was)
    return differences(recorded, pointer(task)), []


def verify(name: str, recorded: Pointer, folder: Path, sandbox: str) -> Answer:
    started = time.monotonic()
    if not (folder / "candidate.json").is_file():
        return Answer(name, "SKIP", "its repository could not be read here")
    if load(folder / "candidate.json", Candidate).facts.url != recorded.candidate.url:
        return Answer(name, "FAIL", "another repository")
    fault = rebuild(folder, sandbox)
    if fault:
        answer = Answer(name, "SKIP", fault)
    else:
        faults, flaky = compare(recorded, load(folder / "accept.json", Task))
        if not faults:
            wrong, fault = judge_gate(folder, sandbox)
            faults = [line.removeprefix(f"{name}: ") for line in wrong]
        answer = Answer(name, "HOLD", f"flaky here: {', '.join(flaky)}" if flaky else "")
        if fault:
            answer = Answer(name, "SKIP", fault)
        if faults:
            answer = Answer(name, "FAIL", "; ".join(faults))
    say("verify", name, f"{answer.word} {answer.why}".strip(), started)
    return answer


def mine(name: str, out: Path, options: list[str], sandbox: str) -> str | None:
    return run_stage([str(ROOT / "stages" / "mine.py"), "--set", name, "--out", str(out), *options], sandbox)


def choose(recorded: Collection[str], tasks: Sequence[str], sample: int, seed: str) -> list[str]:
    """Those that are named, else a sample.

    Raises:
        UsageError: one that is named is not in the set.
    """
    unknown = [task for task in tasks if task not in recorded]
    if unknown:
        near = get_close_matches(unknown[0], recorded, 3, 0.3)
        raise UsageError(f"{unknown[0]}: no such task in this set", f"perhaps {' or '.join(near)}" if near else "")
    return sorted(tasks or sampled(recorded, sample, seed))


def perform(name: str, out: Path, sample: int, seed: str, tasks: Sequence[str], jobs: int, sandbox: str) -> None:
    recorded = read(ROOT / "tasks" / name)
    if not (ROOT / "tasks" / name / "set.yaml").is_file():
        raise UsageError(f"tasks/{name}/set.yaml: not there", "a public set needs one: `source: pointers`")
    fresh = out / "verify"
    shutil.rmtree(fresh / name, ignore_errors=True)
    shutil.rmtree(fresh / "mirrors", ignore_errors=True)
    chosen = choose(recorded, tasks, sample, seed)
    how = "as named" if tasks else f"seed {seed}"
    print(f"verify      {name}  {len(chosen)} of {len(recorded)} tasks, {how}", file=sys.stderr, flush=True)
    fault = mine(name, fresh, [word for task in chosen for word in ("--task", task)], sandbox)
    if fault:
        answers = [Answer(task, "SKIP", fault) for task in chosen]
    else:
        with ThreadPoolExecutor(jobs) as pool:
            folders = fresh.resolve() / name / "tasks"
            answers = list(pool.map(lambda task: verify(task, recorded[task], folders / task, sandbox), chosen))
    report(answers)
    sys.exit(any(answer.word == "FAIL" for answer in answers))


def report(answers: list[Answer]) -> None:
    for answer in answers:
        print(f"{answer.word}  {answer.id}  {answer.why}".rstrip())
    counts = Counter(answer.word for answer in answers)
    print(", ".join(f"{counts[word]} {word}" for word in ("HOLD", "FAIL", "SKIP")))
