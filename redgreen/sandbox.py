"""What a sandbox is asked for and what it answers. The sandboxes themselves are in adapters/sandboxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

BOX = "/redgreen/box"
"""Where the installed project lies inside every sandbox: `tree/` is the project, `env/` its dependencies.

One path at install and at run, because virtual environments and editable installs hold absolute paths."""


@dataclass(frozen=True)
class Mount:
    """A host folder or file shown inside.

    `overlay` shows `source` as if writable and puts every change in `upper` (the kernel's overlay format: whiteouts are
    character devices 0/0), or throws changes away if `upper` is None.
    """

    source: Path
    target: str
    mode: Literal["ro", "rw", "overlay"] = "ro"
    upper: Path | None = None


@dataclass(frozen=True)
class Limits:
    timeout_s: float = 1800
    memory_bytes: int = 4 << 30
    processes: int = 1024
    open_files: int = 4096
    file_bytes: int = 2 << 30
    output_bytes: int = 4 << 20
    """Standard output and standard error are kept up to this size each; the rest is dropped, and said so."""


@dataclass(frozen=True)
class Command:
    """One command in a fresh sandbox; when it ends, every process that it started is ended too."""

    argv: Sequence[str]
    mounts: Sequence[Mount] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    """The whole environment: nothing of the host's is passed on."""
    workdir: str = "/"
    network: bool = False
    """False: no interface but an own loopback; what has to get out goes through redgreen.egress. True: the host's."""
    limits: Limits = Limits()
    label: str = ""
    """Names the sandbox on the host; a left-over one with the same label is removed before the start."""


def written_by(command: Command) -> list[Path]:
    """Folders of the host that a command's writing may fill, besides those that the sandbox itself makes."""
    writable = [mount.source if mount.mode == "rw" else mount.upper for mount in command.mounts if mount.mode != "ro"]
    return [folder for folder in writable if folder is not None]


@dataclass(frozen=True)
class Finished:
    """How a command ended. `exit_status` is None if it was ended by a limit; 128 + n for signal n."""

    exit_status: int | None
    ended: Literal["exited", "timeout", "out_of_memory"]
    stdout: bytes
    stderr: bytes
    seconds: float


class Sandbox(Protocol):
    """Runs untrusted code as an ordinary user, without the host's files, environment, network or processes."""

    name: str

    @property
    def image(self) -> str | None:
        """Digest of the container image, or None where there is none."""
        ...

    def run(self, command: Command) -> Finished:
        """Run to the end or to a limit.

        Raises:
            redgreen.errors.InfrastructureError: the sandbox itself could not start or broke; the command is not to
            blame.
        """
        ...

    def own(self, folder: Path) -> None:
        """Give a host folder (with all below it) to the user that commands run as, so that they can write it."""
        ...

    def remove(self, folder: Path) -> None:
        """Delete a host folder that commands wrote to, whoever owns its files."""
        ...
