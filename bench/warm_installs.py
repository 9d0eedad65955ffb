"""Installing a task with the package manager's cache warm, against cold, ecosystem by ecosystem.

    .venv/bin/python bench/warm_installs.py OUT/<set>/tasks/<id> ...

Each task is installed from its own lock by `stages/install.py`, process start to process end, by turns: cold (the cache
of its repository is empty), then warm (as the install before left it). Nothing installed is ever kept: the box is made
anew each time, so that a warm install still unpacks, links and builds. A workspace of several packages counts as a
monorepo.

Limits: a monorepo at least 35 % faster, a single package at least 3 times as fast: an earlier study's best.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import click
from measure import PYTHON, borrow, machine, save, scratch_folder, spread, timed, told, variables

import adapters
from redgreen import errors
from redgreen.contract import ROOT, dump, load, write_bytes
from redgreen.documents import Task
from redgreen.errors import UsageError
from redgreen.places import TaskPlace
from redgreen.pointers import pointer

SINGLE, MONOREPO = 3.0, 1 / (1 - 0.35)


def lay_out(folder: Path, scratch: Path, sandbox: str) -> tuple[TaskPlace, Task]:
    """The task with its lock pinned, a base and a cache of its own."""
    place = borrow(folder, scratch)
    task = load(place.document("accept"), Task)
    if task.task is None:
        raise UsageError(f"{task.id}: was rejected", "name tasks that were accepted")
    write_bytes(place.folder / "pointer.json", dump(pointer(task)).encode())
    shutil.copyfile(place.folder / "lock.txt", place.folder / "pinned.lock.txt")
    for link in (place.box, place.out / "cache"):
        link.unlink()
    adapters.sandbox(sandbox, task.candidate.language, place.out)  # looks the image up, outside the clock
    return place, task


def install(place: TaskPlace, scratch: Path) -> float:
    return timed([PYTHON, str(ROOT / "stages" / "install.py"), str(place.folder)], variables=variables(scratch)).wall_s


def measure(folder: Path, rounds: int, scratch: Path, sandbox: str) -> dict[str, Any]:
    place, task = lay_out(folder, scratch / folder.name, sandbox)
    facts = task.candidate
    box = adapters.sandbox(sandbox, facts.language, place.out)
    cold, warm = [], []
    for number in range(rounds + 1):
        box.remove(place.cache(facts.language, facts.repo))
        pair = install(place, scratch), install(place, scratch)
        print(f"{facts.id}  round {number}: cold {pair[0]:.1f} s, warm {pair[1]:.1f} s", flush=True)
        if number:  # the first pair also warms what lies between us and the registry
            cold.append(pair[0])
            warm.append(pair[1])
    box.remove(place.box)
    assert task.environment
    monorepo = is_monorepo(place)
    ratios = spread([before / after for before, after in zip(cold, warm, strict=True)])
    return {
        "task": facts.id,
        "language": facts.language,
        "manager": task.environment.manager,
        "packages": len(task.lock.packages) if task.lock else 0,
        "monorepo": monorepo,
        "cold_s": spread(cold),
        "warm_s": spread(warm),
        "times_as_fast": ratios,
        "limit": round(MONOREPO if monorepo else SINGLE, 2),
        "holds": ratios["median"] >= (MONOREPO if monorepo else SINGLE),
    }


def is_monorepo(place: TaskPlace) -> bool:
    """Several manifests of the same kind, outside tests and examples."""
    for name in ("package.json", "Cargo.toml", "pom.xml", "go.mod", "pyproject.toml"):
        found = [path.relative_to(place.base) for path in place.base.rglob(name)]
        own = [path for path in found if not {"node_modules", "examples", "tests", "test"} & set(path.parts)]
        if len(own) > 2:
            return True
    return False


@click.command(help=__doc__)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--rounds", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--sandbox", default="auto", show_default=True)
@click.option("--scratch", type=click.Path(path_type=Path), help="Keep the scratch work here.")
def main(folders: tuple[Path, ...], rounds: int, sandbox: str, scratch: Path | None) -> None:
    with errors.reported(), scratch_folder(scratch) as work:
        where = machine()
        found = [measure(folder, rounds, work, sandbox) for folder in folders]
        for one in found:
            word = "holds" if one["holds"] else "MISSED"
            kind = "monorepo" if one["monorepo"] else "single package"
            print(
                f"{word}  {one['task']} ({one['manager']}, {kind}): warm is {told(one['times_as_fast'])} times as fast"
            )
        command = ".venv/bin/python bench/warm_installs.py OUT/<set>/tasks/<id> ..."
        save("warm_installs", command, where, {"tasks": found, "rounds": rounds})


if __name__ == "__main__":
    main()
