"""Let an agent try a task: it gets the statement and a workspace without history, hidden tests or network.

Reads accept.json, statement.md and the run specification; writes attempt.json, patch.diff and trajectory.jsonl (and,
where a model is asked, calls.jsonl) in OUT/<set>/runs/<run>/<id>/<agent>-<n>. The patch is what an agent hands in, or
the difference that it leaves in its workspace. --allow-process lets agents that are not ours run in the process
sandbox.

An attempt that ends badly is an attempt: its `stopped` and `failure` say how. If the sandbox or the model's service
broke, the exit status is 1 and nothing is written.
"""

from __future__ import annotations

from pathlib import Path

import click

from redgreen import errors
from redgreen.stage import SANDBOX, as_help


@click.command(help=as_help(__doc__))
@click.argument("folder", metavar="OUT/<set>/runs/<run>/<id>/<agent>-<n>", type=click.Path(path_type=Path))
@click.option("--spec", required=True, type=click.Path(path_type=Path), help="The run specification, runs/<name>.yaml.")
@click.option("--allow-process", is_flag=True, help="Untrusted agents may run in the process sandbox.")
@SANDBOX
def main(folder: Path, spec: Path, allow_process: bool, sandbox: str) -> None:
    with errors.reported():
        from stages.steps.run import perform  # `--help` need not wait for it

        perform(folder, spec, allow_process, sandbox)


if __name__ == "__main__":
    main()
