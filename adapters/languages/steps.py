"""How every language installs: one shell script inside the sandbox, whose announced steps give a failure its name.

The script sees the package registries of its language and nothing else. Its words are kept as evidence.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from redgreen.egress import egress
from redgreen.errors import InfrastructureError, Rejected
from redgreen.language import Workshop
from redgreen.sandbox import BOX, Command, Finished, Mount, Sandbox

CACHE = "/redgreen/cache"
"""Where the package manager's cache lies inside."""

SCRIPT = "install.sh"
NETWORK_FAULTS = re.compile(
    r"error sending request|dns error|failed to lookup address|Connection (?:refused|reset|timed out)"
    r"|operation timed out|tcp connect error|HTTP status (?:server error|client error \(429)|No space left on device"
    r"|invalid peer certificate|ECONNRE(?:SET|FUSED)|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|502 Bad Gateway"
    r"|spurious network error|Could(?:n't| not) (?:resolve|connect)|CONNECT tunnel failed|SSL connect error"
    r"|ERR_PNPM_FETCH_(?:429|5\d\d)|code E(?:429|5\d\d)"
    r"|429 Too Many Requests|TLS handshake timeout|i/o timeout|proxyconnect tcp",
    re.IGNORECASE,
)
"""Words of package managers for what is nobody's fault but the network's."""


TELLING = re.compile(r"error|\[ERROR\]|npm err|Because|No solution|\w*Error\b|Failed", re.IGNORECASE)
"""How a line begins that says what went wrong."""


@dataclass(frozen=True)
class Step:
    """A name for people, and either one command's words or, as a text, lines of shell.

    A step that fails ends all. So no text holds `&&`, whose left side may fail without ending anything.
    """

    name: str
    command: Sequence[str] | str


def script(steps: Sequence[Step], workdir: str = f"{BOX}/tree") -> str:
    lines = [
        "set -eu",
        "exec >&2  # one stream, so that what a step said stands after its name",
        f"cd {shlex.quote(workdir)}",
    ]
    for step in steps:
        line = step.command if isinstance(step.command, str) else shlex.join(step.command)
        lines += [f"echo {shlex.quote(f'redgreen-step {step.name}')} >&2", line]
    return "\n".join(lines) + "\n"


def own(workshop: Workshop, sandbox: Sandbox) -> None:
    """Give the box and a new cache to the sandbox's user: call it once everything that install reads is written."""
    new_cache = not workshop.cache.exists()
    workshop.cache.mkdir(parents=True, exist_ok=True)
    sandbox.own(workshop.box)
    if new_cache:  # else another install may be at work in it
        sandbox.own(workshop.cache)


def perform(
    steps: Sequence[Step],
    workshop: Workshop,
    sandbox: Sandbox,
    *,
    hosts: Sequence[str],
    variables: dict[str, str],
    mounts: Sequence[Mount] = (),
    first: Sequence[str] = (),
) -> bytes:
    """Run the steps in `workshop.box` and return what was said.

    `hosts` are the registries that may be asked (none if the workshop is offline). `first` names steps that need
    nothing of the project: a failure there is this machine's.

    Raises:
        Rejected: install_failed, with the step and its last word.
        InfrastructureError: the network or the sandbox failed.
    """
    (workshop.box / SCRIPT).write_text(script(steps))
    own(workshop, sandbox)
    command = Command(
        argv=["sh", f"{BOX}/{SCRIPT}"],
        mounts=[Mount(workshop.box, BOX, "rw"), Mount(workshop.cache, CACHE, "rw"), *mounts],
        variables=variables,
        workdir="/",
        limits=workshop.limits,
        label=workshop.label,
    )
    with egress(() if workshop.offline else hosts) as way:
        finished = sandbox.run(way.through(command))
    log = finished.stdout + finished.stderr + "".join(f"redgreen-refused {host}\n" for host in way.refused).encode()
    (workshop.box.parent / "logs").mkdir(exist_ok=True)
    (workshop.box.parent / "logs" / "install.log").write_bytes(log)
    if finished.exit_status != 0:
        _explain(finished, workshop, list(way.refused), first)
    return log


def _explain(finished: Finished, workshop: Workshop, refused: Sequence[str], first: Sequence[str]) -> None:
    text = finished.stderr.decode(errors="replace")
    steps = re.findall(r"^redgreen-step (.+)$", text, re.M)
    step = steps[-1] if steps else "start"
    said = text.rpartition("redgreen-step ")[2]
    if finished.ended != "exited":
        raise Rejected("install_failed", f"{step}: ended by a limit: {finished.ended.replace('_', ' ')}")
    if refused:
        raise Rejected("install_failed", f"{step}: asks for {refused[0]}, which is no package registry")
    if NETWORK_FAULTS.search(said) and not workshop.offline:
        raise InfrastructureError(
            f"install, {step}: {last_word(said)}", "check the network, then run the same command again"
        )
    if not steps or step in first:
        raise InfrastructureError(f"install could not start: {last_word(text)}", "run `make doctor`")
    raise Rejected("install_failed", f"{step}: {last_word(said)}")


def last_word(text: str) -> str:
    """The line that says most: a tool's own conclusion or an exception, without addresses, paths of ours and times."""
    lines = [line.strip(" ×╰─▶│├┬") for line in text.splitlines()[1:] if line.strip(" ×╰─▶│├┬")]
    telling = [
        line
        for line in lines
        if re.match(r"(error|\[ERROR\]|npm err|Because|No solution|\w*Error\b|Failed)", line, re.I)
    ]
    line = (telling or lines or ["no word"])[-1 if not telling else 0]
    line = re.sub(r"https?://\S+", "<address>", line)
    line = re.sub(r"/redgreen/\S+", "<path>", line)
    return re.sub(r"\s+", " ", line)[:240]


def read_made(path: Path) -> bytes:
    """A file that install made. The project's build could write there too: a link would make us read what it points at.

    Raises:
        Rejected: install_failed.
    """
    if path.is_symlink() or not path.is_file():
        raise Rejected("install_failed", f"the build replaced {path.name}")
    return path.read_bytes()
