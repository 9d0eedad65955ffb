"""What stages/run.py does."""

from __future__ import annotations

import json
import time
from pathlib import Path

import adapters
from redgreen.agent import Assignment, Work
from redgreen.contract import load_yaml, made_by, sha256, write, write_bytes
from redgreen.documents import AgentSpec, Attempt, RunSpec, Task
from redgreen.errors import UsageError
from redgreen.gateway import Gateway
from redgreen.git import Store, select
from redgreen.inputs import load_of, need_folder, read_part
from redgreen.ledger import Ledger
from redgreen.places import TaskPlace, attempt_task
from redgreen.sandbox import Sandbox
from redgreen.stage import say
from redgreen.workspace_patch import workspace_patch

UNLIMITED_MINUTES = 24 * 60


def gold_patch(store: Store, task: Task) -> bytes:
    """The source half of the fix: what a perfect agent would hand in."""
    assert task.workspace
    language = adapters.language(task.candidate.language)
    _, sources = select(store.changes(task.workspace.base_tree, task.workspace.fix_tree), language.decides_tests)
    return store.diff(task.workspace.base_tree, store.mix(task.workspace.base_tree, sources))


def attempt(
    task: Task, spec: AgentSpec, place: TaskPlace, folder: Path, sandbox: Sandbox, limits: RunSpec
) -> tuple[bytes, Work]:
    """The patch and how it came about."""
    assert task.workspace and task.environment
    agent = adapters.agent(spec.kind)
    gateway = gateway_of(task, spec, place, folder, limits) if agent.needs_model else None
    facts = task.candidate
    language = adapters.language(facts.language)
    statement = read_part(place.folder / "statement.md", facts.statement.sha256, "candidates.jsonl")
    store = Store(adapters.mirror(place.out, facts.repo, facts.url, facts.base_commit), place.objects)
    upper = folder / "upper"
    for stale in (upper, upper.with_name("upper.work")):
        sandbox.remove(stale)
    if agent.needs_workspace:
        upper.mkdir(parents=True)
        sandbox.own(upper)
    try:
        work = agent.attempt(
            Assignment(
                id=task.id,
                statement=statement.decode(),
                spec=spec,
                environment=task.environment,
                surroundings=language.surroundings(task.environment, sandbox),
                box=place.box,
                upper=upper,
                sandbox=sandbox,
                timeout_s=(limits.budgets.attempt.minutes or UNLIMITED_MINUTES) * 60,
                leaves_behind=language.leaves_behind,
                gateway=gateway,
                reply_tokens=limits.reply_tokens,
                temperature=limits.temperature,
                seed=limits.seed,
                number=int(folder.name.rpartition("-")[2]),
                gold_patch=gold_patch(store, task) if agent.needs_gold else b"",
            )
        )
        patch = work.patch if work.patch is not None or agent.needs_workspace else b""
        if patch is None:
            patch = workspace_patch(
                store,
                task.workspace.base_tree,
                box_tree=place.box / "tree",
                upper_tree=upper / "tree",
                leaves_behind=language.leaves_behind,
            )
    finally:
        sandbox.remove(upper)
        sandbox.remove(upper.with_name("upper.work"))
    return patch, work


def gateway_of(task: Task, spec: AgentSpec, place: TaskPlace, folder: Path, limits: RunSpec) -> Gateway:
    """Raises:
    UsageError: no such model, or a budget that cannot be kept.
    """
    ledger = Ledger(place.out / "spend.jsonl", f"{place.set_folder.name}/{folder.parents[1].name}")
    return Gateway(adapters.model(spec, task.id), str(spec.model), limits.budgets, ledger, folder / "calls.jsonl")


def find_agent(spec: RunSpec, folder: Path) -> AgentSpec:
    """The agent that the folder `<agent>-<n>` is named after."""
    name, _, number = folder.name.rpartition("-")
    for known in spec.agents:
        if known.name == name and number.isdigit() and 1 <= int(number) <= spec.repeats:
            return known
    raise UsageError(
        f"{folder.name}: no such attempt in this run",
        f"agents: {', '.join(a.name for a in spec.agents)}; 1 to {spec.repeats}",
    )


def perform(folder: Path, spec: Path, allow_process: bool, sandbox: str) -> None:
    started = time.monotonic()
    place = attempt_task(folder)
    run = load_yaml(spec, RunSpec)
    who = find_agent(run, folder)
    task = load_of(place, "accept", Task)
    if task.task is None:
        raise UsageError(f"{task.id}: was rejected, there is nothing to try", "see accept.json for the reason")
    need_folder(place.box, "install")
    box = adapters.sandbox(sandbox, task.candidate.language, place.out)
    if box.name == "process" and not adapters.agent(who.kind).trusted and not allow_process:
        raise UsageError(
            f"{who.kind}: an agent that is not ours, and no podman here", "install podman, or --allow-process"
        )
    patch, work = attempt(task, who, place, folder, box, run)
    write_bytes(folder / "patch.diff", patch)
    lines = "".join(json.dumps(turn, sort_keys=True) + "\n" for turn in work.trajectory)
    write_bytes(folder / "trajectory.jsonl", lines.encode())
    write_bytes(folder / "times.json", (json.dumps({"seconds": round(time.monotonic() - started, 3)}) + "\n").encode())
    write(
        folder / "attempt.json",
        Attempt(
            id=task.id,
            made_by=made_by("run", [place.document("accept")], box),
            agent=who.name,
            model=who.model,
            attempt=int(folder.name.rpartition("-")[2]),
            settings=who.settings,
            patch=sha256(patch),
            patch_bytes=len(patch),
            stopped=work.stopped,
            usage=work.usage,
            fault=work.fault,
            failure=work.failure,
        ),
    )
    say("run", f"{task.id}/{folder.name}", f"{work.stopped}, a patch of {len(patch)} bytes", started)
