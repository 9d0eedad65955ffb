"""Run the base with the fix's tests and the fix, three times in fresh copies without network.

Reads candidate.json, workspace.json and environment.json; writes green.json (every outcome of every run) and, as
evidence, what the runs printed under boxes/<id>/logs.

Whether the tests pass with the fix as they should is accept's to say; green writes down what it saw.
"""

from redgreen.places import TaskPlace
from redgreen.stage import task_stage


@task_stage(__doc__)
def main(place: TaskPlace, sandbox: str) -> None:
    from stages.steps.gate_runs import run_stage  # `--help` need not wait for it

    run_stage("green", ("green",), place, sandbox)


if __name__ == "__main__":
    main()
