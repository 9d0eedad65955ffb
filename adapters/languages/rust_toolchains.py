"""Which Rust toolchains are at hand for a sandbox, how each is shown inside, and which one a project gets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from redgreen.errors import InfrastructureError
from redgreen.sandbox import Command, Mount, Sandbox

FOLDER = "/redgreen/rust"
"""Where a mounted toolchain appears. It finds its own parts from there, and no path of the host gets into a build."""

FIRST = date(2015, 5, 15)
CYCLE = timedelta(weeks=6)
"""Rust 1.0 and the six weeks between releases that have been kept since (doc.rust-lang.org/book/appendix-07)."""

Version = tuple[int, ...]


@dataclass(frozen=True)
class Toolchain:
    """`bin` is the folder of rustc and cargo inside the sandbox; `mounts` make it appear there."""

    version: str
    bin: str
    mounts: tuple[Mount, ...] = ()

    @property
    def nightly(self) -> bool:
        return "-" in self.version


@dataclass(frozen=True)
class Wanted:
    """What a project says: `channel` of its toolchain file, and the oldest Rust that its manifests allow."""

    channel: str | None = None
    oldest: str | None = None


def number(version: str) -> Version:
    """(1, 95, 0) for "1.95.0", "1.95.0-nightly" or "1.95"."""
    return tuple(map(int, re.findall(r"\d+", version.partition("-")[0])[:3]))


def _folders() -> Iterator[Path]:
    for folder in os.environ.get("REDGREEN_RUSTS", "").split(os.pathsep):
        if folder:
            yield Path(folder)
    rustup = Path(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup")
    if (rustup / "toolchains").is_dir():
        yield from sorted((rustup / "toolchains").iterdir())


def _version_of(folder: Path) -> str | None:
    """The full version, read from the toolchain's own files: nothing is started on the host."""
    listing = folder / "lib" / "rustlib" / "multirust-channel-manifest.toml"
    if listing.is_file():
        found = re.search(r'^\[pkg\.rustc\]\nversion = "([\d.]+(?:-\w+)?)', listing.read_text(errors="replace"), re.M)
        if found:
            return re.sub(r"-beta\w*", "-beta", found[1])
    names = [name.name for name in folder.glob("lib/libLLVM*-rust-*")]
    found = re.search(r"-rust-(\d+\.\d+\.\d+)-(stable|nightly|beta)", " ".join(names))
    return None if not found else found[1] + ("" if found[2] == "stable" else f"-{found[2]}")


_ASKED: dict[str, Toolchain | None] = {}


def _own(sandbox: Sandbox) -> Toolchain | None:
    """The one of the image, or of the host where there is no image. Asked once."""
    key = sandbox.image or sandbox.name
    if key not in _ASKED:
        script = 'cargo --version >/dev/null && rustc --version && echo "$(command -v rustc)"'
        finished = sandbox.run(Command(argv=["sh", "-c", script], variables={"PATH": "/usr/local/bin:/usr/bin:/bin"}))
        found = re.match(r"rustc (\d+\.\d+\.\d+)\S* .*\n(/\S+)/rustc\n", finished.stdout.decode(errors="replace"))
        _ASKED[key] = Toolchain(found[1], found[2]) if finished.exit_status == 0 and found else None
    return _ASKED[key]


def find_toolchains(sandbox: Sandbox) -> list[Toolchain]:
    """All of them, the image's own included, oldest first; one per full version."""
    own = _own(sandbox)
    found = {item.version: item for item in [*([own] if own else []), *_on_host()]}
    return sorted(found.values(), key=lambda item: (number(item.version), not item.nightly))


def _on_host() -> Iterator[Toolchain]:
    for folder in _folders():
        version = _version_of(folder)
        if version and (folder / "bin" / "cargo").exists():
            yield Toolchain(version, f"{FOLDER}/bin", (Mount(folder.resolve(), FOLDER),))


def released(version: str) -> date:
    """The day of 1.N.0, exact to a day or two."""
    return FIRST + CYCLE * (number(version)[1] if len(number(version)) > 1 else 0)


def choose(wanted: Wanted, as_of: str, found: Sequence[Toolchain]) -> Toolchain:
    """The Rust of a project on a day: the one that its toolchain file pins, else the newest stable of that day.

    Rust compiles what an older Rust compiled, so where the one that is wanted is not at hand, the next newer one is
    taken. Nightly is not that stable: it is taken only where the project asks for it.

    Raises:
        InfrastructureError: nothing that fits is here.
    """
    channel = wanted.channel or "stable"
    if channel.startswith("nightly"):
        candidates = [item for item in found if item.nightly]
        target: Version | None = None
    else:
        candidates = [item for item in found if not item.nightly]
        target = number(channel) if re.match(r"\d", channel) else None
    oldest = max(number(wanted.oldest) if wanted.oldest else (), target or ())
    fitting = [item for item in candidates if number(item.version) >= oldest]
    if not fitting:
        asked = channel if channel.startswith("nightly") else f"Rust {'.'.join(map(str, oldest)) or 'stable'} or newer"
        here = ", ".join(item.version for item in found) or "none"
        raise InfrastructureError(
            f"{asked} is needed, and here is {here}",
            "rustup toolchain install, or name a toolchain's folder in REDGREEN_RUSTS",
        )
    if target is None:
        that_day = [item for item in fitting if released(item.version) <= date.fromisoformat(as_of[:10])]
        return that_day[-1] if that_day else fitting[0]
    return fitting[0]


def toolchain(version: str, sandbox: Sandbox) -> Toolchain:
    """The toolchain of exactly this version, or else the newest of the same minor version.

    Raises:
        InfrastructureError: this machine has none.
    """
    exact = next((item for item in _on_host() if item.version == version), None)
    if exact:
        return exact
    found = find_toolchains(sandbox)
    alike = [item for item in found if number(item.version)[:2] == number(version)[:2]]
    alike = [item for item in alike if item.nightly == ("-" in version)]
    if not alike:
        raise InfrastructureError(
            f"Rust {version} is needed, and no {version.rpartition('.')[0]} is here",
            f"rustup toolchain install {version.partition('-')[2] or version}, or name its folder in REDGREEN_RUSTS",
        )
    return alike[-1]
