"""Score a patch with the project's own hidden tests on a clean rebuild that no agent has touched.

Reads accept.json, attempt.json and patch.diff; writes score.json beside them. Everything that decides how tests run
comes from the fix commit, whatever the patch did to it; what it touched is listed as `tampered`. No network.

Not fixed is an answer. A sandbox that breaks is tried again twice, then written down as infra_error: excluded, and
shown.
"""

from __future__ import annotations

from pathlib import Path

import click

from redgreen import errors
from redgreen.stage import SANDBOX, as_help


@click.command(help=as_help(__doc__))
@click.argument("folder", metavar="OUT/<set>/runs/<run>/<id>/<agent>-<n>", type=click.Path(path_type=Path))
@SANDBOX
def main(folder: Path, sandbox: str) -> None:
    with errors.reported():
        from stages.steps.score import perform  # `--help` need not wait for it

        perform(folder, sandbox)


if __name__ == "__main__":
    main()
