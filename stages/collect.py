"""Gather the accepted tasks and the rejections of a set.

Reads every accept.json of OUT/<set>; writes tasks.jsonl and rejected.jsonl. With --spec, writes instead the list of the
run's attempts, attempts.mk, that Make includes, and agents/<name>.json: the part of the specification that is one
agent's.
"""

from __future__ import annotations

from pathlib import Path

import click

from redgreen import errors
from redgreen.stage import as_help


@click.command(help=as_help(__doc__))
@click.argument("folder", metavar="OUT/<set>", type=click.Path(path_type=Path))
@click.argument("ids", nargs=-1)
@click.option("--spec", type=click.Path(path_type=Path), help="A run specification: write its attempts instead.")
@click.option("--to", type=click.Path(path_type=Path), help="With --spec: the file to write.")
def main(folder: Path, ids: tuple[str, ...], spec: Path | None, to: Path | None) -> None:
    with errors.reported():
        from stages.steps.collect import perform  # `--help` need not wait for it

        perform(folder, ids, spec, to)


if __name__ == "__main__":
    main()
