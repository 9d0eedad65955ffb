"""What an agent is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from redgreen.documents import AgentSpec, EnvironmentFacts, Usage
from redgreen.gateway import Gateway
from redgreen.language import Surroundings
from redgreen.sandbox import Sandbox

Stopped = Literal["done", "turns", "time", "budget", "context", "refusal", "model_error", "infra"]


@dataclass(frozen=True)
class Assignment:
    """One attempt. The agent's workspace is an overlay over `box`; what it changes lands in `upper`.

    `gold_patch` is empty unless the agent says `needs_gold`: only the oracle, which is no model, ever does.
    """

    id: str
    statement: str
    spec: AgentSpec
    environment: EnvironmentFacts
    surroundings: Surroundings
    box: Path
    upper: Path
    sandbox: Sandbox
    timeout_s: float
    number: int
    leaves_behind: Sequence[str] = ()
    """What the language's tools leave in a tree, as lines of a .gitignore."""
    gateway: Gateway | None = None
    """The way to the model, for an agent that `needs_model`."""
    reply_tokens: int = 4096
    temperature: float | None = None
    seed: int | None = None
    gold_patch: bytes = b""


@dataclass(frozen=True)
class Work:
    """How an attempt ended. `patch` None: read it from what changed in the workspace."""

    patch: bytes | None
    stopped: Stopped = "done"
    usage: Usage = field(default_factory=Usage)
    trajectory: Sequence[dict[str, object]] = field(default_factory=tuple)
    failure: str | None = None
    fault: str | None = None
    """Name in redgreen/faults.py, where something else than the agent ended it."""


class Agent(Protocol):
    needs_gold: bool
    needs_model: bool
    needs_workspace: bool
    """Whether it works in a sandbox at all; one that does not is given no workspace, and must hand in a patch."""
    trusted: bool
    """Whether its commands are ours. The others run in podman only, unless the user says otherwise."""

    def attempt(self, assignment: Assignment) -> Work:
        """Raises:
        InfrastructureError: the sandbox or the model's service broke: no attempt of the agent's.
        """
        ...
