"""How much the gate adds to the tests: red and green of a task, against the bare test commands that they run.

    .venv/bin/python bench/gate_overhead.py OUT/<set>/tasks/<id> ...

One side is the wall time of stages/red.py and stages/green.py, from process start to process end. The other is the sum
of the nine bare test commands (three each on base, red and green), timed by a clock inside the same kind of sandbox, over
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
from redgreen.gate_runs import Kind, open_suite, tree_of
from redgreen.places import TaskPlace
from redgreen.sandbox import Command, Finished, Sandbox
from redgreen.stage import SANDBOX
from redgreen.trials import run_thrice

KINDS: tuple[Kind, ...] = ("base", "red", "green")
RUNS = 9
SHORT_S = 0.5
"""A suite of less than this is judged by seconds per run, any other by the ratio."""

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
    raise UsageError("only tasks that run pytest can be measured", "leave the others out")


def run_bare(place: TaskPlace, sandbox: str) -> list[float]:
    """Seconds of each of the nine bare test commands."""
    opened = open_suite(place, sandbox)
    if isinstance(opened, Failure):
        raise UsageError(f"{place.id}: was rejected in {opened.stage}", "give accepted tasks")
    suite, store, facts = opened
    bare = BareSandbox(suite.sandbox)
    bare_suite = replace(suite, sandbox=bare, logs=place.bulk / "bare-logs")
    for kind in KINDS:
        run_thrice(bare_suite, store, facts.base_tree, tree_of(kind, facts), kind)
    if len(bare.seconds) != RUNS:
        raise UsageError(f"{place.id}: its suite is ended by a limit", "give other tasks")
    return bare.seconds


def run_gate(place: TaskPlace, sandbox: str, scratch: Path) -> dict[str, float]:
    """Seconds of both stages, and of that what their sandboxes took from start to end."""
    wall_s = 0.0
    for stage in ("red", "green"):
        argv = [PYTHON, f"stages/{stage}.py", "--sandbox", sandbox, str(place.folder)]
        wall_s += timed(argv, variables=variables(scratch)).wall_s
    times = [json.loads((place.folder / f"{stage}.times.json").read_text()) for stage in ("red", "green")]
    return {"gate_s": wall_s, "sandboxed_s": sum(sum(runs) for stage in times for runs in stage.values())}


def measure(place: TaskPlace, sandbox: str, rounds: int, scratch: Path) -> dict[str, Any]:
    """Rounds of both sides by turns; every second round in the other order."""
    found: list[dict[str, float]] = []
    for number in range(rounds):
        if number % 2:
            bare_s = sum(run_bare(place, sandbox))
            gate = run_gate(place, sandbox, scratch)
        else:
            gate = run_gate(place, sandbox, scratch)
            bare_s = sum(run_bare(place, sandbox))
        found.append({name: round(value, 3) for name, value in {**gate, "bare_s": bare_s}.items()})
    ratio = spread([one["gate_s"] / one["bare_s"] for one in found])
    gate_run, bare_run = (spread([one[side] / RUNS for one in found]) for side in ("gate_s", "bare_s"))
    print(
        f"{place.id:<40} ratio {told(ratio)}; a run {gate_run['median']:.2f} s, bare {bare_run['median']:.2f} s",
        flush=True,
    )
    return {"rounds": found, "ratio": ratio, "gate_run_s": gate_run, "bare_run_s": bare_run}


def judge(tasks: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The median ratio of the longer suites, and the slowest of the short ones."""
    short = [task for task in tasks.values() if task["bare_run_s"]["median"] < SHORT_S]
    longer = [task for task in tasks.values() if task["bare_run_s"]["median"] >= SHORT_S]
    verdicts: dict[str, Any] = {}
    if longer:
        ratio = spread([task["ratio"]["median"] for task in longer])
        verdicts["ratio"] = {
            **ratio,
            "limit": RATIO_LIMIT,
            "holds": verdict("median ratio", ratio["median"], RATIO_LIMIT),
        }
    if short:
        whole = spread([task["gate_run_s"]["median"] for task in short])
        added = spread([task["gate_run_s"]["median"] - task["bare_run_s"]["median"] for task in short])
        holds = verdict("short suites, a run and all around it, median", whole["median"], SHORT_LIMIT_S, " s")
        verdict("short suites, of that added by the gate, median", added["median"], SHORT_LIMIT_S, " s")
        verdicts["short"] = {"run_s": whole, "added_s": added, "limit_s": SHORT_LIMIT_S, "holds": holds}
    return verdicts


@click.command(help=(__doc__ or "").replace("\n\n", "\n\n\b\n"))
@click.argument("folders", metavar="OUT/<set>/tasks/<id>...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--rounds", default=2, show_default=True, type=click.IntRange(min=1))
@click.option("--name", default="gate_overhead", show_default=True, help="Name of the result.")
@click.option("--scratch", type=click.Path(path_type=Path), help="A folder to work in, kept; default: a temporary one.")
@SANDBOX
def main(folders: tuple[Path, ...], rounds: int, name: str, scratch: Path | None, sandbox: str) -> None:
    with errors.reported(), scratch_folder(scratch) as work:
        where = machine()
        places = [borrow(folder, work) for folder in folders]
        run_gate(places[0], sandbox, work)  # warms the bytecode and podman's service
        tasks = {place.id: measure(place, sandbox, rounds, work) for place in places}
        findings = {"tasks": tasks, "verdict": judge(tasks), "sandbox": sandbox}
        listed = " ".join(f"OUT/{place.set_folder.name}/tasks/{place.id}" for place in places)
        save(name, f"bench/gate_overhead.py --rounds {rounds} --sandbox {sandbox} {listed}", where, findings)


if __name__ == "__main__":
    main()
