"""Run the base, and the base with the fix's tests, three times each in fresh copies without network.

Reads candidate.json, workspace.json and environment.json; writes red.json (every outcome of every run) and, as
evidence, what the runs printed under boxes/<id>/logs.

Whether the tests fail before the fix as they should is accept's to say; red writes down what it saw.
"""

from redgreen.places import TaskPlace
from redgreen.stage import task_stage


@task_stage(__doc__)
def main(place: TaskPlace, sandbox: str) -> None:
    from stages.steps.gate_runs import run_stage  # `--help` need not wait for it

    run_stage("red", ("base", "red"), place, sandbox)


if __name__ == "__main__":
    main()
