"""Keep accepted tasks as a public set: pointers into public histories, facts, locks, and nothing else.

Reads tasks.jsonl of OUT/<set> and each task's lock.txt; writes tasks/<version>/<id>.json and locks/. Name ids to keep
only those. A task whose repository has no public address is refused.
"""

from __future__ import annotations

from pathlib import Path

import click

from redgreen import errors
from redgreen.stage import as_help


@click.command(help=as_help(__doc__))
@click.argument("folder", metavar="OUT/<set>", type=click.Path(path_type=Path))
@click.argument("to", metavar="tasks/<version>", type=click.Path(path_type=Path))
@click.argument("ids", nargs=-1)
def main(folder: Path, to: Path, ids: tuple[str, ...]) -> None:
    with errors.reported():
        from stages.steps.pin import perform  # `--help` need not wait for it

        perform(folder, to, ids)


if __name__ == "__main__":
    main()
