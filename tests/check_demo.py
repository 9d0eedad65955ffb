"""What became of every demo project, held against what its project.yaml expects, and whether every command of the
scripted agent worked: among them are the projects' own tests, in each language.

.venv/bin/python tests/check_demo.py OUT/demo       # after `make all`; exit status 1 if anything differs
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from adapters.sources.demo import DEMO, Project
from redgreen.contract import load
from redgreen.documents import Candidate, Task


def differences(folder: Path) -> list[str]:
    """One line for each project that came out otherwise, or that was not tried."""
    found = []
    for path in sorted(folder.glob("tasks/*/candidate.json")):
        candidate = load(path, Candidate)
        expect = Project(DEMO / candidate.facts.repo.removeprefix("demo/")).about.expect
        accept = path.with_name("accept.json")
        if not accept.is_file():
            found.append(f"{candidate.id}: was not tried")
            continue
        task = load(accept, Task)
        verdict = task.rejection.reason if task.rejection else "accepted"
        proved = sorted(task.task.fail_to_pass) if task.task else []
        if verdict != expect.verdict:
            found.append(f"{candidate.id}: {verdict}, not {expect.verdict}")
        elif proved != sorted(expect.fail_to_pass):
            found.append(f"{candidate.id}: fail_to_pass is {proved}")
    return found


def failed_commands(folder: Path) -> list[str]:
    """One line for each command of a scripted attempt that did not end with 0."""
    found = []
    for path in sorted(folder.glob("runs/demo/*/scripted-*/trajectory.jsonl")):
        for turn in map(json.loads, path.read_text().splitlines()):
            if turn["exit_status"] != 0:
                found.append(f"{path.parts[-3]}: {turn['command']}: {turn['exit_status']}: {turn['stderr'][-300:]}")
    return found


if __name__ == "__main__":
    told = differences(Path(sys.argv[1])) + failed_commands(Path(sys.argv[1]))
    print("\n".join(told) or "every project came out as it says, and every command of the script worked")
    sys.exit(bool(told))
