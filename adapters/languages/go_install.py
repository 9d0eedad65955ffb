"""Install a Go project inside the sandbox: its own Go, the modules that it imports, and what they compile to.

go.mod names every version, so an install is one of the fix's date by nature; the lock holds each module's hash, the
toolchain's too, as the go command itself computes them. Nothing of the project runs: Go has no build scripts.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from adapters.languages.go_toolchain import Bootstrap
from adapters.languages.steps import CACHE, Step, perform, read_made
from redgreen.documents import EnvironmentFacts, Package
from redgreen.errors import Rejected
from redgreen.language import Installed, Workshop
from redgreen.launch import TOOLS
from redgreen.sandbox import BOX, Mount, Sandbox

INSIDE = Path(__file__).with_name("inside")
GO_TOOLS = f"{TOOLS}/go"
PROXY = "https://proxy.golang.org"
CHECKSUMS = "sum.golang.org"


def install(environment: EnvironmentFacts, first: Bootstrap, workshop: Workshop, sandbox: Sandbox) -> Installed:
    """Install into `workshop.box`: `env/` beside the `tree/` that is there.

    Raises:
        Rejected: install_failed.
        InfrastructureError: the network or the sandbox failed.
    """
    (workshop.box / "env").mkdir()
    modules = environment.settings["modules"].split(",")
    log = perform(
        [
            Step("toolchain", _words("toolchain", environment.runtime.version)),
            Step("modules", _words("modules", *modules)),
            Step("compile", _words("compile", environment.settings.get("vet", ""), *modules)),
            Step("lock", _words("lock")),
            Step("keep", _words("keep")),
        ],
        workshop,
        sandbox,
        hosts=registries(),
        variables=_variables(environment, first, workshop),
        mounts=[Mount(INSIDE, GO_TOOLS), *first.mounts],
    )
    lock = read_made(workshop.box / "lock.txt")
    if workshop.lock is not None and lock != workshop.lock:
        raise Rejected("install_failed", f"lock: {_difference(workshop.lock, lock)}")
    return Installed(_completed(environment, workshop.box), lock, tuple(_packages(lock)), log)


def _words(*words: str) -> list[str]:
    return ["python3", "-I", f"{GO_TOOLS}/redgreen_go_install.py", *words]


def base_variables(environment: EnvironmentFacts) -> dict[str, str]:
    """The same at install and in runs: what the go command compiled is found again only under the same settings."""
    return {
        **environment.variables,
        "PATH": f"{BOX}/env/go/bin:/usr/local/bin:/usr/bin:/bin",
        "HOME": "/redgreen/home",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "GOPATH": f"{BOX}/env/gopath",
        "GOCACHE": f"{BOX}/env/build",
        "GOTMPDIR": f"{BOX}/env/tmp",
        "GOENV": "off",
        "GO111MODULE": "on",
        "GOTOOLCHAIN": "local",
        "GOPROXY": "off",
        "GOSUMDB": "off",
        "GOFLAGS": "-buildvcs=false",  # a tree has no history, or an agent's own
        "CGO_ENABLED": environment.settings.get("cgo", "0"),
    }


def _variables(environment: EnvironmentFacts, first: Bootstrap, workshop: Workshop) -> dict[str, str]:
    """Downloads of before first. Without a lock, the checksum database vouches for what go.sum does not name."""
    kept = f"file://{CACHE}/download"
    always = base_variables(environment)
    return {
        **always,
        "PATH": f"{BOX}/env/go/bin:{first.root}/bin:{always['PATH']}",
        "GOPROXY": kept if workshop.offline else f"{kept},{proxy()}",
        "GOSUMDB": "off" if workshop.offline else CHECKSUMS,
        "GOFLAGS": f"{always['GOFLAGS']} -modcacherw",
        "CGO_ENABLED": "1",  # or what needs cgo is not even listed
    }


def proxy() -> str:
    """The first proxy of your own in GOPROXY, or Go's public one. Never `direct`: that is any host of the world."""
    own = [word for word in re.split(r"[,|]", os.environ.get("GOPROXY", "")) if urlsplit(word).scheme == "https"]
    return own[0].rstrip("/") if own else PROXY


def registries() -> tuple[str, ...]:
    """Hosts of Go's module proxy and checksum database, and of a proxy of your own in GOPROXY."""
    hosts = [urlsplit(address).hostname for address in (PROXY, proxy())]
    return (*dict.fromkeys(host for host in hosts if host), CHECKSUMS)


def _difference(asked: bytes, got: bytes) -> str:
    differing = sorted(set(asked.decode().splitlines()) ^ set(got.decode().splitlines()))
    return f"what was installed is not what the lock names: {differing[0] if differing else 'another order'}"


def _completed(environment: EnvironmentFacts, box: Path) -> EnvironmentFacts:
    """Facts that also say whether anything needs cgo, and which modules have no whole go.sum."""
    facts = json.loads(read_made(box / "env" / "facts.json"))
    told = {"cgo": "1" if facts["cgo"] else "", "loose": ",".join(facts["loose"])}
    merged = {**environment.settings, **{name: value for name, value in told.items() if value}}
    return environment.model_copy(update={"settings": merged})


def _packages(lock: bytes) -> Iterator[Package]:
    for line in lock.decode().splitlines():
        name, version, _ = line.split(" ")
        yield Package(name=name, version=version)
