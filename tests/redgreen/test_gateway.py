"""The gateway: budgets are kept before the call, a broken service costs the model nothing, nothing is paid twice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from redgreen.chat import Price, Reply, Request, ServiceError, Tokens
from redgreen.documents import Budgets, Limit
from redgreen.errors import InfrastructureError, UsageError
from redgreen.gateway import RETRIES, Ended, Gateway
from redgreen.ledger import Ledger

PRICE = Price(1e-3, 2e-3, 1e-4, "a list, version 1")
HI = Request([{"role": "user", "content": "hi"}], max_tokens=100)
AGAIN = Request([*HI.messages, {"role": "assistant", "content": "0"}], max_tokens=100)


class Model:
    """Answers what it is given, one after another; counts each request as ten tokens."""

    def __init__(self, *answers: Reply | ServiceError, price: Price | None = PRICE) -> None:
        self.answers = list(answers)
        self.price = price
        self.asked: list[Request] = []

    def count(self, request: Request) -> int:
        return 10

    def answer(self, request: Request) -> Reply:
        self.asked.append(request)
        answer = self.answers.pop(0) if self.answers else said("more")
        if isinstance(answer, ServiceError):
            raise answer
        return answer


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def said(text: str, prompt: int | None = 8, completion: int | None = 4, cached: int = 0) -> Reply:
    return Reply(text, tokens=Tokens(prompt, completion, cached, 0))


def gateway(
    folder: Path, model: Model, name: str = "scripted/x", clock: Clock | None = None, **limits: Limit
) -> Gateway:
    waits: list[float] = []
    clock = clock or Clock()

    def wait(seconds: float, why: str) -> None:
        waits.append(seconds)
        clock.now += seconds

    ledger = Ledger(folder / "spend.jsonl", "demo/a")
    made = Gateway(model, name, Budgets(**limits), ledger, folder / "calls.jsonl", wait=wait, clock=clock)
    made.waits = waits  # type: ignore[attr-defined]
    return made


def test_a_call_is_answered_metered_and_written_down(tmp_path: Path) -> None:
    opened = gateway(tmp_path, Model(said("hello", cached=6)))
    assert opened.ask(HI).text == "hello"
    usage = opened.usage()
    assert (usage.turns, usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens) == (1, 8, 4, 6)
    assert usage.cost_usd == pytest.approx(2 * 1e-3 + 6 * 1e-4 + 4 * 2e-3)
    assert usage.prices == "a list, version 1"
    [line] = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert (line["text"], line["model"], line["retries"]) == ("hello", "scripted/x", 0)
    assert line["cost_usd"] == pytest.approx(usage.cost_usd)


@pytest.mark.parametrize(
    ("limit", "fault"),
    [
        (Limit(turns=1), "turns"),
        (Limit(tokens=121), "attempt_budget"),  # 12 spent, 110 at most for the next
        (Limit(usd=0.225), "attempt_budget"),  # 0.016 spent, 0.21 at most for the next
    ],
)
def test_an_attempt_s_budget_ends_it_before_the_call_that_could_exceed_it(
    tmp_path: Path, limit: Limit, fault: str
) -> None:
    model = Model()
    opened = gateway(tmp_path, model, attempt=limit)
    opened.ask(HI)
    with pytest.raises(Ended) as ended:
        opened.ask(AGAIN)
    assert (ended.value.fault.name, ended.value.fault.whose) == (fault, "model")
    assert len(model.asked) == 1


def test_one_token_more_and_the_call_is_made(tmp_path: Path) -> None:
    opened = gateway(tmp_path, Model(), attempt=Limit(tokens=122))
    opened.ask(HI)
    assert opened.ask(AGAIN).text == "more"


def test_the_run_s_budget_stops_the_run_and_is_no_attempt_s_fault(tmp_path: Path) -> None:
    for limits in ({"run": Limit(turns=1)}, {"total": Limit(tokens=121)}):
        model = Model()
        folder = tmp_path / next(iter(limits))
        opened = gateway(folder, model, **limits)
        opened.ask(HI)
        with pytest.raises(InfrastructureError, match=f"{next(iter(limits))} budget"):
            opened.ask(AGAIN)
        assert len(model.asked) == 1


def test_minutes_spent_waiting_for_a_broken_service_are_not_the_attempt_s(tmp_path: Path) -> None:
    clock = Clock()
    model = Model(ServiceError(429, "rate limit", 90), ServiceError(503, "overloaded"), said("at last"))
    opened = gateway(tmp_path, model, clock=clock, attempt=Limit(minutes=1))
    assert opened.ask(HI).text == "at last"
    assert (opened.waits, opened.usage().retries) == ([90, 2.0], 2)  # type: ignore[attr-defined]
    assert opened.remaining_s() == 60
    clock.now += 60
    with pytest.raises(Ended) as ended:
        opened.ask(AGAIN)
    assert ended.value.fault.name == "time"


def test_a_service_that_stays_broken_ends_the_attempt_as_nobody_s_failure(tmp_path: Path) -> None:
    model = Model(*[ServiceError(503, "overloaded")] * (RETRIES + 1))
    with pytest.raises(Ended) as ended:
        gateway(tmp_path, model).ask(HI)
    assert (ended.value.fault.stopped, ended.value.fault.whose) == ("infra", "service")
    assert len(model.asked) == RETRIES + 1


@pytest.mark.parametrize(
    ("status", "words"), [(401, "invalid api key"), (402, "credit balance"), (404, "no such model")]
)
def test_what_only_somebody_can_mend_stops_the_run_at_once(tmp_path: Path, status: int, words: str) -> None:
    model = Model(ServiceError(status, words))
    with pytest.raises(InfrastructureError, match=words):
        gateway(tmp_path, model).ask(HI)
    assert len(model.asked) == 1


def test_the_model_s_own_faults_end_the_attempt_and_are_not_tried_again(tmp_path: Path) -> None:
    model = Model(ServiceError(400, "prompt is too long: 210000 tokens"))
    with pytest.raises(Ended) as ended:
        gateway(tmp_path, model).ask(HI)
    assert (ended.value.fault.stopped, len(model.asked)) == ("context", 1)


def test_a_price_that_is_not_known_makes_the_cost_null_and_a_budget_in_dollars_an_error(tmp_path: Path) -> None:
    opened = gateway(tmp_path, Model(price=None))
    opened.ask(HI)
    assert (opened.usage().cost_usd, opened.usage().prices) == (None, None)
    with pytest.raises(UsageError, match="its price is not known"):
        gateway(tmp_path, Model(price=None), total=Limit(usd=5))


def test_tokens_that_were_not_counted_are_unknown_and_so_is_the_cost(tmp_path: Path) -> None:
    opened = gateway(tmp_path, Model(said("a"), said("b", None, None)))
    opened.ask(HI)
    opened.ask(AGAIN)
    assert (opened.usage().prompt_tokens, opened.usage().cost_usd) == (None, None)


def asked(opened: Gateway, requests: Sequence[Request]) -> list[str]:
    return [opened.ask(request).text for request in requests]


def test_an_attempt_that_was_killed_goes_on_and_pays_nothing_twice(tmp_path: Path) -> None:
    assert asked(gateway(tmp_path, Model(said("0"), said("1"))), [HI, AGAIN]) == ["0", "1"]
    calls = tmp_path / "calls.jsonl"
    recorded = calls.read_bytes()
    calls.write_bytes(recorded + b'{"cut off')
    second = Model(said("2"))
    third = Request([*AGAIN.messages, {"role": "assistant", "content": "1"}], max_tokens=100)
    opened = gateway(tmp_path, second)
    assert asked(opened, [HI, AGAIN, third]) == ["0", "1", "2"]
    assert (second.asked, opened.usage().turns) == ([third], 3)
    assert calls.read_bytes().startswith(recorded)
    assert len(calls.read_text().splitlines()) == 3


def test_what_is_asked_otherwise_is_asked_anew_and_the_old_answers_go(tmp_path: Path) -> None:
    asked(gateway(tmp_path, Model(said("0"), said("1"))), [HI, AGAIN])
    other = Request([{"role": "user", "content": "other"}], max_tokens=100)
    model = Model(said("new"), said("newer"))
    assert asked(gateway(tmp_path, model), [HI, other, AGAIN]) == ["0", "new", "newer"]
    lines = [json.loads(line)["text"] for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert lines == ["0", "new", "newer"]


def test_another_model_s_answers_are_not_taken(tmp_path: Path) -> None:
    asked(gateway(tmp_path, Model(said("0"))), [HI])
    assert asked(gateway(tmp_path, Model(said("mine")), "scripted/y"), [HI]) == ["mine"]
