"""The Go that fetches all others: the image's, or the host's where there is no image."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from redgreen.errors import InfrastructureError
from redgreen.sandbox import Command, Mount, Sandbox

IMAGE_ROOT = "/usr/local/go"
LEAST = (1, 21)
"""From here on the go command fetches and sets up other toolchains."""


@dataclass(frozen=True)
class Bootstrap:
    """`root` is its folder inside the sandbox; `mounts` make it appear there."""

    version: str
    root: str
    mounts: tuple[Mount, ...] = ()


_ASKED: dict[str, Bootstrap | None] = {}


def bootstrap(sandbox: Sandbox) -> Bootstrap | None:
    """Asked once for each image; None if there is no Go, or one that is too old."""
    key = sandbox.image or sandbox.name
    if key not in _ASKED:
        root, mounts = (IMAGE_ROOT, ()) if sandbox.image else _of_the_host()
        _ASKED[key] = _ask(root, mounts, sandbox) if root else None
    return _ASKED[key]


def needed(sandbox: Sandbox) -> Bootstrap:
    """The same.

    Raises:
        InfrastructureError: this machine has none.
    """
    found = bootstrap(sandbox)
    if found is None:
        raise InfrastructureError(
            f"Go {'.'.join(map(str, LEAST))} or newer is needed here, to fetch the Go of a project", HINT
        )
    return found


HINT = "install Go (https://go.dev/dl), or use the podman sandbox"


def _of_the_host() -> tuple[str, tuple[Mount, ...]]:
    """The folder of the `go` on PATH; what lies outside /usr has to be shown, at its own path."""
    command = shutil.which("go")
    if command is None:
        return "", ()
    root = str(Path(os.path.realpath(command)).parents[1])
    return root, () if root.startswith("/usr/") else (Mount(Path(root), root),)


def _ask(root: str, mounts: tuple[Mount, ...], sandbox: Sandbox) -> Bootstrap | None:
    variables = {"PATH": "/usr/bin:/bin", "GOTOOLCHAIN": "local", "HOME": "/redgreen/home", "GOENV": "off"}
    finished = sandbox.run(Command([f"{root}/bin/go", "version"], mounts, variables))
    found = re.match(r"go version go((\d+)\.(\d+)\S*) ", finished.stdout.decode(errors="replace"))
    if finished.exit_status != 0 or not found or (int(found[2]), int(found[3])) < LEAST:
        return None
    return Bootstrap(found[1], root, mounts)
