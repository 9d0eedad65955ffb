"""Install the base commit's dependencies as of the fix's date, at the exact runtimes, and lock what was resolved.

Reads candidate.json and workspace.json; writes environment.json, lock.txt, and the folder boxes/<id>/box that every
later run starts from. Runs the project's build in the sandbox, with the network. A task that is pinned (pointer.json)
is installed from its own lock and nothing else. --offline proves that the lock and the cache suffice.

A project that cannot be installed gets a failure, with the step that failed, in place of facts.
"""

from __future__ import annotations

import click

from redgreen import errors
from redgreen.stage import SANDBOX, as_help


@click.command(help=as_help(__doc__))
@click.argument("folder", metavar="OUT/<set>/tasks/<id>")
@SANDBOX
@click.option("--offline", is_flag=True, help="No network: fail if the lock and the cache do not suffice.")
def main(folder: str, sandbox: str, offline: bool) -> None:
    with errors.reported():
        from stages.steps.install import perform  # `--help` need not wait for it

        perform(folder, sandbox, offline)


if __name__ == "__main__":
    main()
