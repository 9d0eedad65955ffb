"""Which JDKs are at hand for a sandbox, and how each is shown inside."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from redgreen.errors import InfrastructureError
from redgreen.sandbox import Command, Mount, Sandbox

HINT = "install a JDK below /usr/lib/jvm, or REDGREEN_JDKS=<folder>[:<folder>]"
ASK = "for home in /usr/lib/jvm/*; do if [ -x $home/bin/javac ]; then realpath $home; cat $home/release; fi; done"


@dataclass(frozen=True)
class Jdk:
    """`home` is its path inside the sandbox; `mounts` make it appear there."""

    version: str
    home: str
    mounts: tuple[Mount, ...] = ()

    @property
    def major(self) -> int:
        return major(self.version)

    @property
    def order(self) -> tuple[int, ...]:
        return numbers(self.version)


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


def major(version: str) -> int:
    """8 of `1.8.0_392` and of `8`, 17 of `17.0.15`."""
    first, second = (*numbers(version), 0, 0)[:2]
    return second if first == 1 and second else first


def _version_in(release: str) -> str | None:
    found = re.search(r'^JAVA_VERSION="([\w.+-]+)"', release, re.M)
    return found[1] if found else None


def _folders() -> Iterator[Path]:
    for folder in os.environ.get("REDGREEN_JDKS", "").split(os.pathsep):
        if folder:
            yield Path(folder)
    root = Path("/usr/lib/jvm")
    if root.is_dir():
        yield from sorted(root.iterdir())


def _on_host() -> Iterator[Jdk]:
    """Those of the host, each home once, with what its own links point at."""
    seen = set()
    for folder in _folders():
        release = folder / "release"
        if not (folder / "bin" / "javac").exists() or not release.is_file():
            continue
        home = folder.resolve()
        version = _version_in(release.read_text(errors="replace"))
        if version and home not in seen:
            seen.add(home)
            yield Jdk(version, str(home), (Mount(home, str(home)), *_behind_links(home)))


def _behind_links(home: Path) -> Iterator[Mount]:
    """Debian keeps a JDK's configuration in /etc and links to it: `/etc/java-17-openjdk`, `/etc/ssl/certs/java`."""
    found = set()
    for parent, folders, files in os.walk(home):
        for name in [*folders, *files]:
            place = Path(parent, name)
            if place.is_symlink() and place.exists() and not place.resolve().is_relative_to(home):
                target = Path(os.path.normpath(place.parent / place.readlink()))
                named = [folder for folder in target.parents if folder.name.startswith("java")]
                found |= {named[-1]} if named and not named[-1].is_relative_to(home) else set()
    yield from (Mount(folder, str(folder)) for folder in sorted(found))


_ASKED: dict[str, tuple[Jdk, ...]] = {}


def _in_image(sandbox: Sandbox) -> tuple[Jdk, ...]:
    """Those of the image. Asked once."""
    key = sandbox.image or sandbox.name
    if sandbox.image is None:
        return ()
    if key not in _ASKED:
        finished = sandbox.run(Command(argv=["sh", "-c", ASK]))
        found = re.split(r"^(/.*)$", finished.stdout.decode(errors="replace"), flags=re.M)[1:]
        told = [(home, _version_in(release)) for home, release in zip(found[::2], found[1::2], strict=True)]
        _ASKED[key] = tuple({home: Jdk(version, home) for home, version in told if version}.values())
    return _ASKED[key]


def find_jdks(sandbox: Sandbox) -> list[Jdk]:
    """All of them, oldest first; one of the image stands before one of the host with the same home."""
    own = _in_image(sandbox)
    homes = {jdk.home for jdk in own}
    found = {jdk.version: jdk for jdk in [*(jdk for jdk in _on_host() if jdk.home not in homes), *own]}
    return sorted(found.values(), key=lambda jdk: jdk.order)


def jdk_of(version: str, sandbox: Sandbox) -> Jdk:
    """The JDK of exactly this version, or else the newest of the same feature release.

    Raises:
        InfrastructureError: this machine has none.
    """
    alike = [jdk for jdk in find_jdks(sandbox) if jdk.major == major(version)]
    if not alike:
        raise InfrastructureError(f"JDK {version} is needed, and no {major(version)} is here", HINT)
    return next((jdk for jdk in alike if jdk.version == version), alike[-1])
