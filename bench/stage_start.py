"""How long each stage takes to start: `stages/<stage>.py --help`, by hyperfine.

    .venv/bin/python bench/stage_start.py              # needs hyperfine (Debian: apt-get install hyperfine)

And of a stage that starts, loads and checks its documents and has nothing to run (`red` of a task that an earlier stage
refused), because `--help` alone would not show imports that every real start pays. Beside them Python itself.
Hyperfine's own numbers are kept: mean, deviation, user and system time of each.
"""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import click
from measure import PYTHON, machine, save, scratch_folder, timed, variables, verdict

from redgreen import errors
from redgreen.contract import ROOT, dump
from redgreen.documents import Candidate, Environment, Failure, Workspace
from redgreen.errors import UsageError
from redgreen.examples import EXAMPLES

LIMIT_S = 0.25
KEPT = ("mean", "stddev", "median", "min", "max", "user", "system")


def write_refused_task(scratch: Path) -> Path:
    """A task's folder whose environment holds a failure: a stage passes it on."""
    candidate, workspace, environment = (EXAMPLES[name] for name in ("candidate", "workspace", "environment"))
    assert (
        isinstance(candidate, Candidate) and isinstance(workspace, Workspace) and isinstance(environment, Environment)
    )
    failure = Failure(stage="install", reason="install_failed", detail="dependencies: as an example")
    refused = environment.model_copy(update={"facts": None, "lock": None, "failure": failure})
    folder = scratch / "out" / "bench-start" / "tasks" / candidate.id
    folder.mkdir(parents=True, exist_ok=True)
    for name, document in (("candidate", candidate), ("workspace", workspace), ("environment", refused)):
        (folder / f"{name}.json").write_text(dump(document))
    return folder


def commands(scratch: Path) -> dict[str, str]:
    """Name -> command line."""
    found = {"python": f"{shlex.quote(PYTHON)} -c pass"}
    for script in sorted((ROOT / "stages").glob("*.py")):
        found[f"{script.stem} --help"] = shlex.join([PYTHON, str(script), "--help"])
    task = write_refused_task(scratch)
    found["red, nothing to run"] = shlex.join([PYTHON, str(ROOT / "stages" / "red.py"), str(task)])
    return found


def run_hyperfine(named: dict[str, str], runs: int, scratch: Path) -> dict[str, Any]:
    """Hyperfine's summary of each command by name."""
    if not shutil.which("hyperfine"):
        raise UsageError("hyperfine: not found", "as root: apt-get install hyperfine")
    export = scratch / "hyperfine.json"
    argv = ["hyperfine", "--shell=none", "--warmup=2", f"--runs={runs}", f"--export-json={export}"]
    for name, command in named.items():
        argv += ["--command-name", name, command]
    timed(argv, variables=variables(scratch))
    results = json.loads(export.read_text())["results"]
    return {one["command"]: {key: round(one[key], 4) for key in KEPT} for one in results}


@click.command(help=(__doc__ or "").replace("\n\n", "\n\n\b\n"))
@click.option("--runs", default=20, show_default=True, type=click.IntRange(min=2))
@click.option("--name", default="stage_start", show_default=True, help="Name of the result.")
@click.option("--scratch", type=click.Path(path_type=Path), help="A folder to work in, kept; default: a temporary one.")
def main(runs: int, name: str, scratch: Path | None) -> None:
    with errors.reported(), scratch_folder(scratch) as work:
        where = machine()
        found = run_hyperfine(commands(work), runs, work)
        for what, one in found.items():
            print(f"{what:<22} {one['median']:.3f} s, of processor time {one['user'] + one['system']:.3f} s")
        slowest = max((what for what in found if what != "python"), key=lambda what: found[what]["median"])
        holds = verdict(f"slowest start, {slowest}, median", found[slowest]["median"], LIMIT_S, " s")
        judged = {"slowest": slowest, "seconds": found[slowest]["median"], "limit_s": LIMIT_S, "holds": holds}
        save(name, f"bench/stage_start.py --runs {runs}", where, {"commands": found, "verdict": judged})


if __name__ == "__main__":
    main()
