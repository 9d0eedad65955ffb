"""One scored attempt with the known fix: ours against RepoAgentBench 0.1.0's, on the same task, warm.

    .venv/bin/python bench/against_repoagentbench.py OUT/<set>/tasks/<id>

Ours: stages/run.py with the oracle, then stages/score.py, two processes from start to end. Theirs: `repoagentbench
run-one --agent mock-fix` on the task folder that its own `infer` makes of the same pull request. `infer` asks GitHub
through `gh` and git; here both are answered from the task's local mirror. The peer is installed from PyPI into the
scratch folder.

Neither side pays here for what it does once for a task (our install stage, their infer). Theirs makes a virtual
environment and installs from pip's warm cache in every run, and runs only the test files that the pull request changed,
twice (before and after the fix); ours runs the whole suite, once.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import click
from measure import PYTHON, borrow, machine, save, scratch_folder, spread, timed, told, variables, verdict

import adapters
from redgreen import errors
from redgreen.contract import load
from redgreen.documents import CandidateFacts, Score, Task
from redgreen.errors import InfrastructureError, UsageError
from redgreen.git import Store
from redgreen.places import TaskPlace
from redgreen.stage import SANDBOX

PEER = "repoagentbench==0.1.0"
SPECIFICATION = "runs/gate.yaml"
LIMIT = 0.2
GH = """#!{python}
# Answers the two questions that `repoagentbench infer` asks of GitHub's command line client.
import pathlib, sys
print(pathlib.Path({answers!r}, sys.argv[2]).read_text(), end="")
"""


def install_peer(scratch: Path) -> Path:
    """The peer's command, in a virtual environment of its own."""
    command = scratch / "peer" / "bin" / "repoagentbench"
    if not command.is_file():
        uv = str(Path(PYTHON).with_name("uv"))
        timed([uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(scratch / "peer")])
        timed([uv, "pip", "install", "--quiet", "--python", str(command.with_name("python")), PEER])
    return command


def infer(peer: Path, place: TaskPlace, facts: CandidateFacts, scratch: Path) -> Path:
    """Let the peer make its task folder of the same pull request, from the task's mirror."""
    mirror = adapters.mirror(place.out, facts.repo, facts.url, facts.base_commit, facts.fix_commit)
    address = f"{facts.url.removesuffix('.git')}/pull/{facts.pull}"
    title, _, body = (place.folder / "statement.md").read_text().partition("\n")
    view = {"title": title, "body": body, "number": facts.pull, "url": address, "state": "MERGED"}
    answers, tools, task = scratch / "gh-answers", scratch / "gh-bin", scratch / f"peer-{place.id}"
    for folder in (answers, tools):
        folder.mkdir(exist_ok=True)
    (answers / "view").write_text(json.dumps({**view, "baseRefOid": facts.base_commit}))
    diff = Store(mirror, place.objects).git("diff", "--no-ext-diff", facts.base_commit, facts.fix_commit)
    (answers / "diff").write_bytes(diff)
    (tools / "gh").write_text(GH.format(python=sys.executable, answers=str(answers)))
    (tools / "gh").chmod(0o755)
    shutil.rmtree(task, ignore_errors=True)
    local = {
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": f"url.{mirror.resolve()}.insteadOf",
        "GIT_CONFIG_VALUE_0": facts.url.removesuffix(".git") + ".git",  # the longest that fits wins
        "GIT_CONFIG_KEY_1": f"url.{mirror.resolve()}.insteadOf",
        "GIT_CONFIG_VALUE_1": facts.url,
    }
    asked = {**variables(), **local, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    timed([str(peer), "infer", "--from-pr", address, "--out", str(task)], variables=asked)
    if not (task / "verify.sh").is_file():
        raise UsageError(f"{place.id}: RepoAgentBench found no way to run its tests", "give another task")
    return task


def run_peer(peer: Path, task: Path, scratch: Path) -> dict[str, Any]:
    """Seconds of one run from start to end, and what the peer itself says about its parts."""
    runs = scratch / "peer-runs"
    shutil.rmtree(runs, ignore_errors=True)
    command = [str(peer), "run-one", "--task", str(task), "--agent", "mock-fix", "--out", str(runs)]
    took = timed(command, variables=variables())
    said = json.loads(next(runs.glob("*/status.json")).read_text())
    if not said["passed"]:
        raise InfrastructureError(f"RepoAgentBench did not pass the fix: {said['summary']}", f"see {runs}")
    verify_s = said["pre_verify"]["duration_seconds"] + said["post_verify"]["duration_seconds"]
    return {"wall_s": round(took.wall_s, 3), "verify_s": round(verify_s, 3)}


def run_ours(place: TaskPlace, sandbox: str, scratch: Path) -> dict[str, Any]:
    """Seconds of run and score together, and of that the sandbox in which the tests ran."""
    folder = place.set_folder / "runs" / "bench" / place.id / "oracle-1"
    shutil.rmtree(folder, ignore_errors=True)
    ours = variables(scratch)
    attempt = [PYTHON, "stages/run.py", "--spec", SPECIFICATION, "--sandbox", sandbox, str(folder)]
    run_s = timed(attempt, variables=ours).wall_s
    score_s = timed([PYTHON, "stages/score.py", "--sandbox", sandbox, str(folder)], variables=ours).wall_s
    if not load(folder / "score.json", Score).resolved:
        raise InfrastructureError(f"{place.id}: the oracle was not scored as fixed", f"see {folder / 'score.json'}")
    tests_s = json.loads((folder / "score.times.json").read_text())["tests"]
    parts = {"wall_s": run_s + score_s, "run_s": run_s, "score_s": score_s}
    return {**{name: round(value, 3) for name, value in parts.items()}, "sandboxed_s": tests_s}


def measure(place: TaskPlace, sandbox: str, rounds: int, scratch: Path) -> dict[str, Any]:
    """Rounds of both sides by turns, after one of each that is not counted."""
    peer = install_peer(scratch)
    task = infer(peer, place, load(place.document("accept"), Task).candidate, scratch)
    run_ours(place, sandbox, scratch)
    run_peer(peer, task, scratch)
    found = []
    for number in range(rounds):
        if number % 2:
            theirs, ours = run_peer(peer, task, scratch), run_ours(place, sandbox, scratch)
        else:
            ours, theirs = run_ours(place, sandbox, scratch), run_peer(peer, task, scratch)
        found.append({"ours": ours, "theirs": theirs, "ratio": round(ours["wall_s"] / theirs["wall_s"], 4)})
        print(f"round {number + 1}    ours {ours['wall_s']:.2f} s, theirs {theirs['wall_s']:.2f} s", flush=True)
    return {"rounds": found, "their_tests": (task / "verify.sh").read_text().splitlines()[-1]}


@click.command(help=(__doc__ or "").replace("\n\n", "\n\n\b\n"))
@click.argument("folder", metavar="OUT/<set>/tasks/<id>", type=click.Path(path_type=Path))
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(min=1))
@click.option("--name", default="against_repoagentbench", show_default=True, help="Name of the result.")
@click.option("--scratch", type=click.Path(path_type=Path), help="A folder to work in, kept; default: a temporary one.")
@SANDBOX
def main(folder: Path, rounds: int, name: str, scratch: Path | None, sandbox: str) -> None:
    with errors.reported(), scratch_folder(scratch) as work:
        where = machine()
        place = borrow(folder, work)
        findings = measure(place, sandbox, rounds, work)
        sides = {side: spread([one[side]["wall_s"] for one in findings["rounds"]]) for side in ("ours", "theirs")}
        ratio = spread([one["ratio"] for one in findings["rounds"]])
        print(f"ours       {told(sides['ours'], ' s')}\ntheirs     {told(sides['theirs'], ' s')}")
        print(f"ratio      {told(ratio)}")
        judged = {**ratio, "limit": LIMIT, "holds": verdict("median ratio", ratio["median"], LIMIT)}
        findings |= {"task": place.id, "peer": PEER, "sandbox": sandbox, "seconds": sides, "verdict": judged}
        command = f"bench/against_repoagentbench.py --rounds {rounds} --sandbox {sandbox}"
        save(name, f"{command} OUT/{place.set_folder.name}/tasks/{place.id}", where, findings)


if __name__ == "__main__":
    main()
