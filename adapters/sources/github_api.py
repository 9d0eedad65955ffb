"""GitHub's GraphQL API, one question at a time: waits out rate limits in plain sight, retries what may pass.

`GITHUB_TOKEN` holds the token and is its only home: it is in no file, no message and no exception, even where the
service repeats it. `GITHUB_GRAPHQL_URL` names another service (GitHub Enterprise, a test server).

| what happens | what follows |
|---|---|
| the hour's points are used up (`rateLimit`, `x-ratelimit-*`, RATE_LIMITED) | wait until the reset, counting down |
| secondary limit (403 or 429: `retry-after`, or just a message) | wait as told; untold: a minute, then twice that |
| 5xx, no connection, time-out, no JSON, "something went wrong" | up to 6 attempts with urllib3's backoff |
| those of them that mean too heavy a question | from then on, ask for pages of half the size |
| 401, another 403, 404, a NOT_FOUND error | UsageError |
"""

from __future__ import annotations

import math
import os
import re
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import requests
from requests.auth import AuthBase
from urllib3.exceptions import MaxRetryError
from urllib3.util import Retry

from adapters.sources.github_answer import TOKEN_HINT, LimitedError, TransientError, judge, points_back_at
from redgreen.errors import InfrastructureError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

PUBLIC_API = "https://api.github.com/graphql"
PAGE_SIZE = 25
ATTEMPTS = 6
LIMIT_WAITS = 6
TIMEOUTS_S = (10, 60)
LONGEST_WAIT_S = 3660
"""Points come back within the hour; a longer promise is a wrong clock or a wrong header."""

Sleep = Callable[[float], None]


class _Bearer(AuthBase):
    """An auth object, because requests lets a netrc file replace a plain Authorization header."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


class GitHubApi:
    """`sleep` and `now` (seconds since the epoch) can be replaced, so that tests need not wait."""

    def __init__(self, *, sleep: Sleep = time.sleep, now: Callable[[], float] = time.time) -> None:
        """Raises:
        UsageError: no token or an unusable one, an address that a token must not be sent to.
        """
        self.endpoint = _endpoint()
        self._token = _token()
        self._session = requests.Session()
        self._session.auth = _Bearer(self._token)
        self._sleep, self._now = sleep, now
        self._page_size = PAGE_SIZE
        self._points_back_at = 0.0

    def ask(self, query: str, variables: Mapping[str, object]) -> dict[str, Any]:
        """The answer's `data`, without `rateLimit`. `$first`, where the query has it, is filled in here.

        Raises:
            UsageError: the token is refused; the repository or pull request does not exist.
            InfrastructureError: no network, or the service kept failing or refusing.
        """
        self._wait(self._points_back_at - self._now(), "GitHub's points of this hour are used up")
        retry = Retry(total=ATTEMPTS - 1, backoff_factor=1, backoff_max=60, backoff_jitter=1)
        refusals = 0
        while True:
            try:
                return self._once(query, variables)
            except LimitedError as limit:
                self._wait_for_limit(limit, refusals)
                refusals += 1
            except TransientError as fault:
                retry = self._back_off(retry, fault)

    def _once(self, query: str, variables: Mapping[str, object]) -> dict[str, Any]:
        sized = {**variables, "first": self._page_size} if "$first" in query else dict(variables)
        host = urlsplit(self.endpoint).hostname
        try:
            response = self._session.post(
                self.endpoint, json={"query": query, "variables": sized}, timeout=TIMEOUTS_S, allow_redirects=False
            )
            text = response.text.replace(self._token, "***")
        except requests.RequestException as error:
            late = isinstance(error, requests.ReadTimeout)
            raise TransientError(f"cannot reach {host} ({type(error).__name__})", overloaded=late) from None
        data = judge(response.status_code, response.headers, text, self._now())
        self._points_back_at = points_back_at(response.headers, data.pop("rateLimit", None))
        return data

    def _wait_for_limit(self, limit: LimitedError, refusals: int) -> None:
        """The first wait is as told; when that was not enough (a wrong clock), at least minutes that double."""
        if refusals == LIMIT_WAITS:
            raise InfrastructureError(
                f"GitHub still refuses after {LIMIT_WAITS} waits: {limit}",
                "try again in an hour: what was fetched is kept",
            ) from None
        own = 60.0 * 2**refusals if refusals or limit.told_s is None else 0.0
        self._wait(max(limit.told_s or 0.0, own, 1.0), str(limit))

    def _back_off(self, retry: Retry, fault: TransientError) -> Retry:
        try:
            retry = retry.increment(error=fault)
        except MaxRetryError:
            raise InfrastructureError(
                f"GitHub did not answer in {ATTEMPTS} attempts: {fault}",
                "check the network (HTTPS_PROXY, REQUESTS_CA_BUNDLE), then run it again: what was fetched is kept",
            ) from None
        if fault.overloaded:
            self._page_size = max(1, self._page_size // 2)
        self._wait(retry.get_backoff_time(), str(fault))
        return retry

    def _wait(self, seconds: float, why: str) -> None:
        count_down(min(seconds, LONGEST_WAIT_S), why, sleep=self._sleep)


def count_down(seconds: float, why: str, *, sleep: Sleep, console: Console | None = None) -> None:
    """Wait in plain sight: a running countdown on a terminal, one line on stderr elsewhere."""
    whole = math.ceil(seconds)
    if whole <= 0:
        return
    from rich.console import Console  # heavy, and seldom needed
    from rich.markup import escape

    console = console or Console(stderr=True)
    if not console.is_terminal or console.is_dumb_terminal:
        print(f"waiting {whole} s: {why}", file=sys.stderr, flush=True)
        sleep(whole)
        return
    with console.status("") as status:
        for left in range(whole, 0, -1):
            status.update(escape(f"{left // 60}:{left % 60:02d} left: {why}"))
            sleep(1)


def _token() -> str:
    token = os.environ.get("GITHUB_TOKEN", "").strip()
    if not token:
        raise UsageError("the github source needs a token, and GITHUB_TOKEN is not set", TOKEN_HINT)
    if not re.fullmatch(r"[!-~]+", token):  # requests would print the whole header in its complaint
        raise UsageError("GITHUB_TOKEN holds characters that no token has", TOKEN_HINT)
    return token


def _endpoint() -> str:
    endpoint = os.environ.get("GITHUB_GRAPHQL_URL") or PUBLIC_API
    try:
        parts = urlsplit(endpoint)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or "@" in parts.netloc or parts.scheme not in ("http", "https"):
        raise UsageError("GITHUB_GRAPHQL_URL is not an address of the form https://<host>/<path>")
    if parts.scheme == "http" and host not in ("127.0.0.1", "::1", "localhost"):
        raise UsageError(f"GITHUB_GRAPHQL_URL would send the token to {host} unencrypted", "use https://")
    return endpoint
