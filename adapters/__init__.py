"""The registry of plug-ins: one line each. Nothing is imported before it is asked for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from redgreen.contract import ROOT, write_bytes
from redgreen.errors import InfrastructureError, UsageError
from redgreen.mirrors import ensure_mirror, locked

if TYPE_CHECKING:
    from redgreen.agent import Agent
    from redgreen.chat import Model
    from redgreen.documents import AgentSpec
    from redgreen.fixes import Source
    from redgreen.language import Language
    from redgreen.sandbox import Sandbox

LANGUAGES = {
    "python": "adapters.languages.python:Python",
    "go": "adapters.languages.go:Go",
    "typescript": "adapters.languages.typescript:TypeScript",
    "java": "adapters.languages.java:Java",
    "rust": "adapters.languages.rust:Rust",
}
SOURCES = {
    "demo": "adapters.sources.demo:DemoSource",
    "mirror": "adapters.sources.mirror:MirrorSource",
    "github": "adapters.sources.github:GitHubSource",
}
AGENTS = {
    "oracle": "adapters.agents.oracle:Oracle",
    "empty": "adapters.agents.empty:Empty",
    "scripted": "adapters.agents.scripted:Scripted",
    "shell": "adapters.agents.shell:Shell",
}
MODELS = {
    "scripted": "adapters.models.scripted:ScriptedModel",
    "live": "adapters.models.live:LiveModel",
}
SANDBOXES = ("podman", "process")


def _load(table: dict[str, str], name: str, kind: str) -> Any:
    if name not in table:
        raise UsageError(f"{name}: no such {kind}", f"one of: {', '.join(table)}")
    module, _, attribute = table[name].partition(":")
    return getattr(import_module(module), attribute)


@cache
def language(name: str) -> Language:
    found: Language = _load(LANGUAGES, name, "language")()
    return found


def all_languages() -> list[Language]:
    return [language(name) for name in LANGUAGES]


def agent(name: str) -> Agent:
    found: Agent = _load(AGENTS, name, "agent")()
    return found


def model(spec: AgentSpec, task: str) -> Model:
    """The model of an agent: scripted/<name>, or whatever LiteLLM calls by this name.

    Raises:
        UsageError: there is none, or none of this name.
    """
    if not spec.model:
        raise UsageError(f"{spec.name}: an agent of kind {spec.kind} needs a model", "give it `model:`")
    kind = "scripted" if spec.model.startswith("scripted/") else "live"
    found: Model = _load(MODELS, kind, "kind of model")(spec, task)
    return found


def is_test(path: str) -> bool:
    return any(known.is_test(path) for known in all_languages())


def source(name: str) -> Source:
    """A source, given what it needs to reach repositories."""
    from redgreen.mirrors import identity

    kind = _load(SOURCES, name, "source")
    found: Source
    if name == "mirror":
        found = kind(repository=_fresh_mirror, identity=identity)
    elif name == "github":
        found = kind(is_test)
    else:
        found = kind()
    return found


def _fresh_mirror(repository: str, out: Path) -> Path:
    from redgreen.mirrors import identity

    repo, url = identity(repository)
    return ensure_mirror(out, repo, url, fresh=True)


def mirror(out: Path, repo: str, url: str, *needs: str) -> Path:
    """The local repository behind a candidate's `url`: a mirror, or what a source builds itself (`<source>:<name>`)."""
    scheme = url.partition(":")[0]
    if scheme in SOURCES:
        built: Path = _load(SOURCES, scheme, "source")().repository(url, out)
        return built
    return ensure_mirror(out, repo, url, needs=needs)


def sandbox_name(choice: str) -> str:
    """`auto` is podman where it is installed, else process.

    Raises:
        UsageError: no such sandbox.
    """
    if choice == "auto":
        return "podman" if shutil.which("podman") else "process"
    if choice not in SANDBOXES:
        raise UsageError(f"{choice}: no such sandbox", f"one of: auto, {', '.join(SANDBOXES)}")
    return choice


def sandbox(choice: str, language_name: str, out: Path) -> Sandbox:
    """
    Raises:
        InfrastructureError: the one that was asked for cannot work here, and how to get it.
    """
    if sandbox_name(choice) == "process":
        return process_sandbox()
    from adapters.sandboxes.podman import PodmanSandbox

    podman = PodmanSandbox(image(language_name, out))
    if not podman.has_image():  # pruned since its id was kept
        (out / "images" / language_name).unlink(missing_ok=True)
        podman = PodmanSandbox(image(language_name, out))
    return podman


def process_sandbox() -> Sandbox:
    from adapters.sandboxes.process import ProcessSandbox

    found = ProcessSandbox()
    missing = found.probe()
    if missing:
        raise InfrastructureError(f"the process sandbox cannot work here: {missing}", "run `make doctor`")
    return found


def find_image(language_name: str) -> str | None:
    """The id of a language's image if it is there; nothing is built."""
    script = str(ROOT / "containers" / "build.sh")
    done = subprocess.run(["bash", script, language_name, "look"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or None if done.returncode == 0 else None


def image(language_name: str, out: Path) -> str:
    """The id of a language's image, built if its recipe has changed; kept under OUT, as asking podman takes longer."""
    kept = out / "images" / language_name
    recipe = [path for path in (ROOT / "containers").rglob("*") if path.is_file()]
    newest = max(path.stat().st_mtime for path in recipe)
    with locked(kept.with_suffix(".lock")):
        if kept.is_file() and kept.stat().st_mtime >= newest:
            return kept.read_text().strip()
        log = kept.with_suffix(".log")
        print(
            f"image       {language_name}  looked up, or built in a minute or two: {log}", file=sys.stderr, flush=True
        )
        with log.open("wb") as words:
            done = subprocess.run(
                ["bash", str(ROOT / "containers" / "build.sh"), language_name],
                stdout=subprocess.PIPE,
                stderr=words,
                env=os.environ,
                check=False,
            )
        if done.returncode:
            said = log.read_text(errors="replace").strip().splitlines()
            faults = [line.removeprefix("error: ") for line in said if line.startswith("error: ")]
            raise InfrastructureError(
                f"the {language_name} image could not be built: {(faults or said or ['no word'])[-1]}",
                f"{log} says more; or use SANDBOX=process",
            )
        write_bytes(kept, done.stdout)
    return done.stdout.decode().strip()
