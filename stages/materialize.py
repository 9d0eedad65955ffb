"""Write the base commit as a plain folder, and split the fix into its source half and its test half.

Reads candidate.json; writes workspace.json, and beside the documents the folder boxes/<id>/base: what git holds at the
base commit, byte for byte, with no history. Needs the network only where the mirror lacks a commit.

A candidate that its set excludes, or whose tree holds a hostile path, gets a failure in place of facts.
"""

from redgreen.places import TaskPlace
from redgreen.stage import task_stage


@task_stage(__doc__)
def main(place: TaskPlace, sandbox: str) -> None:
    from stages.steps.materialize import perform  # `--help` need not wait for it

    perform(place, sandbox)


if __name__ == "__main__":
    main()
