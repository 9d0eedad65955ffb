"""Show that builds and runs are hermetic: HOLD or FAIL, one line each.

Reads the container recipes and a set whose gate has run (out/demo unless named); writes nothing but images.

image     built anew from its recipe, base included, an image has the id of the one that is in use
sandbox   from inside, no way leads to this machine's loopback or its own address, and there is no link to any other:
          the same tries made outside do reach a listener, so that this can fail
stages    red, green and score of one task of each language write the same documents in an empty network namespace

Exit status 1 if anything does not hold.
"""

from __future__ import annotations

from pathlib import Path

import click

from redgreen import errors
from redgreen.stage import SANDBOX, as_help


@click.command(help=as_help(__doc__))
@click.argument("set_folder", default="out/demo", type=click.Path(path_type=Path))
@click.option("--language", "languages", multiple=True, help="Only these languages.")
@click.option("--without-images", is_flag=True, help="Build no image anew: that takes minutes.")
@SANDBOX
def main(set_folder: Path, languages: tuple[str, ...], without_images: bool, sandbox: str) -> None:
    with errors.reported():
        from stages.steps.hermetic import perform  # `--help` need not wait for it

        perform(set_folder, languages, without_images, sandbox)


if __name__ == "__main__":
    main()
