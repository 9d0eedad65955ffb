"""What ends an attempt besides the agent itself, whose fault it is, and what is done about it: docs/faults.md.

One table for every agent: a service's answer is told by its HTTP status and its words, as gateways pass them on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from redgreen.documents import Attempt

Whose = Literal["model", "service", "ours"]
Policy = Literal["score", "retry", "stop"]
Stopped = Literal["done", "turns", "time", "budget", "context", "refusal", "model_error", "infra"]


@dataclass(frozen=True)
class Fault:
    """`statuses` are HTTP's; `words` is searched for in what the service said, whatever the status.

    score: the attempt ends, and what it left is scored. retry: a bounded number of times, waiting as the service asks;
    then the attempt is `infra`, excluded, and tried again by the next run. stop: as retry, without trying: nothing gets
    better until somebody acts, so that the run ends too.
    """

    name: str
    whose: Whose
    policy: Policy
    stopped: Stopped
    what: str
    statuses: frozenset[int] = frozenset()
    words: str = ""


FAULTS = (
    Fault(
        "context_overflow",
        "model",
        "score",
        "context",
        "the conversation outgrew the model's window",
        words=r"prompt is too long|context[ _](length|window)|maximum context|too many (input )?tokens",
    ),
    Fault(
        "billing",
        "ours",
        "stop",
        "infra",
        "the account has no money or no quota left",
        frozenset({402}),
        r"insufficient[ _](quota|funds|credits?)|credit balance|exceeded your current quota|billing|payment required",
    ),
    Fault(
        "authentication",
        "ours",
        "stop",
        "infra",
        "the key is missing, wrong or not allowed to use this model",
        frozenset({401, 403}),
        r"invalid (x-)?api[ -_]?key|authentication|permission denied|unauthori[sz]ed",
    ),
    Fault(
        "unknown_model",
        "ours",
        "stop",
        "infra",
        "the service has no such model",
        frozenset({404}),
        r"model[^.]*(not found|does not exist)|no such model",
    ),
    Fault(
        "rate_limit",
        "service",
        "retry",
        "infra",
        "too many requests or tokens a minute",
        frozenset({429}),
        r"rate[ -_]?limit|too many requests",
    ),
    Fault(
        "request_too_large",
        "ours",
        "retry",
        "infra",
        "a gateway on the way refuses the size of the request",
        frozenset({413}),
        r"request (entity )?too large|payload too large",
    ),
    Fault(
        "refusal",
        "model",
        "score",
        "refusal",
        "the model will not do it",
        words=r"content[ _](filter|policy)|stop_reason\W+refusal|safety (system|setting)",
    ),
    Fault(
        "service_error",
        "service",
        "retry",
        "infra",
        "the service broke, is overloaded or cannot be reached",
        frozenset({408, 500, 502, 503, 504, 520, 522, 524, 529}),
        r"overloaded|internal server error|service unavailable|bad gateway|timed? ?out|temporarily"
        r"|connection (error|reset|refused|closed|aborted)",
    ),
    Fault("empty_answer", "model", "score", "model_error", "an answer without text and without a call"),
    Fault("malformed_answer", "model", "score", "model_error", "no command in the answer, or one that cannot be read"),
    Fault("question", "model", "score", "done", "the agent asks back and leaves no patch: a genuine miss"),
    Fault("turns", "model", "score", "turns", "the turns of an attempt are used up"),
    Fault("time", "model", "score", "time", "the minutes of an attempt are used up; what it left counts"),
    Fault("attempt_budget", "model", "score", "budget", "the attempt's own dollars or tokens are used up"),
    Fault("run_budget", "ours", "stop", "infra", "the money of the whole run is used up: not this attempt's doing"),
    Fault("agent_crash", "ours", "retry", "infra", "the agent's program is missing, crashes or cannot start"),
    Fault("sandbox", "ours", "retry", "infra", "the sandbox could not start or broke"),
    Fault("unknown", "ours", "retry", "infra", "an error that this table does not know: never charged to a model"),
)
BY_NAME = {fault.name: fault for fault in FAULTS}


def classify(status: int | None, said: str) -> Fault:
    """The fault behind a service's error. Words come first: services send the same status for many things."""
    for fault in FAULTS:
        if fault.words and re.search(fault.words, said, re.IGNORECASE):
            return fault
    return next((fault for fault in FAULTS if status in fault.statuses), BY_NAME["unknown"])


def excluded(attempt: Attempt) -> str | None:
    """Why an attempt says nothing about its model, in one line; None if it is scored."""
    fault = BY_NAME.get(attempt.fault or "")
    if attempt.stopped == "infra" or (fault and fault.whose != "model"):
        return attempt.failure or (fault.what if fault else "the attempt broke")
    return None
