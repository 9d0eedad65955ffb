"""One example of each document, built by the models themselves: `schemas/<name>.example.json`."""

from __future__ import annotations

from redgreen.documents import (
    AgentSpec,
    AgentStats,
    Attempt,
    Candidate,
    CandidateFacts,
    Case,
    CaseResult,
    Corpus,
    Environment,
    EnvironmentFacts,
    Lock,
    MadeBy,
    ModelScript,
    Package,
    Pointer,
    PriceSpec,
    Rate,
    Record,
    Report,
    Run,
    RunSpec,
    Runtime,
    Score,
    ScriptedReply,
    Selftest,
    SetSpec,
    Statement,
    Stats,
    SuiteDigest,
    Task,
    Usage,
    Verified,
    Workspace,
    WorkspaceFacts,
)

ID = "demo__slugify-7"
A, B, C = "a" * 40, "b" * 40, "c" * 40
D = "d" * 64
NEW, OLD = "tests/test_slug.py::test_keeps_digits", "tests/test_slug.py::test_joins_words"


def made(stage: str, *inputs: str) -> MadeBy:
    return MadeBy(stage=stage, inputs=dict.fromkeys(inputs, D), image=f"sha256:{D}", sandbox="podman", flake_lock=D)


FACTS = CandidateFacts(
    id=ID,
    repo="demo/slugify",
    url="demo:slugify",
    language="python",
    pull=7,
    issues=(5,),
    commit=B,
    base_commit=A,
    fix_commit=B,
    merged_at="2026-03-02T09:00:00Z",
    licence="MIT",
    test_files=("tests/test_slug.py",),
    source_files=("src/slugify/core.py",),
    statement=Statement(source="issue", sha256=D),
)
WORKSPACE = WorkspaceFacts(
    base_tree=A,
    tests_tree=B,
    fix_tree=C,
    source_half=D,
    test_half=D,
    version_hint="1.4.0",
    submodules=(),
    lfs_pointers=(),
)
ENVIRONMENT = EnvironmentFacts(
    runtime=Runtime(name="cpython", version="3.13.0"),
    manager="pip",
    runner="pytest",
    inputs=("pyproject.toml: extra test",),
    requirements=("pytest",),
    build_requirements=("setuptools>=68",),
    settings={"install_project": "editable"},
    variables={},
    exclude_newer="2026-03-02T09:00:00Z",
)
LOCK = Lock(sha256=D, packages=(Package(name="pytest", version="9.0.2"),))
RED = Run(ended="finished", exit_status=1, complete=True, canary="right", outcomes={NEW: "failed", OLD: "passed"})
GREEN = Run(ended="finished", exit_status=0, complete=True, canary="right", outcomes={NEW: "passed", OLD: "passed"})
VERIFIED = Verified(fail_to_pass=(NEW,), pass_to_pass=(OLD,), gold_exit_statuses=(0,), exit_agrees=True, canary="right")

EXAMPLES: dict[str, Record] = {
    "candidate": Candidate(id=ID, made_by=made("mine"), facts=FACTS),
    "workspace": Workspace(id=ID, made_by=made("materialize", "candidate.json"), facts=WORKSPACE),
    "environment": Environment(id=ID, made_by=made("install", "workspace.json"), facts=ENVIRONMENT, lock=LOCK),
    "report": Report(id=ID, made_by=made("green", "environment.json"), runs={"green": (GREEN, GREEN, GREEN)}),
    "task": Task(
        id=ID,
        made_by=made("accept", "green.json", "red.json"),
        candidate=FACTS,
        workspace=WORKSPACE,
        environment=ENVIRONMENT,
        lock=LOCK,
        task=VERIFIED,
    ),
    "attempt": Attempt(
        id=ID,
        made_by=made("run", "accept.json"),
        agent="oracle",
        attempt=1,
        patch=D,
        patch_bytes=612,
        stopped="done",
        usage=Usage(turns=0),
    ),
    "score": Score(
        id=ID,
        made_by=made("score", "accept.json", "attempt.json"),
        agent="oracle",
        attempt=1,
        status="ok",
        resolved=True,
        why="every required test passed",
        applied="strict",
        fail_to_pass={NEW: "passed"},
        pass_to_pass_count=1,
        run=GREEN,
    ),
    "stats": Stats(
        made_by=made("stats"),
        set="demo",
        run="demo",
        tasks=1,
        rejected={"not_red": 1},
        agents=(
            AgentStats(
                agent="oracle",
                model=None,
                fixed=Rate(successes=1, trials=1, rate=1.0, low=0.2065, high=1.0),
                fixed_of_all=Rate(successes=1, trials=1, rate=1.0, low=0.2065, high=1.0),
                tasks=1,
                excluded={},
                statuses={"ok": 1},
                tampered=0,
            ),
        ),
        notes=("1 task: the interval says little",),
    ),
    "pointer": Pointer(
        candidate=FACTS,
        workspace=WORKSPACE,
        environment=ENVIRONMENT,
        lock=D,
        fail_to_pass=(NEW,),
        pass_to_pass={"tests/test_slug.py": SuiteDigest(count=1, sha256=D)},
        gold_exit_statuses=(0,),
    ),
    "setspec": SetSpec(source="mirror", repos=("owner/name",), limit=20, since="2024-01-01"),
    "runspec": RunSpec(
        agents=(
            AgentSpec(name="oracle", kind="oracle"),
            AgentSpec(name="typist", kind="scripted", commands={"*": ("sed -i s/a/b/ src/slugify/core.py",)}),
        )
    ),
    "modelscript": ModelScript(
        replies={
            "*": (ScriptedReply(text="I look around.\n\n```sh\nls\n```\n"), ScriptedReply(text="```sh\nsubmit\n```\n"))
        },
        price=PriceSpec(prompt=1.0, completion=5.0),
    ),
    "corpus": Corpus(
        cases=(
            Case(
                id="A01",
                kind="pytest",
                what="a conftest.py says that every test passed",
                right="tampered",
                files={"conftest.py": "..."},
                tampered=("conftest.py",),
            ),
        )
    ),
    "selftest": Selftest(
        made_by=made("selftest"),
        results=(
            CaseResult(
                id="A01",
                kind="pytest",
                project="greeter",
                what="a conftest.py says that every test passed",
                right="tampered",
                came_out="right",
                detail="ok, not fixed: fail_to_pass: failed; tampered: conftest.py",
            ),
        ),
    ),
}
