"""A live model, over HTTP on loopback: what is sent, what is counted, which faults come of what a service says."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from adapters.models.live import LiveModel, redacted
from redgreen.chat import Request, ServiceError, Tokens
from redgreen.documents import AgentSpec, Budgets, PriceSpec
from redgreen.errors import InfrastructureError, UsageError
from redgreen.faults import classify
from redgreen.gateway import Gateway
from redgreen.ledger import Ledger

KEY = "sk-test-0123456789"
HI = Request([{"role": "user", "content": "hi"}], max_tokens=50, temperature=0.5, seed=7, timeout_s=20)
USAGE = {
    "prompt_tokens": 11,
    "completion_tokens": 5,
    "total_tokens": 16,
    "prompt_tokens_details": {"cached_tokens": 3},
    "completion_tokens_details": {"reasoning_tokens": 2},
}


class Service(ThreadingHTTPServer):
    """Says what it was told to say, and keeps what it was asked."""

    def __init__(self) -> None:
        self.status, self.headers, self.body = 200, {}, completion("hello")
        self.asked: list[tuple[dict[str, str], dict[str, Any]]] = []
        super().__init__(("127.0.0.1", 0), Handler)

    status: int
    headers: dict[str, str]
    body: dict[str, Any]


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append(({name.lower(): value for name, value in self.headers.items()}, asked))
        content = json.dumps(self.server.body).encode()
        self.send_response(self.server.status)
        for name, value in {"content-type": "application/json", **self.server.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: object) -> None: ...


def completion(text: str | None, finish: str = "stop", **message: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": USAGE}


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made = Service()
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()


def live(service: Service, **facts: Any) -> LiveModel:
    base = f"http://127.0.0.1:{service.server_port}/v1"
    return LiveModel(AgentSpec(name="a", kind="shell", model="openai/m", api_base=base, **facts), "task")


def test_what_is_asked_arrives_and_what_is_answered_is_counted(service: Service) -> None:
    reply = live(service).answer(HI)
    assert (reply.text, reply.finish, reply.tokens) == ("hello", "stop", Tokens(11, 5, 3, 2))
    [(headers, asked)] = service.asked
    assert headers["authorization"] == f"Bearer {KEY}"
    assert (asked["model"], asked["messages"]) == ("m", [{"role": "user", "content": "hi"}])
    assert (asked["max_tokens"], asked["temperature"], asked["seed"]) == (50, 0.5, 7)


def test_calls_of_tools_come_through_as_the_model_wrote_them(service: Service) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": '}}
    service.body = completion(None, "tool_calls", tool_calls=[call])
    reply = live(service).answer(HI)
    assert [(one.id, one.name, one.arguments) for one in reply.calls] == [("c1", "read", '{"path": ')]


def test_a_price_at_an_address_of_one_s_own_is_not_known_unless_it_is_given(service: Service) -> None:
    assert live(service).price is None
    model = live(service, price=PriceSpec(prompt=2, completion=10))
    assert model.price
    assert model.price.of(Tokens(11, 5)) == pytest.approx(72e-6)
    assert model.answer(HI).cost_usd is None


def test_a_listed_model_has_its_price_with_the_list_s_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    price = LiveModel(AgentSpec(name="a", kind="shell", model="openai/gpt-4o-mini"), "task").price
    assert price and price.completion > price.prompt > 0
    assert price.source.startswith("litellm 1.")
    assert LiveModel(AgentSpec(name="a", kind="shell", model="openai/not-in-any-list"), "task").price is None


@pytest.mark.parametrize(
    ("status", "said", "headers", "fault", "wait"),
    [
        (429, "Rate limit reached", {"retry-after": "17"}, "rate_limit", 17.0),
        (429, "You exceeded your current quota", {}, "billing", None),
        (401, "Incorrect API key provided", {}, "authentication", None),
        (400, "This model's maximum context length is 8 tokens", {}, "context_overflow", None),
        (404, "The model `m` does not exist", {}, "unknown_model", None),
        (503, "upstream is overloaded", {}, "service_error", None),
    ],
)
def test_a_service_s_error_becomes_a_row_of_the_table(
    service: Service, status: int, said: str, headers: dict[str, str], fault: str, wait: float | None
) -> None:
    service.status, service.headers, service.body = status, headers, {"error": {"message": said, "type": "x"}}
    with pytest.raises(ServiceError) as error:
        live(service).answer(HI)
    assert (classify(error.value.status, error.value.said).name, error.value.wait_s) == (fault, wait)
    assert len(service.asked) == 1  # the client's own retries would not be counted


def test_a_service_that_is_not_there_is_nobody_s_fault(service: Service) -> None:
    model = live(service)
    model._base = "http://127.0.0.1:9/v1"
    with pytest.raises(ServiceError) as error:
        model.answer(HI)
    assert classify(error.value.status, error.value.said).name == "service_error"


def test_a_key_that_a_service_repeats_is_written_nowhere(service: Service, tmp_path: Path) -> None:
    service.status, service.body = 401, {"error": {"message": f"Incorrect API key provided: {KEY}."}}
    ledger = Ledger(tmp_path / "spend.jsonl", "demo/a")
    with pytest.raises(InfrastructureError) as error:
        Gateway(live(service), "openai/m", Budgets(), ledger, tmp_path / "calls.jsonl").ask(HI)
    assert KEY not in str(error.value) and "[key]" in str(error.value)
    assert all(KEY not in file.read_text() for file in tmp_path.rglob("*") if file.is_file())
    assert redacted(f"a {KEY} b") == "a [key] b"


def test_a_missing_key_and_an_unknown_service_are_told_before_anything_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(UsageError, match="no key") as error:
        LiveModel(AgentSpec(name="a", kind="shell", model="anthropic/claude-sonnet-4-5"), "task")
    assert "export ANTHROPIC_API_KEY" in error.value.hint
    with pytest.raises(UsageError, match="no such model"):
        LiveModel(AgentSpec(name="a", kind="shell", model="nowhere/x"), "task")
