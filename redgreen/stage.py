"""What the stage scripts share: one command line, one way of ending, one line of progress. Nothing slow is imported."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import click

from redgreen import errors
from redgreen.places import TaskPlace, task_place

SANDBOX = click.option(
    "--sandbox",
    envvar="SANDBOX",
    default="auto",
    show_default=True,
    help="podman, process, or auto: podman where it is installed.",
)


def task_stage(doc: str | None) -> Callable[[Callable[[TaskPlace, str], None]], click.Command]:
    """Make a command `stage.py [--sandbox S] FOLDER` of a function; `doc` is the script's docstring, and its help."""

    def wrap(main: Callable[[TaskPlace, str], None]) -> click.Command:
        def call(folder: str, sandbox: str) -> None:
            with errors.reported():
                main(task_place(Path(folder)), sandbox)

        command = click.Command(None, callback=call, help=as_help(doc))
        command.params.append(click.Argument(["folder"], metavar="OUT/<set>/tasks/<id>"))
        return SANDBOX(command)

    return wrap


def as_help(doc: str | None) -> str:
    """Keep the docstring's own lines: click would fold them."""
    return "\n\n".join("\b\n" + part for part in (doc or "").strip().split("\n\n"))


def say(stage: str, task: str, what: str, since: float | None = None) -> None:
    """One line of progress on stderr. `since` is a time.monotonic()."""
    took = f"  {time.monotonic() - since:.1f} s" if since is not None else ""
    print(f"{stage:<11} {task}  {what}{took}", file=sys.stderr, flush=True)
