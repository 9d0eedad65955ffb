"""Invented pull requests, issues and commits, as graphql-core's default resolvers read them: values and functions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from graphql import GraphQLError

Resolver = Callable[..., dict[str, Any]]


def oid(name: str) -> str:
    """An invented commit id that is the same every time."""
    return name.encode().hex().ljust(40, "0")[:40]


def moment(day: float) -> str:
    """Day 0 is the first of January 2024."""
    start = datetime(2024, 1, 1, tzinfo=UTC).timestamp()
    return datetime.fromtimestamp(start + day * 86400, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def connection(items: list[Any], *, cursors: list[str] | None = None) -> Resolver:
    """A field that pages over `items` by position, or by key where sorted `cursors` are given."""
    keys = cursors or [str(place).zfill(6) for place in range(len(items))]

    def page(
        _info: object, first: int | None = None, last: int | None = None, after: str | None = None, **_: object
    ) -> Any:
        size = first if first is not None else last
        if size is None or not 1 <= size <= 100:
            raise GraphQLError("`first` or `last` must be given, from 1 to 100")
        known = [place for place, key in enumerate(keys) if after is None or key > after]
        chosen = known[:first] if first is not None else known[-size:]
        info = {"hasNextPage": len(chosen) < len(known), "endCursor": keys[chosen[-1]] if chosen else None}
        return {"totalCount": len(items), "nodes": [items[place] for place in chosen], "pageInfo": info}

    return page


def commit(
    name: str, parents: tuple[str, ...] = (), *, authored: str = moment(0), pulls: tuple[int, ...] = ()
) -> dict[str, Any]:
    return {
        "__typename": "Commit",
        "oid": oid(name),
        "messageHeadline": f"headline of {name.rstrip('+')}",
        "authoredDate": authored,
        "parents": connection([{"oid": oid(parent)} for parent in parents]),
        "associatedPullRequests": connection([{"number": number} for number in pulls]),
    }


def issue(number: int, repo: str = "acme/widget") -> dict[str, Any]:
    text = {"title": f"title of issue {number}", "body": f"body of issue {number}"}
    return {"number": number, "repository": {"nameWithOwner": repo}, **text}


def pull(
    number: int,
    day: float,
    *,
    updated: float | None = None,
    issues: tuple[Any, ...] | None = None,
    files: list[str] | None = None,
    commits: tuple[dict[str, Any], ...] = (),
    merged_as: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """A merged pull request; by default a squash that closes issue 1000 + number and changes a test.

    `merged_as` is the history of its merge commit, newest first.
    """
    history = merged_as or [commit(f"squash{number}", (f"before{number}",))]
    paths = files if files is not None else ["src/widget.py", "tests/test_widget.py"]
    closes = (issue(1000 + number),) if issues is None else issues
    return {
        "number": number,
        "title": f"title of pull request {number}",
        "body": f"body of pull request {number}",
        "repository": {"nameWithOwner": "acme/widget"},
        "mergedAt": moment(day),
        "updatedAt": moment(day if updated is None else updated),
        "mergeCommit": {**history[0], "history": connection(history)},
        "commits": connection([{"commit": one} for one in commits or (commit(f"own{number}"),)]),
        "closingIssuesReferences": connection(list(closes)),
        "files": connection([{"path": path} for path in paths]),
    }


class NotFoundError(Exception):
    type = "NOT_FOUND"


class ForbiddenError(Exception):
    type = "FORBIDDEN"


def hidden(*_: object) -> Any:
    raise ForbiddenError("Resource not accessible")
