"""Print what became of each candidate of a set: accepted with its counts, or rejected with the reason.

Reads tasks.jsonl and rejected.jsonl of OUT/<set>; writes nothing.
"""

from __future__ import annotations

from pathlib import Path

import click

from redgreen import errors
from redgreen.stage import as_help


@click.command(help=as_help(__doc__))
@click.argument("folder", metavar="OUT/<set>", type=click.Path(path_type=Path))
def main(folder: Path) -> None:
    with errors.reported():
        from stages.steps.show import perform  # `--help` need not wait for it

        perform(folder)


if __name__ == "__main__":
    main()
