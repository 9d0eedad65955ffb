"""What an answer of GitHub's GraphQL service means: data, a refusal for now, a fault that may pass, or an error."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from urllib3.exceptions import InvalidHeader
from urllib3.util import Retry

from redgreen.errors import InfrastructureError, UsageError

TOKEN_HINT = "put a token that may read the repository into the environment variable GITHUB_TOKEN"
_LIMIT_WORDS = re.compile(r"rate limit|abuse detection", re.IGNORECASE)
_PASSING_WORDS = re.compile(
    r"something went wrong|timed? ?out|timeout|in time\b|try again|resource limits", re.IGNORECASE
)


class TransientError(Exception):
    """May pass. `overloaded`: the service got the question and did not manage it."""

    def __init__(self, message: str, *, overloaded: bool = False) -> None:
        super().__init__(message)
        self.overloaded = overloaded


class LimitedError(Exception):
    """Refused for now. `told_s` is how long the service asks us to wait, None if it does not say."""

    def __init__(self, message: str, told_s: float | None) -> None:
        super().__init__(message)
        self.told_s = told_s


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        body = json.loads(text)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def judge(status: int, headers: Mapping[str, str], text: str, now: float) -> dict[str, Any]:
    """The `data` of a good answer. `headers` ignore case; `now` is in seconds since the epoch.

    Raises:
        LimitedError: refused for now.
        TransientError: likely to pass.
        UsageError: the token is refused, or what is asked for does not exist.
        InfrastructureError: an error that no other token, name or time would cure.
    """
    body = _parsed(text)
    errors = [error for error in (body or {}).get("errors") or [] if isinstance(error, dict)]
    said = str(errors[0].get("message") if errors else (body or {}).get("message") or f"status {status}")
    said = (" ".join(said.split()) or f"status {status}")[:200]
    limited = any(error.get("type") == "RATE_LIMITED" for error in errors) or _LIMIT_WORDS.search(said)
    if limited or status == 429 or (status == 403 and _told_s(headers, now) is not None):
        raise LimitedError(said, _told_s(headers, now))
    if status == 401:
        raise UsageError(f"GitHub does not accept the token in GITHUB_TOKEN: {said}", TOKEN_HINT)
    if status == 403:
        raise UsageError(f"GitHub forbids this to the token in GITHUB_TOKEN: {said}", TOKEN_HINT)
    if 300 <= status < 500:
        raise UsageError(f"no GraphQL service answers at this address (status {status})", "check GITHUB_GRAPHQL_URL")
    if status >= 500:
        raise TransientError(said, overloaded=True)
    if body is None:
        raise TransientError("an answer that is not JSON")
    return _judge_errors(errors, body, said)


def _judge_errors(errors: list[dict[str, Any]], body: dict[str, Any], said: str) -> dict[str, Any]:
    """A part that the token may not see (a private issue, say) is null in the data, and the rest is good."""
    hidden = [error for error in errors if error.get("type") in ("NOT_FOUND", "FORBIDDEN")]
    if any(_PASSING_WORDS.search(str(error.get("message"))) for error in errors):
        raise TransientError(said, overloaded=True)
    if any(len(error.get("path") or ()) <= 2 for error in hidden):
        raise UsageError(f"GitHub: {said}", f"check the name and the number; for a private repository, {TOKEN_HINT}")
    data = body.get("data")
    if len(hidden) < len(errors) or not isinstance(data, dict):
        raise InfrastructureError(
            f"GitHub did not understand the question: {said}", "report this as a fault of redgreen"
        )
    return data


def _reset_at(headers: Mapping[str, str]) -> float | None:
    """Seconds since the epoch, if the headers say that nothing remains until then."""
    if headers.get("x-ratelimit-remaining") != "0":
        return None
    reset = headers.get("x-ratelimit-reset", "")
    return float(reset) if reset.isdecimal() else None


def _told_s(headers: Mapping[str, str], now: float) -> float | None:
    try:
        return float(Retry().parse_retry_after(headers["retry-after"]))
    except (KeyError, InvalidHeader):
        reset_at = _reset_at(headers)
        return None if reset_at is None else reset_at - now


def points_back_at(headers: Mapping[str, str], limit: dict[str, Any] | None) -> float:
    """When to ask again, in seconds since the epoch; 0 for at once. `limit` is null where limits are off."""
    if limit and limit["remaining"] < limit["cost"]:
        return datetime.fromisoformat(limit["resetAt"]).timestamp()
    return _reset_at(headers) or 0.0
