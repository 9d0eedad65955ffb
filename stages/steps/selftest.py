"""What stages/selftest.py does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import yaml

import adapters
from adapters.sources.demo import Project
from redgreen.contract import ROOT, load, made_by, sha256, write, write_bytes
from redgreen.corpus import attempts, judged, patch_of, read_corpus
from redgreen.documents import (
    AgentSpec,
    Attempt,
    Budgets,
    Case,
    CaseResult,
    Corpus,
    Limit,
    RunSpec,
    Score,
    Selftest,
    Task,
)
from redgreen.errors import InfrastructureError, UsageError
from redgreen.git import Store, select
from redgreen.places import TaskPlace, task_place
from redgreen.stage import say
from stages.steps.verify import run_stage

CORPUS = ROOT / "tasks" / "selftest"
RUN = "selftest"
MINUTES = 5


def result(case: Case, project: str, faults: Sequence[str], seen: str) -> CaseResult:
    return CaseResult(
        id=case.id,
        kind=case.kind,
        project=project,
        what=case.what,
        right=case.right,
        came_out="wrong" if faults else "right",
        detail="; ".join(faults) or seen,
    )


def hand_in(case: Case, task: Task, place: TaskPlace, folder: Path, sandbox: str) -> str | None:
    """Write the attempt: a patch as it is, or what commands leave behind in a workspace. The fault, if there is one."""
    assert task.workspace
    if case.commands:
        agent = AgentSpec(name=folder.name.rpartition("-")[0], kind="scripted", commands={"*": case.commands})
        spec = RunSpec(agents=(agent,), budgets=Budgets(attempt=Limit(minutes=MINUTES))).model_dump(mode="json")
        write_bytes(folder / "spec.yaml", yaml.safe_dump(spec).encode())
        script = str(ROOT / "stages" / "run.py")
        return run_stage([script, "--spec", str(folder / "spec.yaml"), str(folder)], sandbox)
    facts = task.candidate
    store = Store(adapters.mirror(place.out, facts.repo, facts.url, facts.base_commit, facts.fix_commit), place.objects)
    base, fix = task.workspace.base_tree, task.workspace.fix_tree
    _, sources = select(store.changes(base, fix), adapters.language(facts.language).decides_tests)
    patch = patch_of(case, store, base, store.mix(base, sources))
    write_bytes(folder / "patch.diff", patch)
    write(
        folder / "attempt.json",
        Attempt(
            id=task.id,
            made_by=made_by("run", [place.document("accept")]),
            agent=folder.name.rpartition("-")[0],
            attempt=1,
            patch=sha256(patch),
            patch_bytes=len(patch),
            stopped="done",
        ),
    )
    return None


def try_case(one: Try, sandbox: str) -> CaseResult:
    started = time.monotonic()
    case, project, task, place = one.case, one.project, one.task, one.place
    folder = place.set_folder / "runs" / RUN / task.id / f"{case.id.lower()}-1"
    fault = hand_in(case, task, place, folder, sandbox)
    fault = fault or run_stage([str(ROOT / "stages" / "score.py"), str(folder)], sandbox)
    if fault:
        told = result(case, project, [fault], "")
    else:
        score = load(folder / "score.json", Score)
        seen = f"{score.status}, {'fixed' if score.resolved else 'not fixed'}: {score.why}"
        flags = [*(f"tampered {path}" for path in score.tampered), *score.suspicious, *score.leaks]
        seen += f" [{'; '.join(flags)}]" if flags else ""
        told = result(case, project, judged(case, score), seen)
    say("selftest", f"{project}/{case.id}", f"{told.came_out}: {told.detail}"[:300], started)
    return told


def gate_faults(about: Project, task: Task) -> list[str]:
    """What the gate made of a project otherwise than its project.yaml says."""
    want = about.about.expect
    verdict = task.rejection.reason if task.rejection else "accepted"
    faults = [] if verdict == want.verdict else [f"{verdict}, not {want.verdict}: {task.rejection}"]
    if task.task and want.fail_to_pass and set(want.fail_to_pass) != set(task.task.fail_to_pass):
        faults.append(f"fail_to_pass is {task.task.fail_to_pass}")
    if task.task and set(want.flaky) - set(task.task.flaky):
        faults.append(f"not seen as flaky: {sorted(set(want.flaky) - set(task.task.flaky))}")
    return faults


@dataclass(frozen=True)
class Try:
    case: Case
    project: str
    task: Task
    place: TaskPlace


def plan(project: str, corpus: Corpus, folder: Path, chosen: Collection[str]) -> tuple[list[CaseResult], list[Try]]:
    """(what the gate made of a project, or that its task is not there; what to try on it)."""
    about = Project(CORPUS / project)
    place = task_place(folder / "tasks" / f"{about.repo.replace('/', '__')}-{about.about.pull}")
    gate = [case for case in corpus.gate if wanted(case.id, chosen)]
    tries = [case for case in attempts(corpus) if wanted(case.id, chosen)]
    if not place.document("accept").is_file():
        why = "its task is not there: make tasks SET=selftest, or no toolchain here"
        absent = [result(case, project, [], why) for case in [*gate, *tries]]
        return [told.model_copy(update={"came_out": "skipped"}) for told in absent], []
    task = load(place.document("accept"), Task)
    verdict = f"rejected: {task.rejection.reason}" if task.rejection else "accepted"
    results = [result(case, project, gate_faults(about, task), verdict) for case in gate]
    if tries and not task.task:
        raise UsageError(f"{project}: has cases to try and was rejected: {task.rejection}", "mend the project")
    return results, [Try(case, project, task, place) for case in tries]


def wanted(name: str, chosen: Collection[str]) -> bool:
    return not chosen or any(re.fullmatch(rf"{re.escape(one)}([a-z]?(\..*)?)", name) for one in chosen)


def unit_results(cases: Sequence[Case]) -> list[CaseResult]:
    """The cases that a test of ours stands for, by one run of pytest."""
    if not cases:
        return []
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "report.xml")
        names = sorted({str(case.test) for case in cases})
        command = [sys.executable, "-m", "pytest", "-q", f"--junit-xml={report}", "-o", "junit_family=xunit1", *names]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if not report.is_file():
            raise InfrastructureError(f"pytest did not run: {done.stdout.strip()[-300:]}", "run it by hand")
        outcomes = _outcomes(report)
    found = []
    for case in cases:
        seen = [said for name, said in outcomes.items() if name == case.test or name.startswith(f"{case.test}[")]
        faults = [] if seen and set(seen) <= {"passed", "skipped"} else [f"{case.test}: {seen or 'no such test'}"]
        told = result(case, "", faults, f"{case.test}")
        skipped = bool(seen) and set(seen) == {"skipped"}
        found.append(told.model_copy(update={"came_out": "skipped"}) if skipped else told)
    return found


def _outcomes(report: Path) -> dict[str, str]:
    """Test, as pytest names it -> what it came to."""
    outcomes = {}
    for case in ElementTree.parse(report).iter("testcase"):
        said = {child.tag for child in case} & {"failure", "error", "skipped"}
        outcomes[f"{case.get('file')}::{case.get('name')}"] = min(said) if said else "passed"
    return outcomes


def perform(folder: Path, chosen: tuple[str, ...], projects: tuple[str, ...], jobs: int, sandbox: str) -> None:
    corpora = read_corpus(CORPUS)
    units = corpora.pop("", Corpus()).cases
    unknown = set(projects) - set(corpora)
    if unknown:
        raise UsageError(f"{min(unknown)}: no such project", f"one of: {', '.join(corpora)}")
    picked = {name: corpus for name, corpus in corpora.items() if not projects or name in projects}
    results = [] if projects else unit_results([case for case in units if wanted(case.id, chosen)])
    tries: list[Try] = []
    for project, corpus in picked.items():
        told, more = plan(project, corpus, folder.resolve(), chosen)
        results += told
        tries += more
    with ThreadPoolExecutor(jobs) as pool:
        results += pool.map(lambda one: try_case(one, sandbox), tries)
    if not results:
        raise UsageError(f"{', '.join(chosen)}: no such case", "tasks/selftest/*/cases.yaml lists them")
    document = Selftest(made_by=made_by("selftest"), results=tuple(sorted(results, key=lambda told: told.id)))
    write(folder / "selftest.json", document)
    report(document.results)


def report(results: Sequence[CaseResult]) -> None:
    table: dict[str, list[str]] = defaultdict(list)
    for told in results:
        table[told.kind].append(told.came_out)
    width = max(len(kind) for kind in [*table, "kind"])
    print(f"{'kind':<{width}}  tried  right  skipped")
    rows = {**dict(sorted(table.items())), "all": [str(told.came_out) for told in results]}
    for kind, outcomes in rows.items():
        counts = [len(outcomes) - outcomes.count("skipped"), outcomes.count("right"), outcomes.count("skipped")]
        print(f"{kind:<{width}}  {counts[0]:>5}  {counts[1]:>5}  {counts[2]:>7}")
    for told in results:
        if told.came_out != "right":
            print(f"{told.came_out.upper()} {told.id} ({told.project or 'unit'}): {told.what}: {told.detail}")
    wrong = [told for told in results if told.came_out == "wrong"]
    skipped = [told for told in results if told.came_out == "skipped"]
    if wrong or (skipped and os.environ.get("CI")):
        named = "; ".join(f"{told.id} ({told.project or 'unit'}): {told.detail}" for told in wrong)
        raise InfrastructureError(
            f"{len(wrong)} cases came out wrong, {len(skipped)} were skipped{f': {named}' if named else ''}",
            "a wrong verdict: mend it before anything",
        )
