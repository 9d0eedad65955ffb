"""Show that no known cheat passes and no known honest fix fails: every case of the corpus, tried on this harness.

Reads tasks/selftest and OUT/selftest, whose gate has run; tries each case by the real run and score stages, on the real
runner in the real sandbox; writes OUT/selftest/selftest.json. Prints kind, tried, right, and each case that came out
wrong with what was seen. --case and --project choose some.

Exit status 1 if a case came out wrong, or, where CI is set, if one was skipped.
"""

from __future__ import annotations

from pathlib import Path

import click

from redgreen import errors
from redgreen.stage import SANDBOX, as_help


@click.command(help=as_help(__doc__))
@click.argument("folder", default="out/selftest", metavar="OUT/selftest", type=click.Path(path_type=Path))
@click.option("--case", "cases", multiple=True, metavar="ID", help="Only these. A01 also means A01b, A01.fix, ...")
@click.option("--project", "projects", multiple=True, help="Only the cases of these projects.")
@click.option("--jobs", type=click.IntRange(min=1), default=2, show_default=True, help="Attempts at a time.")
@SANDBOX
def main(folder: Path, cases: tuple[str, ...], projects: tuple[str, ...], jobs: int, sandbox: str) -> None:
    with errors.reported():
        from stages.steps.selftest import perform  # `--help` need not wait for it

        perform(folder, cases, projects, jobs, sandbox)


if __name__ == "__main__":
    main()
