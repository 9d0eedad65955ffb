"""The one way to a model: budgets before a call, patience after a broken one, and a record of each: calls.jsonl.

A call that was made before (the attempt was killed, or is made again) is answered from that record as long as the
requests are the same: nothing is paid twice.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from redgreen.chat import Model, Reply, Request, ServiceError, Tokens, ToolCall
from redgreen.contract import write_bytes
from redgreen.documents import Budgets, Usage
from redgreen.errors import InfrastructureError, UsageError
from redgreen.faults import BY_NAME, Fault, classify
from redgreen.ledger import Ledger, Spent

RETRIES = 6
LONGEST_WAIT_S = 300.0
STEPS = {"billing": "pay, then run the same command again", "run_budget": "raise it in the run specification"}


class Ended(Exception):  # noqa: N818 (an event in an attempt, as often as not no error)
    """The model's part is over. `fault` is a row of redgreen.faults."""

    def __init__(self, fault: Fault, said: str) -> None:
        super().__init__(said)
        self.fault = fault
        self.said = said


class Gateway:
    """
    Raises (`ask`):
        Ended: the attempt is over: a budget of its own, the model's fault, or a service that stays broken.
        InfrastructureError: the run has to stop until somebody acts: no money, no key, no such model.
    """

    def __init__(
        self,
        model: Model,
        name: str,
        budgets: Budgets,
        ledger: Ledger,
        calls: Path,
        *,
        wait: Callable[[float, str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if model.price is None and any(
            limit.usd is not None for limit in (budgets.attempt, budgets.run, budgets.total)
        ):
            raise UsageError(
                f"{name}: its price is not known, so a budget in dollars cannot be kept",
                "give the agent a `price` in the run specification, or budgets in tokens, turns and minutes",
            )
        self.model, self.name, self.budgets, self.ledger, self.calls = model, name, budgets, ledger, calls
        self._wait, self._clock = wait or countdown, clock
        self._started, self._waited = clock(), 0.0
        self._recorded = read_calls(calls)
        self._made: list[dict[str, Any]] = []

    def remaining_s(self) -> float:
        """Of the attempt's minutes; what was spent waiting for a broken service is not the attempt's."""
        if self.budgets.attempt.minutes is None:
            return float("inf")
        return self.budgets.attempt.minutes * 60 - (self._clock() - self._started - self._waited)

    def usage(self) -> Usage:
        """Of all calls so far. One call whose tokens or cost are not known makes the sum unknown."""
        counted = [Tokens(**call["tokens"]) for call in self._made]
        costs = [call["cost_usd"] for call in self._made]
        return Usage(
            turns=len(self._made),
            prompt_tokens=_sum([tokens.prompt for tokens in counted]),
            completion_tokens=_sum([tokens.completion for tokens in counted]),
            cached_tokens=_sum([tokens.cached for tokens in counted]),
            reasoning_tokens=_sum([tokens.reasoning for tokens in counted]),
            cost_usd=None if not costs or None in costs else round(sum(costs), 9),
            prices=self.model.price.source if self.model.price else None,
            retries=sum(call["retries"] for call in self._made),
        )

    def ask(self, request: Request) -> Reply:
        digest = self._digest(request)
        number = len(self._made)
        self._check_attempt(request)
        if number < len(self._recorded) and self._recorded[number]["request"] == digest:
            call = self._recorded[number]
        else:
            call = self._call(request, digest)
            self._recorded = []  # another history from here on
        self._made.append(call)
        return reply_of(call)

    def _digest(self, request: Request) -> str:
        asked = json.dumps({"model": self.name, **request.as_json()}, sort_keys=True)
        return hashlib.sha256(asked.encode()).hexdigest()

    def _most(self, request: Request) -> Spent:
        """What the call can cost at most."""
        prompt, price = self.model.count(request), self.model.price
        usd = price.of(Tokens(prompt, request.max_tokens)) if price else None
        return Spent(usd or 0.0, prompt + request.max_tokens, 1, 0.0, 0 if price else 1)

    def _check_attempt(self, request: Request) -> None:
        limit, usage = self.budgets.attempt, self.usage()
        if limit.turns is not None and usage.turns >= limit.turns:
            raise Ended(BY_NAME["turns"], f"{limit.turns} turns")
        if self.remaining_s() <= 0:
            raise Ended(BY_NAME["time"], f"{limit.minutes:g} minutes")
        spent = Spent(usage.cost_usd or 0.0, (usage.prompt_tokens or 0) + (usage.completion_tokens or 0))
        most = self._most(request)
        over = spent.plus(Spent(most.usd, most.tokens)).over(limit.model_copy(update={"turns": None, "minutes": None}))
        if over:
            raise Ended(BY_NAME["attempt_budget"], f"the next call could exceed {over}")

    def _call(self, request: Request, digest: str) -> dict[str, Any]:
        reservation, over = self.ledger.reserve(self._most(request), self.budgets.run, self.budgets.total)
        if reservation is None:
            raise InfrastructureError(f"the next call could exceed the {over}", STEPS["run_budget"])
        began, waited = self._clock(), self._waited
        try:
            reply, retries = self._patiently(request)
        except BaseException:
            self.ledger.settle(reservation, Spent(turns=1, minutes=(self._clock() - began) / 60))
            raise
        cost = reply.cost_usd
        if cost is None and self.model.price:
            cost = self.model.price.of(reply.tokens)
        tokens = (reply.tokens.prompt or 0) + (reply.tokens.completion or 0)
        minutes = (self._clock() - began) / 60
        self.ledger.settle(reservation, Spent(cost or 0.0, tokens, 1, minutes, 1 if cost is None else 0))
        call = {
            "model": self.name,
            "request": digest,
            "text": reply.text,
            "calls": [asdict(one) for one in reply.calls],
            "finish": reply.finish,
            "tokens": asdict(reply.tokens),
            "cost_usd": cost,
            "prices": self.model.price.source if self.model.price else None,
            "seconds": round(self._clock() - began - (self._waited - waited), 3),
            "retries": retries,
        }
        self._keep(call)
        return call

    def _keep(self, call: dict[str, Any]) -> None:
        """Add the call to the record, and drop what another history had left behind the calls made so far."""
        before = "".join(map(line_of, self._made)).encode()
        if not self.calls.is_file() or self.calls.read_bytes() != before:
            write_bytes(self.calls, before)
        with self.calls.open("a") as file:
            file.write(line_of(call))

    def _patiently(self, request: Request) -> tuple[Reply, int]:
        for retries in range(RETRIES + 1):
            try:
                return self.model.answer(request), retries
            except ServiceError as error:
                fault = classify(error.status, error.said)
                said = " ".join(error.said.split())[:300]
                if fault.policy == "stop":
                    raise InfrastructureError(f"{self.name}: {said}", STEPS.get(fault.name, fault.what)) from None
                if fault.policy == "score" or retries == RETRIES:
                    raise Ended(fault, said) from None
                wait = min(error.wait_s if error.wait_s is not None else 2.0**retries, LONGEST_WAIT_S)
                self._wait(wait, f"{self.name}: {fault.what}")
                self._waited += wait
        raise AssertionError("the last round returns or raises")


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def line_of(call: dict[str, Any]) -> str:
    return json.dumps(call, sort_keys=True) + "\n"


def read_calls(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a record; half a line is what a killed process leaves."""
    if not path.is_file():
        return []
    lines = path.read_text().split("\n")[:-1]
    try:
        return [json.loads(line) for line in lines]
    except ValueError as error:
        raise UsageError(f"{path}: {error}", "delete it: the calls are made anew") from None


def reply_of(call: dict[str, Any]) -> Reply:
    return Reply(
        call["text"], tuple(ToolCall(**one) for one in call["calls"]), call["finish"], Tokens(**call["tokens"])
    )


def countdown(seconds: float, why: str) -> None:
    """Wait, and say so: one line each minute."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        print(f"waiting     {why}: {left:.0f} s left", file=sys.stderr, flush=True)
        time.sleep(min(left, 60))
