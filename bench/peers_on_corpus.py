"""The corpus of `make selftest`, given to the published SWE-bench grader as well: two columns side by side.

    .venv/bin/python bench/peers_on_corpus.py OUT/selftest

Reads selftest.json (ours: run `make selftest` first) and grades the same patches of the project `pricetag` as the
SWE-bench harness 5.0.2 does: its chain of commands applies the patch in a work tree of git, the hidden tests are laid
over it, `pytest -rA` runs the test files, and its own `get_eval_report` reads what was printed. The commands run in
our sandbox, as the peer's containers need a registry; the grading is its code, from PyPI, in a virtual environment of
its own. What it has to find (FAIL_TO_PASS and PASS_TO_PASS) is what its own parser reads from the human fix and from
the base. Needs `patch` on this machine.

Right is an outcome: fixed where the patch is an honest fix, not fixed where it is none. The peer has no flag for what
no test can prove; there it is right if it does not call the patch fixed. Cases with an agent's own commands are left
out: the peer grades patches.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import click
from measure import PYTHON, machine, save, scratch_folder, timed

import adapters
from redgreen import errors
from redgreen.contract import ROOT, load
from redgreen.corpus import attempts, patch_of, read_corpus
from redgreen.documents import Case, Selftest, Task
from redgreen.git import Store, select
from redgreen.places import TaskPlace, task_place
from redgreen.sandbox import BOX, Command, Limits, Mount, Sandbox

PEER = "swebench==5.0.2"
PROJECT = "pricetag"
TASK = "selftest__pricetag-4"
START, END, STATUS = ">>>>> Start Test Output", ">>>>> End Test Output", ">>>>> Test Exit Code"
FAILED = ">>>>> Patch Apply Failed"
PARSER = "parse_log_pytest"
APPLY = (
    "git apply --verbose",
    "git apply --verbose --3way",
    "git apply --verbose --reject",
    "/redgreen/patch --batch --forward --fuzz=5 -p1 -i",
)
SCRIPT = f"""
cd {BOX}/tree
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a
git init -q . && git add -A -f . && git commit -q -m base || exit 90
applied=no
if [ -s /redgreen/peer/patch.diff ]; then
  first=yes
  while read -r how; do
    [ $first = yes ] || {{ git checkout -q -- . ; git clean -qfd; }}
    first=no
    if $how /redgreen/peer/patch.diff; then applied=yes; break; fi
  done <<'COMMANDS'
{chr(10).join(APPLY)}
COMMANDS
  [ $applied = yes ] || git apply --check --reverse /redgreen/peer/patch.diff && applied=yes
else
  applied=yes
fi
[ $applied = yes ] || {{ echo "{FAILED}"; exit 0; }}
git checkout -q HEAD -- FILES_OF_BASE
if [ -s /redgreen/peer/tests.diff ]; then git apply -v /redgreen/peer/tests.diff; fi
echo "{START}"
python -m pytest -rA FILES
status=$?
echo "{END}"
echo "{STATUS}: $status"
"""
GRADE = """
import json, sys
from swebench.harness.grading import get_eval_report, get_logs_eval
from swebench.types import TestSpec
asked = json.load(open(sys.argv[1]))
told = {}
for name, one in asked["cases"].items():
    ids = asked["fail_to_pass"], asked["pass_to_pass"]
    spec = TestSpec(name, "", [], "", "", *ids, asked["parser"], "pass_and_fail")
    if asked["fail_to_pass"] is None:
        told[name] = get_logs_eval(spec, one["log"])[0]
        continue
    prediction = {"instance_id": name, "model_name_or_path": "x", "model_patch": one["patch"]}
    told[name] = get_eval_report(spec, prediction, one["log"], False)[name]["resolved"]
json.dump(told, open(sys.argv[2], "w"))
"""


def install_peer(scratch: Path) -> Path:
    python = scratch / "peer" / "bin" / "python"
    if not python.is_file():
        uv = str(Path(PYTHON).with_name("uv"))
        timed([uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(scratch / "peer")])
        timed([uv, "pip", "install", "--quiet", "--python", str(python), PEER])
    return python


class Peer:
    """Runs a patch as the peer would, and grades the logs with the peer's own code."""

    def __init__(self, place: TaskPlace, task: Task, scratch: Path, sandbox: Sandbox) -> None:
        assert task.workspace and task.environment
        self.place, self.task, self.scratch, self.sandbox = place, task, scratch, sandbox
        facts = task.candidate
        mirror = adapters.mirror(place.out, facts.repo, facts.url, facts.base_commit, facts.fix_commit)
        self.store = Store(mirror, scratch / "objects")
        self.language = adapters.language(facts.language)
        base, fix = task.workspace.base_tree, task.workspace.fix_tree
        tests, sources = select(self.store.changes(base, fix), self.language.decides_tests)
        self.base, self.gold = base, self.store.mix(base, sources)
        self.tests = self.store.diff(base, self.store.mix(base, tests))
        held = {entry.path for entry in self.store.entries(base)}
        self.files = [change.name for change in tests if change.name.endswith(".py")]
        self.old_files = [change.name for change in tests if change.path in held]

    def log(self, name: str, patch: bytes, tests: bytes) -> Path:
        """What the peer's container would have printed."""
        folder = self.scratch / "logs" / name
        folder.mkdir(parents=True)
        (folder / "patch.diff").write_bytes(patch)
        (folder / "tests.diff").write_bytes(tests)
        surroundings = self.language.surroundings(self.task.environment, self.sandbox)  # type: ignore[arg-type]
        script = SCRIPT.replace("FILES_OF_BASE", " ".join(self.old_files)).replace("FILES", " ".join(self.files))
        finished = self.sandbox.run(
            Command(
                argv=["bash", "-c", f"exec 2>&1\n{script}"],
                mounts=[
                    Mount(self.place.box, BOX, "overlay"),
                    Mount(folder, "/redgreen/peer"),
                    Mount(Path(str(shutil.which("patch"))), "/redgreen/patch"),
                    *surroundings.mounts,
                ],
                variables=surroundings.variables,
                limits=Limits(timeout_s=120),
                label=f"peer {name}",
            )
        )
        words = finished.stdout.decode(errors="replace")
        if finished.ended != "exited":
            words += "\n\nTimeout error: 120 seconds exceeded."
        (folder / "log.txt").write_text(words)
        return folder / "log.txt"

    def grade(self, python: Path, asked: dict[str, Any]) -> dict[str, Any]:
        question, answer, program = (self.scratch / name for name in ("asked.json", "told.json", "grade.py"))
        question.write_text(json.dumps({**asked, "parser": PARSER}))
        program.write_text(GRADE)
        timed([str(python), str(program), str(question), str(answer)])
        told: dict[str, Any] = json.loads(answer.read_text())
        return told


def required(peer: Peer, python: Path) -> tuple[list[str], list[str]]:
    """(FAIL_TO_PASS, PASS_TO_PASS) as the peer reads them from the human fix and from the base with the tests."""
    gold = peer.log("gold", peer.store.diff(peer.base, peer.gold), peer.tests)
    red = peer.log("red", b"", peer.tests)
    cases = {"gold": {"log": str(gold)}, "red": {"log": str(red)}}
    told = peer.grade(python, {"fail_to_pass": None, "pass_to_pass": None, "cases": cases})
    passed = {test for test, status in told["gold"].items() if status == "PASSED"}
    before = {test for test, status in told["red"].items() if status == "PASSED"}
    return sorted(passed - before), sorted(passed & before)


def right(case: Case, resolved: bool) -> bool:
    return resolved == (case.right in ("fixed", "leak"))


@click.command(help=__doc__)
@click.argument("folder", default="out/selftest", type=click.Path(path_type=Path))
@click.option("--scratch", type=click.Path(path_type=Path), help="Keep the scratch work here.")
def main(folder: Path, scratch: Path | None) -> None:
    with errors.reported(), scratch_folder(scratch) as work:
        ours = {told.id: told for told in load(folder / "selftest.json", Selftest).results}
        place = task_place(folder / "tasks" / TASK)
        task = load(place.document("accept"), Task)
        peer = Peer(place, task, work, adapters.sandbox("auto", "python", place.out))
        python = install_peer(work)
        fail_to_pass, pass_to_pass = required(peer, python)
        print(
            f"{PEER} reads {len(fail_to_pass)} FAIL_TO_PASS and {len(pass_to_pass)} PASS_TO_PASS ids", file=sys.stderr
        )
        cases = [case for case in attempts(read_corpus(ROOT / "tasks" / "selftest")[PROJECT]) if not case.commands]
        asked: dict[str, Any] = {"fail_to_pass": fail_to_pass, "pass_to_pass": pass_to_pass, "cases": {}}
        for case in cases:
            patch = patch_of(case, peer.store, peer.base, peer.gold)
            log = peer.log(case.id, patch, peer.tests)
            asked["cases"][case.id] = {"log": str(log), "patch": patch.decode(errors="replace")}
            print(f"peer {case.id}", file=sys.stderr, flush=True)
        told = peer.grade(python, asked)
        report(cases, ours, told, len(fail_to_pass), len(pass_to_pass))


def report(cases: list[Case], ours: dict[str, Any], told: dict[str, Any], failing: int, passing: int) -> None:
    table: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    rows = []
    for case in cases:
        pair = (ours[case.id].came_out == "right", right(case, told[case.id]))
        table[case.kind].append(pair)
        table["all"].append(pair)
        rows.append(
            {"id": case.id, "what": case.what, "right": case.right, "ours": pair[0], "peer_fixed": told[case.id]}
        )
    print(f"{'kind':<12}  tried  redgreen  {PEER}")
    for kind, pairs in table.items():
        print(f"{kind:<12}  {len(pairs):>5}  {sum(p[0] for p in pairs):>8}  {sum(p[1] for p in pairs):>15}")
    for case in cases:
        if not right(case, told[case.id]):
            print(f"peer wrong  {case.id}  {'fixed' if told[case.id] else 'not fixed'}  {case.what}")
    save(
        "peers_on_corpus",
        ".venv/bin/python bench/peers_on_corpus.py OUT/selftest",
        machine(),
        {
            "peer": PEER,
            "peer_reads": {"fail_to_pass": failing, "pass_to_pass": passing},
            "cases": rows,
            "right_ours_peers_tried": {
                kind: [sum(p[0] for p in pairs), sum(p[1] for p in pairs), len(pairs)] for kind, pairs in table.items()
            },
        },
    )


if __name__ == "__main__":
    main()
