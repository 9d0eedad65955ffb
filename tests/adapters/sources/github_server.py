"""A GitHub on 127.0.0.1: GitHub's own schema, executed by graphql-core over invented pull requests, with bad days.

It pages by key as GitHub does (a cursor is the last update and number), demands `first` or `last`, refuses wrong
tokens, and fails on demand: `faults` holds answers that are given before the next questions are looked at.
"""

from __future__ import annotations

import base64
import json
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from github_data import NotFoundError, connection
from graphql import GraphQLSchema, graphql_sync

TOKEN = "invented-token-for-a-loopback-server"
EPOCH = datetime(2024, 6, 1, tzinfo=UTC).timestamp()


@dataclass(frozen=True)
class Answer:
    """What is sent in place of a real answer; `status` 0 closes the connection without a word."""

    status: int
    body: object = ""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Clock:
    """Time that passes only when somebody sleeps."""

    time: float = EPOCH
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


@dataclass
class GitHub:
    """The service's state. `points` is what is left of the hour, None for no limit; it comes back after `hour_s`."""

    schema: GraphQLSchema
    pulls: list[dict[str, Any]] = field(default_factory=list)
    clock: Clock = field(default_factory=Clock)
    faults: deque[Answer | None] = field(default_factory=deque)
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    points: int | None = None
    points_per_hour: int = 3
    hour_s: float = 600
    tells_points_by: tuple[str, ...] = ("headers", "body")
    refused: int = 0
    hang_at: int | None = None
    hanging: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def __post_init__(self) -> None:
        self._reset: float = self.clock.now() + self.hour_s

    def count(self, operation: str) -> int:
        return sum(name == operation for name, _ in self.asked)

    def answer(self, token: str, question: dict[str, Any]) -> Answer:
        if token != f"Bearer {TOKEN}":
            return Answer(401, {"message": f"Bad credentials {token}"})
        operation = question["query"].split("(")[0].split()[-1]
        self.asked.append((operation, question["variables"]))
        if self.hang_at == len(self.asked):
            self.hanging.set()
            time.sleep(30)
        fault = self.faults.popleft() if self.faults else None
        if fault:
            return fault
        if self.points is not None and not self._spend():
            self.refused += 1
            return Answer(403, {"message": "API rate limit exceeded"}, self._limit_headers())
        result = graphql_sync(self.schema, question["query"], self._root(), variable_values=question["variables"])
        body: dict[str, Any] = {"data": result.data}
        if result.errors:
            kinds = [getattr(error.original_error, "type", None) for error in result.errors]
            body["errors"] = [
                {"type": kind, **error.formatted} for kind, error in zip(kinds, result.errors, strict=True)
            ]
        return Answer(200, body, self._limit_headers())

    def _spend(self) -> bool:
        if self.clock.now() >= self._reset:
            self.points, self._reset = self.points_per_hour, self.clock.now() + self.hour_s
        if not self.points:
            return False
        self.points -= 1
        return True

    def _limit_headers(self) -> dict[str, str]:
        if self.points is None or "headers" not in self.tells_points_by:
            return {}
        return {"X-RateLimit-Remaining": str(self.points), "X-RateLimit-Reset": str(int(self._reset))}

    def _root(self) -> dict[str, Any]:
        reset_at = datetime.fromtimestamp(self._reset, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        limit = {"cost": 1, "remaining": 5000 if self.points is None else self.points, "resetAt": reset_at}
        told = limit if "body" in self.tells_points_by else None
        return {"rateLimit": told, "repository": self._repository}

    def _repository(self, _info: object, owner: str, name: str, **_: object) -> dict[str, Any]:
        if f"{owner}/{name}" != "acme/widget":
            raise NotFoundError(f"Could not resolve to a Repository with the name '{owner}/{name}'.")
        return {"pullRequests": self._merged, "pullRequest": self._pull, "object": self._object}

    def _merged(self, info: object, *, orderBy: dict[str, str], states: list[str], **page: Any) -> Any:  # noqa: N803
        assert orderBy == {"field": "UPDATED_AT", "direction": "DESC"} and states == ["MERGED"]
        merged = sorted((one for one in self.pulls if one["mergedAt"]), key=_update, reverse=True)
        cursors = [_descending(one) for one in merged]
        return connection(merged, cursors=cursors)(info, **page)

    def _pull(self, _info: object, number: int) -> dict[str, Any]:
        for one in self.pulls:
            if one["number"] == number:
                return one
        raise NotFoundError(f"Could not resolve to a PullRequest with the number of {number}.")

    def _object(self, _info: object, expression: str) -> dict[str, Any] | None:
        found = [one for one in self.pulls if one["mergeCommit"]["oid"].startswith(expression)]
        return {**found[0]["mergeCommit"], "associatedPullRequests": connection(found)} if found else None


def _update(one: dict[str, Any]) -> tuple[str, int]:
    return one["updatedAt"], one["number"]


def _descending(one: dict[str, Any]) -> str:
    """A cursor that sorts the later update first."""
    seconds = datetime.fromisoformat(one["updatedAt"]).timestamp()
    return base64.b16encode(f"{10**11 - int(seconds):012d}{10**6 - one['number']:07d}".encode()).decode()


@contextmanager
def serving(github: GitHub) -> Iterator[GitHub]:
    """Serve on a free port of the loopback, `github.url`, until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = github.answer(self.headers.get("Authorization", ""), question)
            if not answer.status:
                self.close_connection = True
                return
            content = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
            self.send_response(answer.status)
            for name, value in {**answer.headers, "Content-Length": str(len(content.encode()))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    github.url = f"http://127.0.0.1:{server.server_port}/graphql"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield github
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
