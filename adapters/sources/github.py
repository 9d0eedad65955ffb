"""Merged pull requests that close an issue and change a test, from GitHub's GraphQL API, newest merge first.

**Order.** GitHub lists pull requests by their last update, never by their merge. A merge is an update, so what is not
listed yet was merged no later than the last listed update: everything newer than that can be handed on, in exact order,
while paging no further than the consumer asks.

**What is kept, and how fresh it is.** Every answer is kept under `OUT/github/<owner>__<name>/` and used for good. A
start asks for the newest page anew, goes on until it meets what an earlier start had listed, then reads kept pages, and
asks again from the last kept cursor where those end. So an interrupted mining repeats one request, later merges are
found, and the text of an issue stays as it was first read. To read everything anew, delete the folder.

**The base.** A merge commit, and a squash (one commit), tell their base by their parents: `base` is None. A branch of n
commits that was rebased arrives as up to n commits, and `mergeCommit` is the last of them. GitHub does not say which of
the two a single-parent `mergeCommit` is, but a rebase keeps headline and author's date, and a squash is dated anew.
Going back from `mergeCommit`, a commit belongs to the pull request if it equals one of its commits in both, and GitHub
does not assign it to other pull requests alone (a rebased stack). If two or more do, `base` is the oldest's parent.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adapters.sources.github_api import GitHubApi, Sleep
from adapters.sources.github_queries import Answers, Pull, nodes
from redgreen.documents import SetSpec
from redgreen.errors import UsageError
from redgreen.fixes import Fix
from redgreen.mirrors import identity

DEPTH = 100
"""GitHub's largest page. A rebased branch of more commits is left out, and said so."""


class GitHubSource:
    """A redgreen.fixes.Source. `is_test` says of a changed file's path whether it looks like a test.

    Pull requests and commits that the set names are asked for directly and yielded whatever they close or change, with
    the pull request's own text where they close no issue.
    """

    def __init__(
        self, is_test: Callable[[str], bool], *, sleep: Sleep = time.sleep, now: Callable[[], float] = time.time
    ) -> None:
        self._is_test, self._sleep, self._now = is_test, sleep, now

    def fixes(self, spec: SetSpec, out: Path) -> Iterator[Fix]:
        """One repository after the other, each newest merge first; pages only as far as the consumer asks."""
        api = GitHubApi(sleep=self._sleep, now=self._now)
        for entry in spec.repos:
            repo, url = identity(entry)
            if repo.startswith("local/"):
                raise UsageError(f"{entry}: a local repository, not one on GitHub", "give owner/name or an address")
            answers = Answers(api, repo, out / "github" / repo.replace("/", "__"))
            yield from _Repository(repo, url, answers, self._is_test).fixes(spec)


@dataclass(frozen=True)
class _Repository:
    repo: str
    url: str
    answers: Answers
    is_test: Callable[[str], bool]

    def fixes(self, spec: SetSpec) -> Iterator[Fix]:
        named = bool(spec.pulls or spec.commits)
        pulls = self._named(spec) if named else newest_merge_first(self.answers.merged(), since=spec.since or "")
        for pull in pulls:
            if _merged_within(pull, spec) and (named or self._wanted(pull)):
                yield from self._fix(pull)

    def _named(self, spec: SetSpec) -> list[Pull]:
        if spec.pulls:
            pulls = [self.answers.pull(number) for number in dict.fromkeys(spec.pulls)]
        else:
            pulls = [self.answers.pull_of(commit) for commit in dict.fromkeys(spec.commits)]
        chosen = [pull for pull in pulls if not spec.commits or pull["mergeCommit"]["oid"].startswith(spec.commits)]
        return sorted(chosen, key=_merge_order, reverse=True)

    def _wanted(self, pull: Pull) -> bool:
        if not pull["mergeCommit"] or not nodes(pull["closingIssuesReferences"]):
            return False
        return any(self.is_test(path) for path in self.answers.changed_files(pull))

    def _fix(self, pull: Pull) -> Iterator[Fix]:
        """One fix, or none where its base cannot be told.

        `issues` holds numbers of this repository; the text of an issue elsewhere is part of the statement all the same.
        """
        issues = nodes(pull["closingIssuesReferences"])
        title, body = _statement(issues or [pull])
        try:
            base = self._base(pull)
        except _BaseUnknownError as reason:
            print(f"{self.repo}: pull request {pull['number']} left out: {reason}", file=sys.stderr)
            return
        yield Fix(
            repo=self.repo,
            url=self.url,
            commit=pull["mergeCommit"]["oid"],
            title=title,
            body=body,
            statement_source="issue" if issues else "pull_request",
            pull=pull["number"],
            issues=tuple(sorted(issue["number"] for issue in issues if issue["repository"] == pull["repository"])),
            merged_at=pull["mergedAt"],
            base=base,
        )

    def _base(self, pull: Pull) -> str | None:
        """As the module's docstring says. None: the parents of the commit tell."""
        count: int = pull["commits"]["totalCount"]
        if pull["mergeCommit"]["parents"]["totalCount"] != 1 or count < 2:
            return None
        depth = min(count, DEPTH)
        rebased = _rebased(self.answers.history(pull["number"], depth), pull["number"])
        if len(rebased) == DEPTH < count:
            raise _BaseUnknownError(f"rebased, and of more than {DEPTH} commits")
        if len(rebased) < 2:
            return None
        base: str = rebased[-1]["parents"]["nodes"][0]["oid"]
        return base


class _BaseUnknownError(Exception):
    """Says why."""


def newest_merge_first(pages: Iterable[list[Pull]], *, since: str = "") -> Iterator[Pull]:
    """Merged pull requests by `mergedAt`, newest first, from pages by `updatedAt`, newest first.

    Repeated ones count as first met. Reads no page more than the order needs, and none whose every pull request was
    merged before the day `since`.
    """
    waiting: list[Pull] = []
    met: set[int] = set()
    unseen_until = "~"  # later than every date: what is not seen yet was merged no later than this
    for page in pages:
        new = [pull for pull in page if pull["number"] not in met]
        met.update(pull["number"] for pull in new)
        waiting = sorted(waiting + new, key=_merge_order)
        unseen_until = min([unseen_until, *(pull["updatedAt"] for pull in page)])
        while waiting and waiting[-1]["mergedAt"] > unseen_until:
            yield waiting.pop()
        if unseen_until[:10] < since:
            break
    yield from reversed(waiting)


def _merge_order(pull: Pull) -> tuple[str, int]:
    return pull["mergedAt"], pull["number"]


def _merged_within(pull: Pull, spec: SetSpec) -> bool:
    day: str = pull["mergedAt"][:10]
    return (spec.since or "") <= day <= (spec.until or "~")


def _statement(issues: list[dict[str, Any]]) -> tuple[str, str]:
    """Title and body of one issue as they are; several under a heading each, oldest first."""
    if len(issues) == 1:
        return issues[0]["title"], issues[0]["body"]
    issues = sorted(issues, key=lambda issue: (issue["repository"]["nameWithOwner"], issue["number"]))
    parts = [
        f"# Issue {place} of {len(issues)}: {issue['title']}\n\n{issue['body'].strip()}\n"
        for place, issue in enumerate(issues, 1)
    ]
    return " / ".join(issue["title"] for issue in issues), "\n---\n\n".join(parts)


def _rebased(pull: Pull, number: int) -> list[dict[str, Any]]:
    """The commits from `mergeCommit` back that are copies of the pull request's own, newest first."""
    own = {(node["commit"]["messageHeadline"], node["commit"]["authoredDate"]) for node in nodes(pull["commits"])}
    copies = []
    for commit in nodes(pull["mergeCommit"]["history"]):
        others = {node["number"] for node in nodes(commit["associatedPullRequests"])} - {number}
        assigned = bool(others) and len(others) == len(nodes(commit["associatedPullRequests"]))
        if (commit["messageHeadline"], commit["authoredDate"]) not in own or assigned:
            break
        copies.append(commit)
    return copies
