"""Rebuild some tasks of a public set from the public commits, in a fresh folder, and compare with the recorded facts.

A task holds if its rebuild shows what was recorded, the human fix is then scored as fixed, and an empty patch is not.

Reads tasks/<set>; writes OUT/verify/<set> anew. Prints for each task HOLD, FAIL with what differs, or SKIP with what
this machine lacks, and a summary. The tasks are chosen by hash of the id and the seed, so that nobody picks the good
ones; --task names some instead.

Exit status 1 only if a task fails. Needs the network, or MIRRORS=<folder of local copies>.
"""

from __future__ import annotations

from pathlib import Path

import click

from redgreen import errors
from redgreen.stage import SANDBOX, as_help


@click.command(help=as_help(__doc__))
@click.option("--set", "name", required=True, help="A public set: tasks/<set> holds its pointers.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("out"), show_default=True)
@click.option("--sample", type=click.IntRange(min=1), default=20, show_default=True)
@click.option("--seed", default="0", show_default=True, help="Another seed, another sample.")
@click.option("--task", "tasks", multiple=True, metavar="ID", help="Only this one. Several times: several.")
@click.option("--jobs", type=click.IntRange(min=1), default=2, show_default=True, help="Tasks at a time.")
@SANDBOX
def main(name: str, out: Path, sample: int, seed: str, tasks: tuple[str, ...], jobs: int, sandbox: str) -> None:
    with errors.reported():
        from stages.steps.verify import perform  # `--help` need not wait for it

        perform(name, out, sample, seed, tasks, jobs, sandbox)


if __name__ == "__main__":
    main()
