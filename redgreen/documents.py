"""The documents that stages exchange, as frozen pydantic models.

`python -m redgreen.schemas` writes one JSON Schema and one example for each into `schemas/`; a test holds them equal.
Every document is an answer: a stage that finds out that a candidate cannot become a task writes that down as well
(`status: failed`, `runs: []` with a `failure`) and the next stages pass it on, so that Make sees a finished target.
Units stand in the names (`seconds`, `usd`, `bytes`); digests are lower-case sha256 in hex; dates are ISO 8601 in UTC.
"""

from __future__ import annotations

import os
from typing import Annotated, Literal

# nobody's plug-in may change what a document is; looking for some takes a tenth of a stage's start
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints

SCHEMA_VERSION: Literal[1] = 1

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
GitObject = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
TaskId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]+__[A-Za-z0-9._-]+$", max_length=200)]
Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$")]

Date = Annotated[str, StringConstraints(pattern=r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$")]

Outcome = Literal["passed", "failed", "error", "skipped", "xfailed", "xpassed"]
Reason = Literal[
    "install_failed",
    "baseline_broken",
    "not_red",
    "not_green",
    "flaky",
    "no_tests_ran",
    "patch_conflict",
    "timeout",
    "unsupported",
    "licence",
    "misaligned",
]


class Record(BaseModel):
    """A part of a document. Unknown keys are refused, values never change."""

    # built when first used: a stage uses a few of them
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class MadeBy(Record):
    """Where a document comes from: enough to make it again."""

    stage: str
    inputs: dict[str, Sha256] = Field(default_factory=dict, description="file name -> sha256 of each input document")
    image: str | None = Field(None, description="digest of the container image, or null outside a container")
    sandbox: str | None = Field(None, description="which sandbox ran untrusted code: podman or process")
    flake_lock: Sha256 | None = Field(None, description="sha256 of flake.lock")


class Document(Record):
    schema_version: Literal[1] = SCHEMA_VERSION
    made_by: MadeBy


class Statement(Record):
    """What an agent is told. The text itself lies beside the document as statement.md, never in the repository."""

    source: Literal["issue", "pull_request", "commit"]
    sha256: Sha256


class CandidateFacts(Record):
    """A merged fix that might become a task: what a source adapter yields."""

    id: TaskId
    repo: str = Field(description="owner/name")
    url: str = Field(description="what git can clone; a path only for local repositories")
    language: str
    pull: int | None = None
    issues: tuple[int, ...] = ()
    commit: GitObject = Field(description="what arrived on the main line: a merge, or the fix itself")
    base_commit: GitObject = Field(description="where the fix's branch left, or the first parent of a squash")
    fix_commit: GitObject = Field(description="the last commit of the fix's branch, or the squash")
    merged_at: Day = Field(description="when the fix was merged (committer date where only git is known)")
    licence: str | None = Field(None, description="SPDX id of the project's licence at the base commit")
    test_files: tuple[str, ...] = Field(description="changed files that decide or are tests")
    source_files: tuple[str, ...] = Field(description="changed files that are neither tests nor decide them")
    statement: Statement


class Failure(Record):
    """Why a candidate goes no further. `detail` is one line for a person; it holds no time and no path."""

    stage: str
    reason: Reason
    detail: str


class Candidate(Document):
    """Written by mine. A `failure` here is a fix that the set's own rules exclude, such as its licence."""

    id: TaskId
    facts: CandidateFacts
    failure: Failure | None = None


class WorkspaceFacts(Record):
    base_tree: GitObject
    tests_tree: GitObject = Field(description="base with the test half of the fix")
    fix_tree: GitObject
    source_half: Sha256 = Field(description="digest of the fix's changes to source files")
    test_half: Sha256 = Field(description="digest of the fix's changes to test files")
    version_hint: str | None = Field(None, description="newest tag's version, for builds that ask git")
    submodules: tuple[str, ...] = ()
    lfs_pointers: tuple[str, ...] = ()


class Workspace(Document):
    """Written by materialize: the base as a plain folder, byte for byte as git holds it."""

    id: TaskId
    facts: WorkspaceFacts | None = None
    failure: Failure | None = None


class Runtime(Record):
    name: str
    version: str


class Package(Record):
    name: str
    version: str


class Lock(Record):
    """`sha256` is that of the lock file's bytes (`lock.txt` beside the document): every dependency with its hashes."""

    sha256: Sha256
    packages: tuple[Package, ...]


class EnvironmentFacts(Record):
    """What a language found in a tree, and how it will install and run it."""

    runtime: Runtime
    manager: str = Field(description="package manager that the project uses")
    runner: str
    inputs: tuple[str, ...] = Field(description="where the requirements came from, e.g. `pyproject.toml: group test`")
    requirements: tuple[str, ...] = Field(description="what is resolved, in the ecosystem's own notation")
    build_requirements: tuple[str, ...] = ()
    settings: dict[str, str] = Field(default_factory=dict, description="the language's own: editable, config file, ...")
    variables: dict[str, str] = Field(default_factory=dict, description="environment variables of install and runs")
    exclude_newer: Day


class Environment(Document):
    """Written by install."""

    id: TaskId
    facts: EnvironmentFacts | None = None
    lock: Lock | None = None
    failure: Failure | None = None


class Run(Record):
    """One run of the suite. `outcomes` holds every test that reported; what is not there did not run."""

    ended: Literal["finished", "timeout", "crashed", "no_report", "out_of_memory"]
    exit_status: int | None
    complete: bool = Field(
        description="the runner said itself that it had reached the end, with every test accounted for"
    )
    canary: Literal["right", "wrong", "absent"] = Field(
        "absent",
        description="tests of ours among the suite: the one that must fail failed, the one that must pass passed",
    )
    collection_errors: tuple[str, ...] = Field((), description="ids of files or suites that could not be loaded")
    outcomes: dict[str, Outcome]

    @property
    def exit_agrees(self) -> bool:
        """Whether the exit status says the same as the outcomes: 0 without any failure, else not 0."""
        clean = not self.collection_errors and not {"failed", "error"} & set(self.outcomes.values())
        return self.exit_status is not None and clean == (self.exit_status == 0)


class Report(Document):
    """Written by red (`runs` holds base and red) and by green."""

    id: TaskId
    runs: dict[Literal["base", "red", "green"], tuple[Run, ...]] = Field(default_factory=dict)
    changed_tests: tuple[str, ...] = Field(
        (), description="red: of the tests that passed on the base and could not be loaded, those that the fix changes"
    )
    untouched: tuple[str, ...] | None = Field(
        None,
        description="green: tests of the changed test files that run no changed line of the fix; null: nobody can tell",
    )
    leaks: tuple[str, ...] = Field((), description="green: where the fix lies in reach of an agent, in words")
    failure: Failure | None = None


class Verified(Record):
    """What the gate proved about an accepted task."""

    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    flaky: tuple[str, ...] = ()
    gold_exit_statuses: tuple[int, ...] = Field(description="exit statuses of the green runs, each once")
    exit_agrees: bool = Field(description="whether the green runs' exit status agreed with their outcomes")
    canary: Literal["right", "absent"] = Field("absent", description="as in every green run")
    broken: tuple[str, ...] = Field((), description="ids of files or suites that a green run could not load")
    untouched: tuple[str, ...] | None = Field(
        None, description="of fail_to_pass, those that run no line that the fix changes; null: nobody can tell"
    )
    leaks: tuple[str, ...] = Field((), description="where the fix lies in reach of an agent, in words")


class Task(Document):
    """Written by accept: a task, or a rejection that says which stage refused it and why. Exactly one of the two."""

    id: TaskId
    candidate: CandidateFacts
    workspace: WorkspaceFacts | None = None
    environment: EnvironmentFacts | None = None
    lock: Lock | None = None
    task: Verified | None = None
    rejection: Failure | None = None


class Usage(Record):
    """What an attempt consumed. Null is unknown, 0 is none."""

    turns: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = Field(None, description="part of prompt_tokens")
    reasoning_tokens: int | None = Field(None, description="part of completion_tokens")
    cost_usd: float | None = None
    prices: str | None = Field(None, description="the list that cost_usd is from, with its version")
    retries: int = 0


class Attempt(Document):
    """Written by run: an agent's patch and how it came about. `patch.diff` lies beside it."""

    id: TaskId
    agent: str
    model: str | None = None
    attempt: int = Field(ge=1)
    settings: dict[str, str] = Field(default_factory=dict)
    patch: Sha256
    patch_bytes: int
    stopped: Literal["done", "turns", "time", "budget", "context", "refusal", "model_error", "infra"]
    usage: Usage = Usage()
    fault: str | None = Field(
        None, description="name in redgreen/faults.py, where something else than the agent ended it"
    )
    failure: str | None = None


class Score(Document):
    """Written by score. `tests` holds every required test that did not genuinely pass."""

    id: TaskId
    agent: str
    model: str | None = None
    attempt: int
    status: Literal["ok", "timeout", "patch_apply_failed", "infra_error"]
    resolved: bool
    why: str = Field(description="one line: what decided")
    applied: Literal["empty", "strict", "fuzzy", "failed"]
    fail_to_pass: dict[str, Outcome | Literal["missing"]]
    pass_to_pass_missed: dict[str, Outcome | Literal["missing"]] = Field(default_factory=dict)
    pass_to_pass_count: int
    tampered: tuple[str, ...] = Field((), description="files that decide tests and that the patch also changed")
    suspicious: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    run: Run | None = None


class Rate(Record):
    """A share with its Wilson 95 % interval (Wilson 1927), by statsmodels' proportion_confint."""

    successes: int
    trials: int
    rate: float | None
    low: float | None
    high: float | None


class AgentStats(Record):
    agent: str
    model: str | None
    fixed: Rate = Field(description="over scored attempts: infra_error is excluded")
    fixed_of_all: Rate = Field(description="over all attempts, infra_error counted as not fixed")
    tasks: int
    excluded: dict[str, int] = Field(description="status -> attempts left out of `fixed`")
    statuses: dict[str, int]
    tampered: int
    cost_usd: float | None = None


class Stats(Document):
    """Written by stats."""

    set: str
    run: str
    tasks: int
    rejected: dict[str, int]
    agents: tuple[AgentStats, ...]
    notes: tuple[str, ...] = Field(description="in words: what these numbers cannot tell")


class SuiteDigest(Record):
    """The pass_to_pass ids of one file: how many, and sha256 of their sorted lines (each id, then a newline)."""

    count: int
    sha256: Sha256


class Pointer(Record):
    """One public task in `tasks/<version>/<id>.json`: a pointer into a public history, and facts; no content.

    The lock is stored once per content as `locks/<first 16 of its sha256>.txt`.
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    candidate: CandidateFacts
    workspace: WorkspaceFacts
    environment: EnvironmentFacts
    lock: Sha256
    fail_to_pass: tuple[str, ...]
    pass_to_pass: dict[str, SuiteDigest] = Field(description="by test file")
    flaky: tuple[str, ...] = ()
    gold_exit_statuses: tuple[int, ...]


class SetSpec(Record):
    """How the candidates of a set are found: `tasks/<set>/set.yaml`, or made from Make's variables."""

    schema_version: Literal[1] = SCHEMA_VERSION
    source: Literal["demo", "mirror", "github", "pointers"]
    repos: tuple[str, ...] = Field((), description="owner/name, URL or path of each repository")
    limit: int | None = Field(None, ge=1, description="candidates per repository, newest first")
    since: Date | None = Field(None, description="first day of the merge, YYYY-MM-DD")
    until: Date | None = Field(None, description="last day of the merge, YYYY-MM-DD")
    licences: tuple[str, ...] = Field((), description="SPDX ids allowed; empty: every known one that is not copyleft")
    max_source_files: int = 10
    max_changed_lines: int = 1000
    paths: tuple[str, ...] = Field((), description="keep fixes that change a file matching one of these globs")
    pulls: tuple[int, ...] = Field((), description="only these pull requests")
    commits: tuple[str, ...] = Field((), description="only these fix commits (a prefix of 7 or more)")
    sample: int | None = Field(None, ge=1, description="keep this many, by the order of sha256(seed:id)")
    seed: str = "0"


class Limit(Record):
    """What may be spent; null is no limit. A turn is one call of the model."""

    usd: float | None = Field(None, ge=0)
    tokens: int | None = Field(None, ge=0, description="prompt and completion together")
    turns: int | None = Field(None, ge=0)
    minutes: float | None = Field(None, gt=0)


class Budgets(Record):
    attempt: Limit = Limit(turns=40, minutes=15)
    run: Limit = Limit()
    total: Limit = Field(Limit(), description="of all runs under one OUT")


class PriceSpec(Record):
    """US dollars a million tokens, where the price list does not know the model (or for a server of one's own: 0)."""

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)
    cached: float | None = Field(None, ge=0, description="for prompt tokens that the service had cached")


class AgentSpec(Record):
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")
    kind: str = Field(description="a registered agent: oracle, empty, scripted, shell, ...")
    model: str | None = Field(
        None, description="LiteLLM's name of it (openai/..., anthropic/..., ollama/...), or scripted/<name>"
    )
    api_base: str | None = Field(None, description="address of an OpenAI-compatible server")
    price: PriceSpec | None = None
    settings: dict[str, str] = Field(default_factory=dict)
    commands: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="scripted: task id (or *) -> shell commands run in the workspace"
    )
    patches: dict[str, str] = Field(default_factory=dict, description="scripted: task id (or *) -> a diff")


class RunSpec(Record):
    """`runs/<name>.yaml`: who tries what, how often."""

    schema_version: Literal[1] = SCHEMA_VERSION
    agents: tuple[AgentSpec, ...] = Field(min_length=1)
    repeats: int = Field(1, ge=1)
    budgets: Budgets = Budgets()
    temperature: float | None = Field(None, ge=0, description="null: the service's own default")
    seed: int | None = Field(None, description="passed on to services that take one")
    reply_tokens: int = Field(4096, ge=1, description="the longest answer that is asked for")
    tasks: tuple[TaskId, ...] = Field((), description="only these tasks of the set")
    sample: int | None = Field(None, ge=1, description="only so many tasks, by the order of sha256(sample_seed:id)")
    sample_seed: str = "0"


class ScriptedFault(Record):
    """What a service would say instead of an answer."""

    status: int | None = None
    said: str
    wait_s: float | None = None


class ScriptedReply(Record):
    text: str = ""
    calls: tuple[tuple[str, dict[str, JsonValue]], ...] = Field((), description="tool calls: name, arguments")
    finish: str = "stop"
    fault: ScriptedFault | None = None


class ModelScript(Record):
    """`runs/models/<name>.yaml`: the model scripted/<name>. Its tokens are a quarter of its bytes."""

    schema_version: Literal[1] = SCHEMA_VERSION
    replies: dict[str, tuple[ScriptedReply, ...]] = Field(
        description="task id (or *) -> what it answers, one after another; then its last answer again and again"
    )
    price: PriceSpec | None = None


Right = Literal["fixed", "not_fixed", "tampered", "suspicious", "leak", "infra", "does_not_apply", "gate", "unit"]


class Case(Record):
    """One way in which a verdict goes wrong, as a patch or as what an agent does, with the verdict that is right.

    The patch is the difference that `files`, `links` and `delete` make on the base (on top of the human fix, if `fix`),
    or `patch`, in which `{gold}` stands for the human fix as a diff. With `commands` it is what these leave behind.
    """

    id: str = Field(
        pattern=r"^[A-Z]\d{2,3}[a-z]?(\.[a-z0-9-]+)?$", description="number in the list of known cases, or a kin's"
    )
    kind: str
    what: str = Field(description="one line, in words")
    right: Right
    fix: bool = False
    files: dict[str, str] = Field(default_factory=dict, description="path -> text")
    executable: tuple[str, ...] = Field((), description="of `files`, those with mode 755")
    links: dict[str, str] = Field(default_factory=dict, description="path -> target")
    delete: tuple[str, ...] = ()
    replace: dict[str, dict[str, str]] = Field(default_factory=dict, description="path -> text there -> text instead")
    patch: str | None = None
    patch_base64: str | None = None
    transform: Literal["crlf", "no_final_newline", "stripped_context", "fenced", "in_prose"] | None = Field(
        None, description="what happened to the patch on its way"
    )
    commands: tuple[str, ...] = ()
    tampered: tuple[str, ...] = Field((), description="paths that have to be named as tampered with")
    suspicious: str | None = Field(None, description="text that one of the suspicions has to hold")
    why: str | None = Field(None, description="text that the score's reason has to hold")
    also_with_fix: bool = Field(
        True, description="tampered: the same beside the human fix has to be fixed, and flagged all the same"
    )
    test: str | None = Field(None, description="unit: the test that stands for it, as pytest names it")
    because: str | None = Field(None, description="unit: why it is no attempt")


class Corpus(Record):
    """`tasks/selftest/<project>/cases.yaml`, and `tasks/selftest/cases.yaml` for what a test of ours stands for."""

    schema_version: Literal[1] = SCHEMA_VERSION
    gate: tuple[Case, ...] = Field((), description="what the gate has to make of the project, as its project.yaml says")
    cases: tuple[Case, ...] = ()


class CaseResult(Record):
    id: str
    kind: str
    project: str
    what: str
    right: Right
    came_out: Literal["right", "wrong", "skipped"]
    detail: str = Field(description="what was seen, in one line")


class Selftest(Document):
    """Written by selftest."""

    results: tuple[CaseResult, ...]


DOCUMENTS: dict[str, type[Record]] = {
    "candidate": Candidate,
    "workspace": Workspace,
    "environment": Environment,
    "report": Report,
    "task": Task,
    "attempt": Attempt,
    "score": Score,
    "stats": Stats,
    "pointer": Pointer,
    "setspec": SetSpec,
    "runspec": RunSpec,
    "modelscript": ModelScript,
    "corpus": Corpus,
    "selftest": Selftest,
}
