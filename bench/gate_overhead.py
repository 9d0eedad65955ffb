"""How much the gate adds to the tests: red and green of a task, against the bare test commands that they run.

    .venv/bin/python bench/gate_overhead.py OUT/<set>/tasks/<id> ...

One side is the wall time of stages/red.py and stages/green.py, from process start to process end. The other is the sum
of the nine bare test commands (three each on base, red and green), timed by a clock in the same kind of sandbox, over
the same box with the same changes laid on it: only the test process, from its start to its end, without our reporter,
canaries and per-test time limits. Starting and ending the sandbox counts as ours. Changes no document in OUT.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from measure import PYTHON, borrow, machine, save, scratch_folder, spread, timed, told, variables, verdict

from redgreen import errors
from redgreen.documents import Failure
from redgreen.errors import InfrastructureError, UsageError
from redgreen.gate import RUNS
from redgreen.inputs import environment
from redgreen.places import TaskPlace
from redgreen.sandbox import Command, Finished, Sandbox
from redgreen.stage import SANDBOX
from redgreen.trials import run_thrice
from stages.steps.gate_runs import Kind, open_suite, tree_of

STAGES: dict[str, tuple[Kind, ...]] = {"red": ("base", "red"), "green": ("green",)}
ALL_RUNS = RUNS * 3
RATIO_LIMIT = 1.25
SHORT_LIMIT_S = 0.5
REPORTER = ("-p", "redgreen_pytest")
REPORTER_FOLDER = "/redgreen/tools/python"
CLOCK = """
import subprocess, sys, time
began = time.perf_counter()
status = subprocess.call(sys.argv[1:])
sys.stderr.write("\\nbare-test-command %.6f s, status %d\\n" % (time.perf_counter() - began, status))
"""
CLOCKED = re.compile(rb"^bare-test-command ([\d.]+) s, status (\d+)$", re.M)


class BareSandbox:
    """Passes commands on to a real sandbox, but without our reporter, and with a clock around the test command."""

    def __init__(self, inner: Sandbox) -> None:
        self.inner = inner
        self.name = inner.name
        self.seconds: list[float] = []

    @property
    def image(self) -> str | None:
        return self.inner.image

    def run(self, command: Command) -> Finished:
        start = list(command.argv).index("--") + 1  # what comes before lays the changes on the box
        supervisor, tests = command.argv[:start], _without_reporter(command.argv[start:])
        path = [part for part in command.variables["PYTHONPATH"].split(":") if part != REPORTER_FOLDER]
        kept = {name: value for name, value in command.variables.items() if not name.startswith("REDGREEN_")}
        bare = replace(
            command,
            argv=[*supervisor, "python3", "-I", "-c", CLOCK, *tests],
            variables={**kept, "PYTHONPATH": ":".join(path)},
        )
        finished = self.inner.run(bare)
        clocked = CLOCKED.findall(finished.stderr)
        if not clocked or int(clocked[-1][1]) not in (0, 1):
            raise InfrastructureError(f"the bare test command did not run its tests: {' '.join(tests)}")
        self.seconds.append(float(clocked[-1][0]))
        return finished

    def own(self, folder: Path) -> None:
        self.inner.own(folder)

    def remove(self, folder: Path) -> None:
        self.inner.remove(folder)


def _without_reporter(argv: Sequence[str]) -> list[str]:
    """`python -m pytest` without `-p redgreen_pytest`."""
    words = list(argv)
    for place in range(len(words) - 1):
        if tuple(words[place : place + 2]) == REPORTER:
            return words[:place] + words[place + 2 :]
    raise UsageError("no reporter in the test command", "was it renamed? see REPORTER in bench/gate_overhead.py")


def run_bare(place: TaskPlace, kinds: Sequence[Kind], sandbox: str) -> float:
    """Seconds of the bare test commands of some kinds together."""
    opened = open_suite(place, sandbox)
    if isinstance(opened, Failure):
        raise UsageError(f"{place.id}: was rejected in {opened.stage}", "give accepted tasks")
    suite, store, facts = opened
    bare = BareSandbox(suite.sandbox)
    bare_suite = replace(suite, sandbox=bare, logs=place.bulk / "bare-logs")
    for kind in kinds:
        run_thrice(bare_suite, store, facts.base_tree, tree_of(kind, facts), kind)
    if len(bare.seconds) != RUNS * len(kinds):
        raise UsageError(f"{place.id}: a limit ended its suite", "give other tasks")
    return sum(bare.seconds)


def run_stage(stage: str, place: TaskPlace, sandbox: str, scratch: Path) -> tuple[float, float]:
    """Seconds of a stage, and of that what its sandboxes took from start to end."""
    argv = [PYTHON, f"stages/{stage}.py", "--sandbox", sandbox, str(place.folder)]
    wall_s = timed(argv, variables=variables(scratch)).wall_s
    times = json.loads((place.folder / f"{stage}.times.json").read_text())
    return wall_s, sum(sum(runs) for runs in times.values())


def run_round(place: TaskPlace, sandbox: str, scratch: Path, *, bare_first: bool) -> dict[str, float]:
    """Both stages and the same runs bare, by turns."""
    found = {"gate_s": 0.0, "sandboxed_s": 0.0, "bare_s": 0.0}
    for stage, kinds in STAGES.items():
        if bare_first:
            found["bare_s"] += run_bare(place, kinds, sandbox)
        wall_s, sandboxed_s = run_stage(stage, place, sandbox, scratch)
        found["gate_s"] += wall_s
        found["sandboxed_s"] += sandboxed_s
        if not bare_first:
            found["bare_s"] += run_bare(place, kinds, sandbox)
    return {name: round(value, 3) for name, value in found.items()}


def borrow_measurable(folder: Path, scratch: Path) -> TaskPlace:
    """Our copy of a task that runs pytest: of another runner we do not know what its bare command is."""
    place = borrow(folder, scratch)
    facts, _ = environment(place)
    if facts is not None and facts.runner != "pytest":
        raise UsageError(f"{place.id}: runs {facts.runner}, only pytest can be measured", "leave it out")
    return place


def measure(place: TaskPlace, sandbox: str, rounds: int, scratch: Path) -> dict[str, Any]:
    found = [run_round(place, sandbox, scratch, bare_first=bool(number % 2)) for number in range(rounds)]
    ratio = spread([one["gate_s"] / one["bare_s"] for one in found])
    gate_run, bare_run = (spread([one[side] / ALL_RUNS for one in found]) for side in ("gate_s", "bare_s"))
    runs = f"a run {gate_run['median']:.2f} s, bare {bare_run['median']:.2f} s"
    print(f"{place.id:<36} ratio {told(ratio)}; {runs}", flush=True)
    return {"rounds": found, "ratio": ratio, "gate_run_s": gate_run, "bare_run_s": bare_run}


def judge(tasks: Sequence[dict[str, Any]], *, short: bool) -> dict[str, Any]:
    """By the median ratio; for short suites by seconds per run, of which what the gate added is shown beside it."""
    if not short:
        ratio = spread([task["ratio"]["median"] for task in tasks])
        return {**ratio, "limit": RATIO_LIMIT, "holds": verdict("median ratio", ratio["median"], RATIO_LIMIT)}
    whole = spread([task["gate_run_s"]["median"] for task in tasks])
    added = spread([task["gate_run_s"]["median"] - task["bare_run_s"]["median"] for task in tasks])
    holds = verdict("a run and all around it, median", whole["median"], SHORT_LIMIT_S, " s")
    verdict("of that added by the gate, median", added["median"], SHORT_LIMIT_S, " s")
    return {"run_s": whole, "added_s": added, "limit_s": SHORT_LIMIT_S, "holds": holds}


@click.command(help=(__doc__ or "").replace("\n\n", "\n\n\b\n"))
@click.argument("folders", metavar="OUT/<set>/tasks/<id>...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--rounds", default=2, show_default=True, type=click.IntRange(min=1))
@click.option("--short", is_flag=True, help="Suites of a tenth of a second: judge by seconds per run.")
@click.option("--name", help="Name of the result.  [default: gate_overhead or gate_overhead_short]")
@click.option("--scratch", type=click.Path(path_type=Path), help="A folder to work in, kept; default: a temporary one.")
@SANDBOX
def main(
    folders: tuple[Path, ...], rounds: int, short: bool, name: str | None, scratch: Path | None, sandbox: str
) -> None:
    with errors.reported(), scratch_folder(scratch) as work:
        where = machine()
        places = [borrow_measurable(folder, work) for folder in folders]
        run_stage("green", places[0], sandbox, work)  # warms the bytecode and podman's service
        tasks = {place.id: measure(place, sandbox, rounds, work) for place in places}
        findings = {"tasks": tasks, "verdict": judge(list(tasks.values()), short=short), "sandbox": sandbox}
        listed = " ".join(f"OUT/{place.set_folder.name}/tasks/{place.id}" for place in places)
        command = f"bench/gate_overhead.py --rounds {rounds} --sandbox {sandbox}{' --short' if short else ''} {listed}"
        save(name or f"gate_overhead{'_short' if short else ''}", command, where, findings)


if __name__ == "__main__":
    main()
