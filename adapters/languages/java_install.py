"""Install a Maven project: the distribution, our extension, and what the build asks a registry on the loopback for."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from adapters.languages.java_jdks import Jdk, numbers
from adapters.languages.java_tables import NO_TESTS, SKIPS
from adapters.languages.steps import Step, perform, read_made
from redgreen.documents import EnvironmentFacts, Package, Runtime
from redgreen.errors import InfrastructureError, Rejected
from redgreen.language import Installed, Workshop
from redgreen.launch import TOOLS
from redgreen.sandbox import BOX, Command, Mount, Sandbox

INSIDE = Path(__file__).with_name("inside")
PYTHON = ["python3", "-E", "-s", "-B"]
CENTRAL = "https://repo.maven.apache.org/maven2/"


def upstream() -> str:
    """Address of the registry: Maven Central, or what Maven's own wrapper is told to use instead."""
    own = os.environ.get("MVNW_REPOURL", "").rstrip("/")
    return f"{own}/" if own else CENTRAL


def registries() -> tuple[str, ...]:
    return tuple(filter(None, [urlsplit(upstream()).hostname]))


def install(environment: EnvironmentFacts, jdk: Jdk, workshop: Workshop, sandbox: Sandbox) -> Installed:
    """Install into `workshop.box`: `env/` beside the `tree/`, which stays as it is.

    Raises:
        Rejected: install_failed.
        InfrastructureError: the network, the JDK or the sandbox failed.
    """
    prove(jdk, sandbox)
    if workshop.lock is not None:
        (workshop.box / "lock.txt").write_bytes(workshop.lock)
    log = perform(
        _steps(environment, jdk, workshop),
        workshop,
        sandbox,
        hosts=registries(),
        variables=variables(environment, jdk),
        mounts=[Mount(INSIDE, f"{TOOLS}/java"), *jdk.mounts],
        first=["extension", "extension index"],
    )
    lock = read_made(workshop.box / "lock.txt")
    facts = _read_facts(workshop.box / "facts.json")
    settings = {**environment.settings, "modules": "\n".join(facts["modules"])}
    if facts["unbuilt"]:
        settings["unbuilt"] = "\n".join(facts["unbuilt"])
    completed = environment.model_copy(
        update={"settings": settings, "runtime": Runtime(name="jdk", version=jdk.version)}
    )
    return Installed(completed, lock, packages(lock), log)


def prove(jdk: Jdk, sandbox: Sandbox) -> None:
    """Ask the JDK itself.

    Raises:
        InfrastructureError: it does not start, or is another.
    """
    argv = [f"{jdk.home}/bin/java", "-XshowSettings:properties", "-version"]
    finished = sandbox.run(Command(argv=argv, mounts=jdk.mounts))
    said = (finished.stdout + finished.stderr).decode(errors="replace")
    found = re.search(r"^\s*java\.version = (\S+)$", said, re.M)
    if finished.exit_status != 0 or not found or found[1] != jdk.version:
        told = found[1] if found else (said.strip().splitlines() or ["no word"])[-1]
        raise InfrastructureError(f"the JDK {jdk.version} does not start in the sandbox: {told}", "run `make doctor`")


def variables(environment: EnvironmentFacts, jdk: Jdk) -> dict[str, str]:
    return {
        **environment.variables,
        "PATH": f"{jdk.home}/bin:/usr/local/bin:/usr/bin:/bin",
        "JAVA_HOME": jdk.home,
        "HOME": "/redgreen/home",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }


def words() -> list[str]:
    """Options of every start of Maven."""
    return [f"-D{name}={value}" for name, value in SKIPS.items()]


def _steps(environment: EnvironmentFacts, jdk: Jdk, workshop: Workshop) -> list[Step]:
    settings = environment.settings
    wish = {
        "root": settings.get("root", "."),
        "maven": settings["maven"],
        "sha256": settings.get("maven_sha256", ""),
        "upstream": "" if workshop.offline else upstream(),
        "as_of": environment.exclude_newer,
        "locked": workshop.lock is not None,
        "java_home": jdk.home,
        "words": [*words(), *(["-ntp"] if numbers(settings["maven"]) >= (3, 6, 1) else [])],
        "removed": NO_TESTS,
    }
    script = [*PYTHON, f"{TOOLS}/java/redgreen_maven_install.py"]
    javac = [f"{jdk.home}/bin/javac", "-nowarn", *(["--release", "8"] if jdk.major >= 9 else [])]
    javac += ["-cp", f"{BOX}/env/maven/lib/*", "-d", f"{BOX}/env/extension", f"{TOOLS}/java/RedgreenExtension.java"]
    listed = f"{BOX}/env/extension/META-INF/sisu/javax.inject.Named"
    named = f"printf '%s\\n' 'RedgreenExtension$SetUp' 'RedgreenExtension$Spy' > {listed}"
    return [
        Step("maven", [*script, "maven", json.dumps(wish)]),
        Step("extension", [*javac]),
        Step("extension index", f"mkdir -p {Path(listed).parent}\n{named}"),
        Step("dependencies", [*script, "dependencies", json.dumps(wish)]),
    ]


def _read_facts(path: Path) -> Any:
    """Which modules there are, as the install found out.

    Raises:
        Rejected: the build wrote something else there.
    """
    try:
        facts = json.loads(read_made(path))
        good = all(isinstance(name, str) for key in ("modules", "unbuilt") for name in facts[key])
    except (ValueError, TypeError, KeyError, RecursionError):
        good = False
    if not good:
        raise Rejected("install_failed", f"the build replaced {path.name}")
    return facts


def packages(lock: bytes) -> tuple[Package, ...]:
    """Everything with a jar: `group:artifact`, each version once."""
    found = re.findall(
        r"^([^:\s]+:[^:\s]+):(?:jar|zip)(?::[^:\s]+)?:([^:\s]+) sha256:", lock.decode(errors="replace"), re.M
    )
    return tuple(Package(name=name, version=version) for name, version in sorted(set(found)))
