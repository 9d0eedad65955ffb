"""What the github source asks of one repository, and how the answers are kept.

Answers lie under `OUT/github/<owner>__<name>/`, each named by the operation and a digest of the service's address, the
query and its variables, so that a page is named by the cursor that it follows and a changed query finds nothing stale.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from adapters.sources.github_api import GitHubApi
from redgreen.contract import write_bytes
from redgreen.errors import UsageError

Pull = dict[str, Any]
"""One pull request as the fragment below asks for it."""

_POINTS = "rateLimit { cost remaining resetAt }"
_PULL = """
fragment PullFields on PullRequest {
  number title body mergedAt updatedAt repository { nameWithOwner }
  mergeCommit { oid parents(first: 1) { totalCount } }
  commits(first: 1) { totalCount }
  closingIssuesReferences(first: 100) { nodes { number title body repository { nameWithOwner } } }
  files(first: 100) { pageInfo { hasNextPage endCursor } nodes { path } }
}"""
MERGED = f"""query Merged($owner: String!, $name: String!, $first: Int!, $after: String) {{
  {_POINTS}
  repository(owner: $owner, name: $name) {{
    pullRequests(states: MERGED, orderBy: {{field: UPDATED_AT, direction: DESC}}, first: $first, after: $after) {{
      pageInfo {{ hasNextPage endCursor }} nodes {{ ...PullFields }}
    }}
  }}
}}{_PULL}"""
PULL = f"""query Pull($owner: String!, $name: String!, $number: Int!) {{
  {_POINTS}
  repository(owner: $owner, name: $name) {{ pullRequest(number: $number) {{ ...PullFields }} }}
}}{_PULL}"""
COMMIT = f"""query Commit($owner: String!, $name: String!, $expression: String!) {{
  {_POINTS}
  repository(owner: $owner, name: $name) {{
    object(expression: $expression) {{
      ... on Commit {{ associatedPullRequests(first: 10) {{ nodes {{ ...PullFields }} }} }}
    }}
  }}
}}{_PULL}"""
FILES = f"""query Files($owner: String!, $name: String!, $number: Int!, $after: String) {{
  {_POINTS}
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      files(first: 100, after: $after) {{ pageInfo {{ hasNextPage endCursor }} nodes {{ path }} }}
    }}
  }}
}}"""
HISTORY = f"""query History($owner: String!, $name: String!, $number: Int!, $depth: Int!) {{
  {_POINTS}
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      commits(last: 100) {{ nodes {{ commit {{ messageHeadline authoredDate }} }} }}
      mergeCommit {{
        history(first: $depth) {{
          nodes {{
            messageHeadline authoredDate
            parents(first: 2) {{ nodes {{ oid }} }}
            associatedPullRequests(first: 10) {{ nodes {{ number }} }}
          }}
        }}
      }}
    }}
  }}
}}"""
QUERIES = (MERGED, PULL, COMMIT, FILES, HISTORY)


def nodes(connection: dict[str, Any] | None) -> list[dict[str, Any]]:
    """What a connection holds; parts that the token may not see are null, and left out."""
    return [node for node in (connection or {}).get("nodes") or [] if node is not None]


@dataclass(frozen=True)
class Answers:
    """One repository, `owner/name`, as the service sees it; `folder` keeps what it said."""

    api: GitHubApi
    repo: str
    folder: Path

    def merged(self) -> Iterator[list[Pull]]:
        """Pages of merged pull requests by last update, newest first; later pages may repeat earlier ones.

        The newest page is asked for anew. It is a head of its own unless nothing changed since the last one; each head
        is followed until it meets the one before, so that a walk may stop anywhere and leaves no gap for the next.
        """
        data = self.ask(MERGED, {"after": None})
        newest = nodes(data["repository"]["pullRequests"])
        yield newest
        if not newest:
            return
        kind = f"head-{self._digest(MERGED)[:8]}"
        head = self.folder / f"{kind}-{newest[0]['updatedAt'].replace(':', '')}-{newest[0]['number']}.json"
        if not head.exists():
            _write(head, data)
        for place, before in pairwise([*sorted(self.folder.glob(f"{kind}-*.json"), reverse=True), None]):
            assert place is not None
            met = nodes(_read(before)["repository"]["pullRequests"])[0]["updatedAt"] if before else ""
            if (yield from self._follow(_read(place), met)):
                return

    def _follow(self, data: dict[str, Any], met: str) -> Generator[list[Pull], None, bool]:
        """Follow the cursors until a page reaches below the update `met`; True if it was the last page there is."""
        while True:
            page = data["repository"]["pullRequests"]
            pulls = nodes(page)
            yield pulls
            if not page["pageInfo"]["hasNextPage"]:
                return True
            if pulls and pulls[-1]["updatedAt"] < met:
                return False
            data = self.kept(MERGED, {"after": page["pageInfo"]["endCursor"]})

    def pull(self, number: int) -> Pull:
        """Raises:
        UsageError: no such pull request, or not merged.
        """
        answer = self.kept(PULL, {"number": number}, final=lambda data: bool(_pull(data)["mergeCommit"]))
        if not _pull(answer)["mergeCommit"]:
            raise UsageError(f"{self.repo}: pull request {number} is not merged", "name merged pull requests")
        return _pull(answer)

    def pull_of(self, commit: str) -> Pull:
        """The pull request that was merged as the commit with this id or prefix.

        Raises:
            UsageError: there is none.
        """
        found = self.ask(COMMIT, {"expression": commit})["repository"]["object"] or {}
        for pull in nodes(found.get("associatedPullRequests")):
            if pull["mergeCommit"] and pull["mergeCommit"]["oid"].startswith(commit):
                return pull
        raise UsageError(
            f"{self.repo}: no pull request was merged as commit {commit}", "the source mirror reads git alone"
        )

    def changed_files(self, pull: Pull) -> Iterator[str]:
        """Paths, asking for pages beyond the first 100 only if the consumer wants them."""
        files = pull["files"]
        while files:
            yield from (file["path"] for file in nodes(files))
            if not files["pageInfo"]["hasNextPage"]:
                return
            more = {"number": pull["number"], "after": files["pageInfo"]["endCursor"]}
            files = _pull(self.kept(FILES, more))["files"]

    def history(self, number: int, depth: int) -> Pull:
        """The last 100 commits of a pull request, and `depth` (at most 100) commits back from its merge commit."""
        return _pull(self.kept(HISTORY, {"number": number, "depth": depth}))

    def ask(self, query: str, own: dict[str, Any]) -> dict[str, Any]:
        owner, name = self.repo.split("/")
        return self.api.ask(query, {"owner": owner, "name": name, **own})

    def kept(
        self, query: str, own: dict[str, Any], *, final: Callable[[dict[str, Any]], bool] = lambda data: True
    ) -> dict[str, Any]:
        """The kept answer, or a new one, which is kept if it is `final`: if it can never read otherwise."""
        operation = query.split("(")[0].split()[-1].lower()
        place = self.folder / f"{operation}-{self._digest(query, own)[:16]}.json"
        if place.exists():
            return _read(place)
        data = self.ask(query, own)
        if final(data):
            _write(place, data)
        return data

    def _digest(self, query: str, own: dict[str, Any] | None = None) -> str:
        return hashlib.sha256(json.dumps([self.api.endpoint, query, own], sort_keys=True).encode()).hexdigest()


def _pull(data: dict[str, Any]) -> Pull:
    pull: Pull = data["repository"]["pullRequest"]
    return pull


def _read(place: Path) -> dict[str, Any]:
    try:
        data: dict[str, Any] = json.loads(place.read_bytes())
    except ValueError:
        raise UsageError(f"{place}: not the JSON that was kept there", "delete it: it is fetched again") from None
    return data


def _write(place: Path, data: dict[str, Any]) -> None:
    write_bytes(place, json.dumps(data, sort_keys=True).encode())
