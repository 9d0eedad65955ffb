"""What a model is asked and what it answers, in the shape that chat services share (OpenAI's messages and tools)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Message = Mapping[str, Any]
"""{"role": "system" | "user" | "assistant" | "tool", "content": str | None, "tool_calls"?, "tool_call_id"?}"""


@dataclass(frozen=True)
class Request:
    """`tools` as OpenAI's functions: {"type": "function", "function": {"name", "description", "parameters"}}."""

    messages: Sequence[Message]
    tools: Sequence[Mapping[str, Any]] = ()
    max_tokens: int = 4096
    temperature: float | None = None
    seed: int | None = None
    timeout_s: float = 600

    def as_json(self) -> dict[str, Any]:
        """What decides the answer. The time limit does not."""
        return {
            "messages": [dict(message) for message in self.messages],
            "tools": [dict(tool) for tool in self.tools],
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class Tokens:
    """As the service counted them. Null is unknown, 0 is none. `cached` is part of `prompt`, `reasoning` of
    `completion`."""

    prompt: int | None = None
    completion: int | None = None
    cached: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True)
class Price:
    """US dollars a token, and the list that they are from."""

    prompt: float
    completion: float
    cached: float | None
    source: str

    def of(self, tokens: Tokens) -> float | None:
        """None where the service did not count."""
        if tokens.prompt is None or tokens.completion is None:
            return None
        cached = min(tokens.cached or 0, tokens.prompt)
        cheap = self.prompt if self.cached is None else self.cached
        return (tokens.prompt - cached) * self.prompt + cached * cheap + tokens.completion * self.completion


@dataclass(frozen=True)
class ToolCall:
    """`arguments` is the text that the model wrote: JSON, if it keeps to the form."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Reply:
    text: str
    calls: Sequence[ToolCall] = ()
    finish: str = "stop"
    """As services call it: stop, length, tool_calls, content_filter."""
    tokens: Tokens = field(default_factory=Tokens)
    cost_usd: float | None = None
    """Where a price list knows more than a price for each token; else it is counted from `Model.price`."""

    def as_message(self) -> dict[str, Any]:
        """The assistant's turn, as the next request repeats it."""
        message: dict[str, Any] = {"role": "assistant", "content": self.text or None}
        if self.calls:
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call in self.calls
            ]
        return message


class ServiceError(Exception):
    """What a model's service said instead of an answer. `status` is HTTP's, or None if nothing came back."""

    def __init__(self, status: int | None, said: str, wait_s: float | None = None) -> None:
        super().__init__(said)
        self.status = status
        self.said = said
        self.wait_s = wait_s


class Model(Protocol):
    price: Price | None
    """None: not known. A budget in dollars cannot be kept then, and costs are null."""

    def count(self, request: Request) -> int:
        """How many tokens the request will cost as a prompt: an estimate, rather too high than too low."""
        ...

    def answer(self, request: Request) -> Reply:
        """Raises:
        ServiceError: there is no answer.
        """
        ...
