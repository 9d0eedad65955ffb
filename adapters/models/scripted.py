"""A model that answers from a file, runs/models/<name>.yaml: for tests, demonstrations and measurements."""

from __future__ import annotations

import json

from redgreen.chat import Price, Reply, Request, ServiceError, Tokens, ToolCall
from redgreen.contract import ROOT, load_yaml
from redgreen.documents import AgentSpec, ModelScript, ScriptedReply
from redgreen.errors import UsageError

MODELS = ROOT / "runs" / "models"
BYTES_A_TOKEN = 4


class ScriptedModel:
    """Raises (on construction):
    UsageError: there is no such script, or it has no answer for this task.
    """

    def __init__(self, spec: AgentSpec, task: str) -> None:
        name = (spec.model or "").partition("/")[2]
        path = MODELS / f"{name}.yaml"
        if not path.is_file():
            known = ", ".join(sorted(f"scripted/{file.stem}" for file in MODELS.glob("*.yaml")))
            raise UsageError(f"{spec.model}: no such model", f"one of: {known}")
        script = load_yaml(path, ModelScript)
        self._replies = script.replies.get(task, script.replies.get("*", ()))
        if not self._replies:
            raise UsageError(f"{path.name}: replies: no answer for {task}", "add one, or one for `*`")
        price = spec.price or script.price
        self.price = (
            None
            if price is None
            else Price(
                price.prompt / 1e6,
                price.completion / 1e6,
                None if price.cached is None else price.cached / 1e6,
                "run specification" if spec.price else f"runs/models/{name}.yaml",
            )
        )
        self._broken = 0

    def count(self, request: Request) -> int:
        return len(json.dumps(request.as_json()["messages"])) // BYTES_A_TOKEN + 1

    def answer(self, request: Request) -> Reply:
        """Its n-th answer for a conversation with n - 1 answers in it: also when it is continued later."""
        given = sum(message["role"] == "assistant" for message in request.messages) + self._broken
        reply: ScriptedReply = self._replies[min(given, len(self._replies) - 1)]
        if reply.fault:
            self._broken += 1
            raise ServiceError(reply.fault.status, reply.fault.said, reply.fault.wait_s)
        calls = tuple(
            ToolCall(f"call-{given}-{number}", name, json.dumps(arguments))
            for number, (name, arguments) in enumerate(reply.calls)
        )
        written = len(reply.text) + sum(len(call.arguments) for call in calls)
        tokens = Tokens(self.count(request), written // BYTES_A_TOKEN + 1, 0, 0)
        return Reply(reply.text, calls, reply.finish, tokens)
