"""Java: Maven builds and tests, with what it needs from a registry as of the fix's date; Surefire's XML is the report.

JDKs come from the image, from /usr/lib/jvm of the host (shown read-only inside), and from the folders in REDGREEN_JDKS.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from adapters.languages.java_install import INSIDE, PYTHON, install, variables, words
from adapters.languages.java_jdks import HINT, find_jdks, jdk_of
from adapters.languages.java_tables import DECIDES, NO_TESTS, SOURCE, SUSPICIOUS, TESTS
from redgreen.documents import EnvironmentFacts, Run, Runtime
from redgreen.errors import InfrastructureError
from redgreen.events import read_run
from redgreen.language import Installed, Surroundings, Trial, Workshop
from redgreen.launch import TOOLS, Job, Raw, launch
from redgreen.sandbox import BOX, Mount, Sandbox

LEFTOVERS = ("target/", "*.class", "hs_err_pid*", "dependency-reduced-pom.xml")


class Java:
    name = "java"
    leaves_behind = LEFTOVERS
    suspicious = SUSPICIOUS
    inline_tests = ""
    runtimes_hint = HINT

    def runtimes(self, sandbox: Sandbox) -> tuple[str, ...]:
        return tuple(jdk.version for jdk in find_jdks(sandbox))

    def is_source(self, path: str) -> bool:
        return bool(SOURCE.search(path))

    def is_test(self, path: str) -> bool:
        return bool(TESTS.search(path))

    def decides_tests(self, path: str) -> bool:
        return bool(TESTS.search(path) or DECIDES.search(path))

    def detect_environment(
        self, tree: Path, as_of: str, version_hint: str | None, sandbox: Sandbox
    ) -> tuple[EnvironmentFacts, ...]:
        from adapters.languages.java_project import choose, read_project

        project = read_project(tree)
        available = [jdk.version for jdk in find_jdks(sandbox)]
        version = choose(project, available)
        if version is None:
            wanted = f"{project.least or 'any'} to {project.most or 'any'}"
            raise InfrastructureError(f"no JDK here for this project: it wants {wanted}", HINT)
        settings = {
            "root": project.root,
            "maven": project.maven,
            "maven_sha256": project.maven_sha256,
        }
        return (
            EnvironmentFacts(
                runtime=Runtime(name="jdk", version=version),
                manager="maven",
                runner="surefire",
                inputs=project.said,
                requirements=(),
                settings={name: value for name, value in settings.items() if value},
                exclude_newer=as_of,
            ),
        )

    def install(self, environment: EnvironmentFacts, workshop: Workshop, sandbox: Sandbox) -> Installed:
        return install(environment, jdk_of(environment.runtime.version, sandbox), workshop, sandbox)

    def surroundings(self, environment: EnvironmentFacts, sandbox: Sandbox) -> Surroundings:
        """`mvn` on PATH, with what the install brought for its repository: it need not be told to stay offline."""
        jdk = jdk_of(environment.runtime.version, sandbox)
        asked = variables(environment, jdk)
        own = {
            "PATH": f"{BOX}/env/maven/bin:{asked['PATH']}",
            "MAVEN_OPTS": f"-Dmaven.repo.local={BOX}/env/m2",
            "MAVEN_ARGS": "--offline",
        }
        return Surroundings({**asked, **own}, tuple(jdk.mounts))

    def run_tests(self, environment: EnvironmentFacts, trial: Trial, sandbox: Sandbox) -> Raw:
        jdk = jdk_of(environment.runtime.version, sandbox)
        modules = environment.settings["modules"].split("\n")
        files = by_module(trial.files, modules, environment.settings.get("root", "."))
        tested = sorted(files) or modules
        wish = {
            "root": environment.settings.get("root", "."),
            "tested": tested,
            "alone": len(tested) == len(modules),
            "files": files,
            "modules": modules,
            "java_home": jdk.home,
            "order": {"removed": NO_TESTS, "seed": str(trial.seed)},
            "words": words(),
        }
        job = Job(
            argv=[*PYTHON, f"{TOOLS}/java/redgreen_maven.py", json.dumps(wish)],
            box=trial.box,
            delta=trial.delta,
            variables=variables(environment, jdk),
            mounts=[Mount(INSIDE, f"{TOOLS}/java"), *jdk.mounts],
            limits=trial.limits,
            label=trial.label,
        )
        return launch(sandbox, job)

    def parse_results(self, environment: EnvironmentFacts, raw: Raw) -> Run:
        return read_run(raw)


def by_module(files: Sequence[str], modules: Sequence[str], root: str) -> dict[str, list[str]]:
    """The fix's test files by the module whose folder holds them: the modules whose tests are run."""
    prefix = "" if root == "." else f"{root}/"
    folders = sorted(modules, key=len, reverse=True)
    found: dict[str, list[str]] = {}
    for path in files:
        if not TESTS.search(path) or not path.startswith(prefix):
            continue
        inner = path.removeprefix(prefix)
        home = next((name for name in folders if name != "." and inner.startswith(f"{name}/")), ".")
        if home in modules:
            found.setdefault(home, []).append(path)
    return found
