"""Go: the go command fetches the project's own Go and its modules; `go test -json` runs under our reader.

Which files decide how tests run is a table. go.mod, go.sum, go.work and vendor/ are in it, although a fix may need to
change them: a `replace` swaps any library, the assertions too. So they come from the fix, for every patch; one that
needs another dependency could not fetch it without a network anyway.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from adapters.languages.go_install import GO_TOOLS, INSIDE, base_variables, install
from adapters.languages.go_tables import DECIDES, LEFTOVERS, SUSPICIOUS, TESTS
from adapters.languages.go_toolchain import HINT, bootstrap, needed
from redgreen.documents import EnvironmentFacts, Run, Runtime
from redgreen.events import read_events, read_run
from redgreen.language import ChangedFile, Installed, Surroundings, Trial, Workshop
from redgreen.launch import Job, Raw, launch
from redgreen.sandbox import Mount, Sandbox

if TYPE_CHECKING:
    from adapters.languages.go_project import Project

PACKAGE_TIMEOUT_S = 300
PARALLEL = 4


class Go:
    name = "go"
    leaves_behind = LEFTOVERS
    suspicious = SUSPICIOUS
    inline_tests = ""
    runtimes_hint = HINT

    def runtimes(self, sandbox: Sandbox) -> tuple[str, ...]:
        """The one that fetches all others."""
        found = bootstrap(sandbox)
        return (found.version,) if found else ()

    def is_source(self, path: str) -> bool:
        return path.endswith(".go")

    def is_test(self, path: str) -> bool:
        return bool(TESTS.search(path))

    def decides_tests(self, path: str) -> bool:
        return bool(TESTS.search(path) or DECIDES.search(path))

    def detect_environment(
        self, tree: Path, as_of: str, version_hint: str | None, sandbox: Sandbox
    ) -> tuple[EnvironmentFacts, ...]:
        from adapters.languages.go_project import read_project  # YAML, that only install needs
        from adapters.languages.go_versions import choose

        project = read_project(tree)
        needed(sandbox)
        choice = choose(as_of, least=project.least, exact=project.exact, named=project.named)
        return tuple(_facts(project, version, as_of, stands_in=choice.stands_in) for version in choice.versions)

    def install(self, environment: EnvironmentFacts, workshop: Workshop, sandbox: Sandbox) -> Installed:
        return install(environment, needed(sandbox), workshop, sandbox)

    def surroundings(self, environment: EnvironmentFacts, sandbox: Sandbox) -> Surroundings:
        return Surroundings(base_variables(environment))

    def run_tests(self, environment: EnvironmentFacts, trial: Trial, sandbox: Sandbox) -> Raw:
        """The seed has no use: a Go program's map order and random numbers can be seeded by nobody."""
        return self._launch(environment, trial, sandbox, "redgreen_go.py", {})

    def untouched(
        self,
        environment: EnvironmentFacts,
        trial: Trial,
        changed: Mapping[str, ChangedFile],
        tests: Sequence[str],
        sandbox: Sandbox,
    ) -> tuple[str, ...] | None:
        """All tests of the changed files or none: Go's coverage tells of a run, not of a test."""
        from adapters.languages.go_lines import untouched

        names = sorted({test.partition("::")[2].partition("/")[0] for test in tests})
        covered = {"covered": [path for path in changed if path.endswith(".go")], "names": names}
        raw = self._launch(environment, trial, sandbox, "redgreen_go_cover.py", covered)
        return untouched(changed, list(read_events(raw.events)))

    def _launch(
        self, environment: EnvironmentFacts, trial: Trial, sandbox: Sandbox, program: str, more: Mapping[str, object]
    ) -> Raw:
        plan = {
            "modules": modules_of(environment.settings["modules"].split(","), trial.files),
            "loose": environment.settings.get("loose", "").split(","),
            "changed": list(trial.files),
            "flags": _flags(environment),
            **more,
        }
        job = Job(
            argv=["python3", "-I", f"{GO_TOOLS}/{program}", json.dumps(plan)],
            box=trial.box,
            delta=trial.delta,
            variables=base_variables(environment),
            mounts=[Mount(INSIDE, GO_TOOLS)],
            limits=trial.limits,
            label=trial.label,
        )
        return launch(sandbox, job)

    def parse_results(self, environment: EnvironmentFacts, raw: Raw) -> Run:
        return read_run(raw)


def _facts(project: Project, version: str, as_of: str, *, stands_in: bool) -> EnvironmentFacts:
    """`go test` has vet look first, and so do we, unless this Go's vet is of a later year than the project."""
    return EnvironmentFacts(
        runtime=Runtime(name="go", version=version),
        manager="go modules",
        runner="go test",
        inputs=project.inputs,
        requirements=(),
        settings={"modules": ",".join(project.modules), **({"vet": "off"} if stands_in else {})},
        exclude_newer=as_of,
    )


def _flags(environment: EnvironmentFacts) -> list[str]:
    """One package after the other, each with a limit, so that a hang takes its package and no more."""
    vet = [f"-vet={kind}" for kind in [environment.settings.get("vet")] if kind]
    return [f"-timeout={PACKAGE_TIMEOUT_S}s", f"-parallel={PARALLEL}", "-p=1", *vet]


def modules_of(modules: Sequence[str], files: Sequence[str]) -> list[str]:
    """Modules of the base that hold the fix's tests; all of them if none does."""
    holding = {_holder(modules, name) for name in files if name.endswith(".go") or "testdata/" in name}
    return [module for module in modules if module in holding] or list(modules)


def _holder(modules: Sequence[str], name: str) -> str | None:
    """The innermost module around a file."""
    around = [module for module in modules if module == "." or name.startswith(f"{module}/")]
    return max(around, key=lambda module: (module != ".", len(module)), default=None)
