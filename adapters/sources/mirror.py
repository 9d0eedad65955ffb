"""Merged fixes from the history of any git repository, and from nothing else: no network, no service.

What is reached from HEAD by first parents is the main line; where it merges another long-lived line (`stable`, `2.x`,
somebody's `master`), that line's own first-parent commits count as well, because fixes may have been merged there. Each
commit of a line is judged by its message (adapters.sources.messages): pull requests, merged branches, commits that
close an issue, commits that sound like a fix. A merge without a text of its own gets that of the commits that it
brought, and is held back until they have been read.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from adapters.sources.history import Commit, check_prefixes, find_starts, read_history
from adapters.sources.messages import LONG_LIVED, SIGNS, Kind, Signs, Told, closed_issues, read_message
from redgreen.documents import SetSpec
from redgreen.errors import UsageError
from redgreen.fixes import Fix

YIELDED: frozenset[Kind] = frozenset({"pull", "topic", "closing", "fix"})
SIDE, TRUNK = 1, 2
BRANCH_COMMITS = 50
"""More commits than these of one branch are not kept: they would say nothing about one fix."""


@dataclass
class Draft:
    """A fix whose branch is still being read: `open` counts the commits of it that are known and not yet seen."""

    commit: Commit
    told: Told
    rank: int
    open: int = 0
    branch: list[Commit] = field(default_factory=list)


@dataclass
class Mark:
    """What the children of a commit said about it: which line it is on, and which merge brought it."""

    line: int = 0
    owner: Draft | None = None


class MirrorSource:
    """`repository` gives the local bare repository of an entry of `spec.repos`; `identity` its owner/name and URL."""

    def __init__(
        self,
        repository: Callable[[str, Path], Path],
        identity: Callable[[str], tuple[str, str]],
        signs: Signs = SIGNS,
    ) -> None:
        self.repository = repository
        self.identity = identity
        self.signs = signs

    def fixes(self, spec: SetSpec, out: Path) -> Iterator[Fix]:
        """Newest first, one repository after the other.

        `spec.commits` may lie anywhere in the history and need not sound like a fix; what is asked for by number or id
        is not held against the tables of noise.

        Raises:
            UsageError: no repository, an empty or shallow one, a pull request or commit that none of them has.
            InfrastructureError: git failed.
        """
        if not spec.repos:
            raise UsageError("no repository to mine", "name one in `repos` of the set, or give REPO=<path or url>")
        check_prefixes(spec.commits)
        missing: set[int | str] = {*spec.pulls, *spec.commits}
        for repo in spec.repos:
            name, url = self.identity(repo)
            for draft in self._drafts(name, self.repository(repo, out), spec, missing):
                fix = _fix(draft, name, url)
                if _within(fix.merged_at or "", spec):
                    yield fix
        if missing:
            listed = ", ".join(sorted(f"#{wanted}" if isinstance(wanted, int) else wanted for wanted in missing))
            hint = "a pull request that was merged by rebase leaves no number in git: give its COMMIT"
            raise UsageError(f"not in the history of {', '.join(spec.repos)}: {listed}", hint)

    def _drafts(self, name: str, folder: Path, spec: SetSpec, missing: set[int | str]) -> Iterator[Draft]:
        head, chosen = find_starts(folder, name, spec.commits)
        missing.difference_update(chosen)
        asked = _Asked(frozenset(spec.pulls), frozenset(chosen.values()), not (spec.pulls or spec.commits))
        arrivals = _Arrivals()
        with closing(read_history(folder, [head, *chosen.values()])) as commits:
            for draft in _walk(commits, head, name, self.signs, asked):
                if not draft.commit.parents:
                    raise UsageError(
                        f"{name}: {draft.commit.id} is the first commit: it has no base", "name a later one"
                    )
                chosen_by_id = draft.commit.id in asked.commits
                if chosen_by_id or (arrivals.new(draft) and (asked.everything or draft.told.pull)):
                    missing.difference_update({draft.told.pull} & asked.pulls)
                    yield draft


@dataclass(frozen=True)
class _Asked:
    """What the set asks for. What it names is not held against the tables of noise."""

    pulls: frozenset[int]
    commits: frozenset[str]
    everything: bool

    def admits(self, commit: Commit, told: Told, line: int) -> bool:
        if commit.id in self.commits or told.pull in self.pulls:
            return True
        if not (self.everything and commit.parents):
            return False
        return told.kind in YIELDED and not (told.backport and line == SIDE)


class _Arrivals:
    """Tells a fix from its second arrival: the same change picked to another line, one pull request merged twice."""

    def __init__(self) -> None:
        self.seen: set[object] = set()

    def new(self, draft: Draft) -> Draft | None:
        """The draft, without its number if an unlike change has that already; None if it has been here."""
        commit, told = draft.commit, draft.told
        title = re.sub(r"\s*\(#\d+\)", "", told.title)
        same = {(commit.email, commit.author_time, title)} | ({(told.pull, title)} if told.pull else set())
        if same & self.seen:
            return None
        if told.pull in self.seen:
            draft.told = replace(told, pull=None)
        self.seen |= {*same, *([told.pull] if told.pull else [])}
        return draft


def _walk(commits: Iterable[Commit], head: str, repo: str, signs: Signs, asked: _Asked) -> Iterator[Draft]:
    """Drafts in the order of their commits, each when its branch has been read."""
    marks = {head: Mark(TRUNK)}
    waiting: deque[Draft] = deque()
    for rank, commit in enumerate(commits):
        mark = marks.pop(commit.id, None) or Mark()
        if mark.owner:
            mark.owner.open -= 1
        if mark.line or commit.id in asked.commits:
            told = read_message(
                commit.message, parents=len(commit.parents), author=commit.author, repo=repo, signs=signs
            )
            draft = Draft(commit, told, rank)
            _mark_parents(marks, draft, mark.line)
            if asked.admits(commit, told, mark.line):
                waiting.append(draft)
        elif mark.owner:
            _keep(mark.owner, commit)
            for parent in commit.parents:
                _claim(marks.setdefault(parent, Mark()), mark.owner)
        while waiting and not waiting[0].open:
            yield waiting.popleft()
    yield from waiting


def _mark_parents(marks: dict[str, Mark], draft: Draft, line: int) -> None:
    for place, parent in enumerate(draft.commit.parents):
        mark = marks.setdefault(parent, Mark())
        if place == 0:
            mark.line = max(mark.line, line)
        elif draft.told.kind == "sync" and line:
            mark.line = max(mark.line, SIDE)
        else:
            _claim(mark, draft)


def _claim(mark: Mark, draft: Draft) -> None:
    """A commit that several merges reach came with the oldest of them."""
    if mark.owner is None or mark.owner.rank < draft.rank:
        if mark.owner:
            mark.owner.open -= 1
        mark.owner = draft
        draft.open += 1


def _keep(draft: Draft, commit: Commit) -> None:
    if len(commit.parents) == 1 and len(draft.branch) < BRANCH_COMMITS:
        draft.branch.append(commit)


def _fix(draft: Draft, repo: str, url: str) -> Fix:
    commit, told = draft.commit, draft.told
    title, body = _text(draft)
    issues = dict.fromkeys([*told.issues, *(n for c in draft.branch for n in closed_issues(c.message, repo))])
    issues.pop(told.pull or 0, None)
    return Fix(
        repo=repo,
        url=url,
        commit=commit.id,
        title=title,
        body=body,
        statement_source="commit" if told.pull is None else "pull_request",
        pull=told.pull,
        issues=tuple(issues),
        merged_at=datetime.fromtimestamp(commit.time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def _text(draft: Draft) -> tuple[str, str]:
    """Title and body: the merge's own words, else those of its branch: one commit's whole message, or all subjects."""
    title, body = draft.told.title, draft.told.body
    oldest_first = draft.branch[::-1]
    parts = [commit.message.strip().partition("\n") for commit in oldest_first]
    if not title and len(parts) == 1:
        title = parts[0][0]
    title = title or _branch_words(draft.told.branch) or next((part[0] for part in parts if part[0]), "")
    if not body and len(parts) == 1:
        body = "\n".join(part for part in (parts[0][0] * (parts[0][0] != title), parts[0][2].strip()) if part)
    elif not body:
        body = "\n".join(f"- {subject}" for subject, _, _ in parts if subject)
    return title, body


def _branch_words(branch: str) -> str:
    """`topic/fix-the-crash` as words; nothing for names that say nothing."""
    name = branch.rpartition("/")[2]
    return "" if re.fullmatch(rf"{LONG_LIVED}|patch[-\d]*|[\W\d]*", name) else re.sub(r"[\W_]+", " ", name).strip()


def _within(merged_at: str, spec: SetSpec) -> bool:
    day = merged_at[:10]
    return (spec.since or "") <= day <= (spec.until or "9999-12-31")
