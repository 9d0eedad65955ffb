"""Find merged fixes that might become tasks.

Reads a set: tasks/<set>/set.yaml, or what the options say; writes OUT/<set>/candidates.jsonl, for each candidate
tasks/<id>/candidate.json and statement.md, and the list tasks.mk that Make includes. Reads the network only to clone or
fetch the repositories (mirror, pointers) or to ask the API (github; the token comes from GITHUB_TOKEN).

A fix that the set's rules exclude for its licence is a candidate with a failure; one that changes no test or no code is
none, and is counted. An equal candidate is left alone, so that nothing which depends on it is made again. Candidates in
a language whose toolchain this machine lacks are in candidates.jsonl, but not in tasks.mk: they are skipped, and named.
"""

from __future__ import annotations

from pathlib import Path

import click

from redgreen import errors
from redgreen.stage import SANDBOX


@click.command(help=(__doc__ or "").replace("\n\n", "\n\n\b\n"))
@click.option("--set", "name", required=True, help="Name of the set.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("out"), show_default=True)
@click.option("--source", type=click.Choice(["demo", "mirror", "github", "pointers"]))
@click.option("--repo", "repos", multiple=True, help="owner/name, URL or path. Several times: several.")
@click.option("--pr", help="Address of one pull request.")
@click.option("--pull", "pulls", multiple=True, type=int, help="Number of a pull request.")
@click.option("--commit", "commits", multiple=True, help="A fix commit.")
@click.option("--limit", type=int, help="Candidates of each repository, newest first.")
@click.option("--since", help="Day of the merge, YYYY-MM-DD.")
@click.option("--until", help="Day of the merge, YYYY-MM-DD.")
@click.option("--licence", "licences", multiple=True, help="SPDX id that is allowed.")
@click.option("--path", "paths", multiple=True, help="Glob that a changed source file must match.")
@click.option("--max-source-files", type=int)
@click.option("--max-changed-lines", type=int)
@click.option("--sample", type=int, help="Keep this many, chosen by hash of the id.")
@click.option("--seed", help="Another seed, another sample.")
@click.option("--task", "tasks", multiple=True, metavar="ID", help="Of a pinned set: only this task.")
@SANDBOX
def main(name: str, out: Path, pr: str | None, tasks: tuple[str, ...], sandbox: str, **options: object) -> None:
    with errors.reported():
        from stages.steps.mine import perform  # `--help` need not wait for it

        perform(name, out, pr, tasks, sandbox, **options)


if __name__ == "__main__":
    main()
