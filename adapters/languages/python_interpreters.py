"""Which Pythons are at hand for a sandbox, and how each is shown inside."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version

from redgreen.errors import InfrastructureError
from redgreen.sandbox import Command, Mount, Sandbox


@dataclass(frozen=True)
class Interpreter:
    """`executable` is its path inside the sandbox; `mounts` make it appear there."""

    version: str
    executable: str
    mounts: tuple[Mount, ...] = ()


def _folders() -> Iterator[Path]:
    """Installation prefixes on the host: each holds bin/python3.N and lib/python3.N."""
    for folder in os.environ.get("REDGREEN_PYTHONS", "").split(os.pathsep):
        if folder:
            yield Path(folder)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or Path.home() / ".local/share/uv/python")
    for root in (pyenv / "versions", uv):
        if root.is_dir():
            yield from sorted(root.iterdir())


def _version_of(prefix: Path) -> str | None:
    """The full version, read from the prefix's own files: nothing is started on the host."""
    for header in sorted(prefix.glob("include/python*/patchlevel.h")):
        found = re.search(r'#define PY_VERSION\s+"([^"]+)"', header.read_text(errors="replace"))
        if found and re.fullmatch(r"[\d.]+", found[1]):
            return found[1]
    return None


_ASKED: dict[str, Interpreter | None] = {}


def _image_python(sandbox: Sandbox) -> Interpreter | None:
    """The one of the image, or of the host where there is no image. Asked once."""
    key = sandbox.image or sandbox.name
    if key not in _ASKED:
        _ASKED[key] = _ask_python(sandbox)
    return _ASKED[key]


def _ask_python(sandbox: Sandbox) -> Interpreter | None:
    finished = sandbox.run(Command(argv=["/usr/bin/python3", "-c", "import sys; print(sys.version.split()[0])"]))
    version = finished.stdout.decode().strip()
    if finished.exit_status != 0 or not re.fullmatch(r"[\d.]+", version):
        return None
    return Interpreter(version, "/usr/bin/python3")


def find_interpreters(sandbox: Sandbox) -> list[Interpreter]:
    """All of them, the image's own included, oldest first; one per full version."""
    own = _image_python(sandbox)
    found = {item.version: item for item in [*_on_host(), *([own] if own else [])]}
    return sorted(found.values(), key=lambda item: Version(item.version))


def _on_host() -> Iterator[Interpreter]:
    for prefix in _folders():
        version = _version_of(prefix)
        if version and (prefix / "bin" / "python").exists():
            # at its own path: shared libraries are found by the one that was built in
            real = prefix.resolve()
            yield Interpreter(version, str(real / "bin" / "python"), (Mount(real, str(real)),))


def interpreter(version: str, sandbox: Sandbox) -> Interpreter:
    """The interpreter of exactly this version, or else the newest of the same minor version.

    Raises:
        InfrastructureError: this machine has none.
    """
    for exact in _on_host():
        if exact.version == version:
            return exact
    found = find_interpreters(sandbox)
    minor = version.split(".")[:2]
    alike = [item for item in found if item.version.split(".")[:2] == minor]
    if not alike:
        raise InfrastructureError(
            f"Python {version} is needed, and no {'.'.join(minor)} is here",
            "install one with pyenv or uv, or name its folder in REDGREEN_PYTHONS",
        )
    return next((item for item in alike if item.version == version), alike[-1])
