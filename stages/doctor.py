"""Say what works on this machine, what is missing, and how to get it: one line each.

Reads nothing; writes nothing. Exit status 1 if no sandbox works.
"""

from __future__ import annotations

import click

from redgreen import errors
from redgreen.stage import as_help


@click.command(help=as_help(__doc__))
def main() -> None:
    with errors.reported():
        from stages.steps.doctor import perform  # `--help` need not wait for it

        perform()


if __name__ == "__main__":
    main()
