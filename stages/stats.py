"""Count what the scores of a run say: rates with Wilson 95 % intervals, and what was left out.

Reads tasks.jsonl, rejected.jsonl and every score.json of the run; writes stats.json, and prints the table.

--gate checks the harness itself: the oracle must be fixed on every task and the empty patch on none; else exit status
1.
"""

from __future__ import annotations

from pathlib import Path

import click

from redgreen import errors
from redgreen.stage import as_help


@click.command(help=as_help(__doc__))
@click.argument("folder", metavar="OUT/<set>/runs/<run>", type=click.Path(path_type=Path))
@click.option("--gate", is_flag=True, help="Fail unless the oracle is fixed everywhere and the empty patch nowhere.")
@click.option("--show", is_flag=True, help="Print the table of an existing stats.json and write nothing.")
def main(folder: Path, gate: bool, show: bool) -> None:
    with errors.reported():
        from stages.steps.stats import perform  # `--help` need not wait for it

        perform(folder, gate, show)


if __name__ == "__main__":
    main()
