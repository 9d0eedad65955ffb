"""Every model that LiteLLM reaches, by its usual names: openai/..., anthropic/..., gemini/..., ollama/..., and so on.

Keys come from the environment, under the names that each service has given them, and go nowhere else.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from redgreen.chat import Price, Reply, Request, ServiceError, Tokens, ToolCall
from redgreen.documents import AgentSpec
from redgreen.errors import UsageError

BYTES_A_TOKEN = 3
"""Fewer than nearly all texts have: an estimate from it is rather too high. Real tokenizers would be downloaded."""
SECRET = re.compile(r"(_KEY|_TOKEN|_SECRET|_PASSWORD)(_|$)")
NO_KEY = "none"


def _litellm() -> Any:
    """Imported where it is used: it takes seconds."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # the list that was installed, not today's from the network
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return litellm


class LiveModel:
    """Raises (on construction):
    UsageError: LiteLLM knows no such service, or the key for it is not in the environment.
    """

    def __init__(self, spec: AgentSpec, task: str) -> None:
        assert spec.model
        self.name, self._base, self._own_price = spec.model, spec.api_base, spec.price is not None
        self._lite = _litellm()
        try:
            _, self._provider, _, _ = self._lite.get_llm_provider(self.name)
        except Exception:  # its own exception differs by version
            raise UsageError(
                f"{self.name}: no such model", "<service>/<model> as LiteLLM names them, or scripted/<name>"
            ) from None
        self._key = self._key_needed()
        self.price = _own(spec) if spec.price else self._listed()

    def _key_needed(self) -> str | None:
        """What stands for a key where none is needed: at a server of one's own."""
        missing = self._lite.validate_environment(self.name)["missing_keys"]
        if not missing:
            return None
        if self._base:
            return NO_KEY
        raise UsageError(
            f"{self.name}: no key", f"export {missing[0]}=...; it is passed to the service and kept nowhere"
        )

    def _listed(self) -> Price | None:
        """From LiteLLM's price list. At an address of one's own the list's prices mean nothing."""
        if self._base:
            return None
        bare = self.name.partition("/")[2]
        for name in (self.name, bare):
            entry: Mapping[str, Any] = self._lite.model_cost.get(name, {})
            if entry.get("litellm_provider") != self._provider or "input_cost_per_token" not in entry:
                continue
            return Price(
                float(entry["input_cost_per_token"]),
                float(entry["output_cost_per_token"]),
                entry.get("cache_read_input_token_cost"),
                f"litellm {version('litellm')}",
            )
        return None

    def count(self, request: Request) -> int:
        asked = request.as_json()
        return len(json.dumps([asked["messages"], asked["tools"]], ensure_ascii=False).encode()) // BYTES_A_TOKEN + 8

    def answer(self, request: Request) -> Reply:
        lite = self._lite
        try:
            response = lite.completion(**self._arguments(request))
        except lite.UnsupportedParamsError as error:
            raise UsageError(
                f"{self.name}: {redacted(str(error))[:200]}", "take that setting out of the run specification"
            ) from None
        except Exception as error:  # every service has exceptions of its own; faults.py tells them apart
            raise ServiceError(getattr(error, "status_code", None), redacted(str(error)), _wait_of(error)) from None
        return self._reply(response)

    def _arguments(self, request: Request) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "model": self.name,
            "messages": [dict(message) for message in request.messages],
            "max_tokens": request.max_tokens,
            "timeout": request.timeout_s,
            "num_retries": 0,  # the gateway's own: counted, and with a word about it
            "max_retries": 0,
            "api_base": self._base,
            "api_key": self._key,
            "temperature": request.temperature,
        }
        if request.tools:
            asked["tools"] = [dict(tool) for tool in request.tools]
        if request.seed is not None and "seed" in (self._lite.get_supported_openai_params(self.name) or ()):
            asked["seed"] = request.seed
        return {name: value for name, value in asked.items() if value is not None}

    def _reply(self, response: Any) -> Reply:
        """Raises:
        ServiceError: an answer that is none.
        """
        if not response.choices:
            raise ServiceError(None, "an answer without a choice: temporarily broken")
        choice = response.choices[0]
        calls = tuple(
            ToolCall(call.id or f"call-{number}", call.function.name or "", call.function.arguments or "")
            for number, call in enumerate(choice.message.tool_calls or ())
        )
        if choice.finish_reason == "content_filter":
            raise ServiceError(200, "content_filter: the service withheld the answer")
        return Reply(
            choice.message.content or "", calls, choice.finish_reason or "stop", _tokens(response), self._cost(response)
        )

    def _cost(self, response: Any) -> float | None:
        """As LiteLLM counts it, which knows of steps in a price and of what writing to a cache costs."""
        if self._own_price or self.price is None:
            return None
        try:
            return float(self._lite.completion_cost(response, model=self.name))
        except Exception:  # no price for something in it: then a token's price has to do
            return None


def _own(spec: AgentSpec) -> Price:
    assert spec.price
    cached = None if spec.price.cached is None else spec.price.cached / 1e6
    return Price(spec.price.prompt / 1e6, spec.price.completion / 1e6, cached, "run specification")


def _tokens(response: Any) -> Tokens:
    usage = getattr(response, "usage", None)
    if usage is None or not (usage.prompt_tokens or usage.completion_tokens):
        return Tokens()  # LiteLLM says 0 where a service did not count
    prompt, completion = usage.prompt_tokens_details, usage.completion_tokens_details
    return Tokens(
        usage.prompt_tokens,
        usage.completion_tokens,
        getattr(prompt, "cached_tokens", None) or 0,
        getattr(completion, "reasoning_tokens", None) or 0,
    )


def _wait_of(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        return None


def redacted(said: str) -> str:
    """Without the value of anything in the environment that is called a secret: some services repeat the key."""
    secrets = [value for name, value in os.environ.items() if SECRET.search(name) and len(value) >= 6]
    for secret in sorted(secrets, key=len, reverse=True):
        said = said.replace(secret, "[key]")
    return said
