"""Decide from the runs whether a candidate is a fair task: its tests fail before the fix and pass after it, every time.

Reads candidate.json, workspace.json, environment.json, red.json and green.json; writes accept.json: a task
(fail_to_pass, pass_to_pass, flaky) or a rejection (stage, reason, detail), with the digests of its evidence.

A rejection is an answer like any other: the exit status is 0.
"""

from redgreen.places import TaskPlace
from redgreen.stage import task_stage


@task_stage(__doc__)
def main(place: TaskPlace, sandbox: str) -> None:
    from stages.steps.accept import perform  # `--help` need not wait for it

    perform(place, sandbox)


if __name__ == "__main__":
    main()
