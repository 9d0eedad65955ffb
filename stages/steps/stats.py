"""What stages/stats.py does."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from redgreen.contract import load, load_lines, made_by, write
from redgreen.documents import AgentStats, Candidate, Rate, Score, Stats, Task
from redgreen.errors import InfrastructureError, UsageError

FEW = 30


def rate(successes: int, trials: int) -> Rate:
    """A share with its 95 % interval by Wilson's score method; null where nothing was tried."""
    if trials == 0:
        return Rate(successes=0, trials=0, rate=None, low=None, high=None)
    from statsmodels.stats.proportion import proportion_confint  # takes a second to import

    low, high = proportion_confint(successes, trials, alpha=0.05, method="wilson")
    return Rate(
        successes=successes,
        trials=trials,
        rate=round(successes / trials, 6),
        low=round(float(low), 6),
        high=round(float(high), 6),
    )


def agent_stats(scores: Sequence[Score]) -> AgentStats:
    """One agent's numbers. Infrastructure's failures are no failures of the agent: excluded, and counted apart."""
    scored = [score for score in scores if score.status != "infra_error"]
    fixed = sum(score.resolved for score in scored)
    excluded = Counter(score.status for score in scores if score.status == "infra_error")
    return AgentStats(
        agent=scores[0].agent,
        model=scores[0].model,
        fixed=rate(fixed, len(scored)),
        fixed_of_all=rate(fixed, len(scores)),
        tasks=len({score.id for score in scores}),
        excluded=dict(excluded),
        statuses=dict(Counter(score.status for score in scores)),
        tampered=sum(bool(score.tampered) for score in scores),
    )


def notes(tasks: Sequence[Task], agents: Sequence[AgentStats]) -> tuple[str, ...]:
    """In words, what the numbers cannot tell."""
    told = []
    if len(tasks) < FEW:
        told.append(f"{len(tasks)} tasks are few: the intervals are wide, and small differences mean nothing")
    projects = Counter(task.candidate.repo for task in tasks)
    if projects and len(tasks) > 1:
        name, count = projects.most_common(1)[0]
        if count * 2 > len(tasks):
            told.append(f"{count} of {len(tasks)} tasks come from {name}: this is mostly a number about that project")
    told += [
        f"{one.agent}: {sum(one.excluded.values())} attempts could not be scored" for one in agents if one.excluded
    ]
    return tuple(told)


def skipped(candidates: Sequence[Candidate], ids: Collection[str]) -> tuple[str, ...]:
    """Which languages' candidates this machine could not try."""
    counts = Counter(one.facts.language for one in candidates if one.id not in ids)
    return tuple(
        f"{count} of the candidates skipped: no {name} on this machine" for name, count in sorted(counts.items())
    )


def read_scores(run: Path, tasks: Sequence[Task]) -> list[Score]:
    """Every score of the run's tasks, in order of path; not of attempts that its specification asks for no more."""
    known = {task.id for task in tasks}
    listed = run / "attempts.mk"
    asked = set(listed.read_text().split()) if listed.is_file() else None
    paths = [path for path in sorted(run.glob("*/*/score.json")) if path.parts[-3] in known]
    return [load(path, Score) for path in paths if asked is None or "/".join(path.parts[-3:-1]) in asked]


def table(stats: Stats) -> str:
    from rich.console import Console
    from rich.table import Table

    drawn = Table(title=f"{stats.set}, run {stats.run}: {stats.tasks} tasks, {sum(stats.rejected.values())} rejected")
    for heading in ("agent", "fixed", "rate", "Wilson 95 %", "not scored", "touched tests"):
        drawn.add_column(heading, justify="left" if heading == "agent" else "right")
    for one in stats.agents:
        found = one.fixed
        share = "no data" if found.rate is None else f"{found.rate:.1%}"
        interval = "" if found.low is None or found.high is None else f"{found.low:.1%} to {found.high:.1%}"
        left_out = str(sum(one.excluded.values()))
        drawn.add_row(one.agent, f"{found.successes} of {found.trials}", share, interval, left_out, str(one.tampered))
    console = Console(width=100, record=True, file=sys.stderr, force_terminal=False, color_system=None)
    with console.capture() as captured:
        console.print(drawn)
        for reason, count in sorted(stats.rejected.items()):
            console.print(f"rejected, {reason}: {count}", highlight=False)
        for note in stats.notes:
            console.print(f"note: {note}", highlight=False)
    return captured.get()


def check_gate(tasks: Sequence[Task], scores: Sequence[Score]) -> list[str]:
    """What is wrong with the harness, one line each: an oracle that fails, or an empty patch that passes."""
    faults = []
    for name, must in (("oracle", True), ("empty", False)):
        for task in tasks:
            tried = [score for score in scores if score.agent == name and score.id == task.id]
            wrong = [score for score in tried if score.resolved != must]
            if not tried or any(score.status == "infra_error" for score in tried):
                faults.append(f"{task.id}: {name} has no score")
            elif wrong:
                faults.append(f"{task.id}: {name} is {'not ' if must else ''}fixed: {wrong[0].why}")
    return faults


def perform(folder: Path, gate: bool, show: bool) -> None:
    if show:
        print(table(load(folder / "stats.json", Stats)))
        return
    place = folder.resolve()
    if place.parent.name != "runs":
        raise UsageError(f"{folder}: not a run's folder", "give OUT/<set>/runs/<run>")
    lists = [place.parents[1] / f"{name}.jsonl" for name in ("candidates", "tasks", "rejected")]
    candidates = load_lines(lists[0], Candidate)
    tasks, rejected = (load_lines(path, Task) for path in lists[1:])
    scores = read_scores(place, tasks)
    names = dict.fromkeys(score.agent for score in scores)
    agents = tuple(agent_stats([score for score in scores if score.agent == name]) for name in names)
    reasons = Counter(task.rejection.reason for task in rejected if task.rejection)
    stats = Stats(
        made_by=made_by("stats", lists),
        set=place.parents[1].name,
        run=place.name,
        tasks=len(tasks),
        rejected=dict(reasons),
        agents=agents,
        notes=notes(tasks, agents) + skipped(candidates, {task.id for task in [*tasks, *rejected]}),
    )
    write(place / "stats.json", stats)
    print(table(stats))
    if gate:
        _report_gate(tasks, scores)


def _report_gate(tasks: Sequence[Task], scores: Sequence[Score]) -> None:
    faults = check_gate(tasks, scores)
    for fault in faults:
        print(f"FAIL {fault}")
    if faults or not tasks:
        raise InfrastructureError(
            f"the gate does not hold: {len(faults)} faults on {len(tasks)} tasks",
            "these tasks or this harness are wrong",
        )
    print(f"the gate holds: the oracle is fixed on all {len(tasks)} tasks, the empty patch on none")
