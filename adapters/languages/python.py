"""Python: uv installs as of the fix's date and locks; pytest or unittest runs under our own reporter.

Interpreters come from the image, from pyenv and uv on the host (shown read-only inside), and from the folders in
REDGREEN_PYTHONS.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from adapters.languages.python_install import (
    PYTEST_SWITCHES,
    PYTHON,
    base_variables,
    install,
    listed,
    project_install,
    uv_binary,
    uv_variables,
)
from adapters.languages.python_interpreters import find_interpreters, interpreter
from adapters.languages.python_tables import DECIDES, LEFTOVERS, SHADOWS, SUSPICIOUS, TESTS
from redgreen.documents import EnvironmentFacts, Run, Runtime
from redgreen.errors import InfrastructureError
from redgreen.events import read_events, read_run
from redgreen.language import ChangedFile, Installed, Surroundings, Trial, Workshop
from redgreen.launch import TOOLS, Job, Raw, launch
from redgreen.sandbox import BOX, Mount, Sandbox

if TYPE_CHECKING:
    from adapters.languages.python_project import Plan, Project

INSIDE = Path(__file__).with_name("inside")

NOSE_NAMES = "test_*.py *_test.py *_tests.py"
"""Projects that ran under nose name files as pytest alone would not look for."""

COMPILED = re.compile(r"\.(pyx|pxd|c|cc|cpp|h|hpp|rs|f90)$")


class Python:
    name = "python"
    leaves_behind = LEFTOVERS
    suspicious = SUSPICIOUS
    inline_tests = ""
    runtimes_hint = "pyenv install, or REDGREEN_PYTHONS=<folder>"

    def runtimes(self, sandbox: Sandbox) -> tuple[str, ...]:
        return tuple(one.version for one in find_interpreters(sandbox))

    def is_source(self, path: str) -> bool:
        return path.endswith((".py", ".pyi")) or (bool(COMPILED.search(path)) and not self.is_test(path))

    def is_test(self, path: str) -> bool:
        return bool(TESTS.search(path))

    def decides_tests(self, path: str) -> bool:
        return bool(TESTS.search(path) or DECIDES.search(path) or SHADOWS.search(path))

    def detect_environment(
        self, tree: Path, as_of: str, version_hint: str | None, sandbox: Sandbox
    ) -> tuple[EnvironmentFacts, ...]:
        from adapters.languages.python_locks import lock_file
        from adapters.languages.python_project import read_project  # a tenth of a second that only install needs
        from adapters.languages.python_versions import choose

        project = read_project(tree)
        found = find_interpreters(sandbox)
        choice = choose(
            project.requires_python, project.minor_versions_named, as_of=as_of, available=[i.version for i in found]
        )
        if choice.version is None:
            raise InfrastructureError(
                f"no Python here for this project: {choice.note}",
                "install one with pyenv or uv, or set REDGREEN_PYTHONS",
            )
        names = NOSE_NAMES if not project.pytest_config and any(tree.glob("**/*_tests.py")) else ""
        ways = [_facts(project, plan, choice.version, as_of, version_hint, names) for plan in project.plans]
        lock = lock_file(tree)
        return (*([_held_to(lock, ways[0])] if lock else []), *ways)

    def install(self, environment: EnvironmentFacts, workshop: Workshop, sandbox: Sandbox) -> Installed:
        return install(environment, interpreter(environment.runtime.version, sandbox), workshop, sandbox)

    def surroundings(self, environment: EnvironmentFacts, sandbox: Sandbox) -> Surroundings:
        variables = base_variables(environment)
        if roots := _source_roots(environment):
            variables["PYTHONPATH"] = ":".join(roots)
        return Surroundings(variables, tuple(interpreter(environment.runtime.version, sandbox).mounts))

    def run_tests(self, environment: EnvironmentFacts, trial: Trial, sandbox: Sandbox) -> Raw:
        return self._launch(environment, trial, sandbox, _test_command(environment), {})

    def untouched(
        self,
        environment: EnvironmentFacts,
        trial: Trial,
        changed: Mapping[str, ChangedFile],
        tests: Sequence[str],
        sandbox: Sandbox,
    ) -> tuple[str, ...] | None:
        from adapters.languages.python_lines import lines_to_touch

        asked = list(dict.fromkeys(test.partition("[")[0] for test in tests))
        lines = lines_to_touch(changed)
        python = tuple(map(int, environment.runtime.version.split(".")[:2]))
        # before 3.8 nobody tells that a process was started
        if environment.runner != "pytest" or not lines or not asked or python < (3, 8):
            return None
        argv = [*_test_command(environment), "-p", "redgreen_touched", *asked]
        raw = self._launch(environment, trial, sandbox, argv, {"REDGREEN_LINES": json.dumps(lines)})
        return _untouched(list(read_events(raw.events)))

    def _launch(
        self, environment: EnvironmentFacts, trial: Trial, sandbox: Sandbox, argv: list[str], more: Mapping[str, str]
    ) -> Raw:
        runtime = interpreter(environment.runtime.version, sandbox)
        variables = {
            **base_variables(environment),
            "PYTHONHASHSEED": str(trial.seed),
            "PYTHONPATH": _python_path(environment),
            "REDGREEN_CANARY_FOLDERS": ":".join(_folders(trial.files)),
            **more,
        }
        mounts = [Mount(INSIDE, f"{TOOLS}/python"), *runtime.mounts]
        if _changes_compiled(trial.delta) and environment.settings.get("install_project") != "no":
            argv = ["sh", "-c", f'{_rebuild(environment)} && exec "$@"', "sh", *argv]
            mounts += [Mount(uv_binary(), f"{TOOLS}/uv/uv"), Mount(trial.cache, "/redgreen/cache", "overlay")]
            variables = {**uv_variables(), **variables, "UV_OFFLINE": "1"}
        job = Job(
            argv=argv,
            box=trial.box,
            delta=trial.delta,
            variables=variables,
            mounts=mounts,
            limits=trial.limits,
            label=trial.label,
        )
        return launch(sandbox, job)

    def parse_results(self, environment: EnvironmentFacts, raw: Raw) -> Run:
        return read_run(raw)


def _facts(project: Project, plan: Plan, version: str, as_of: str, hint: str | None, names: str) -> EnvironmentFacts:
    from adapters.languages.python_project import version_variables

    settings = {
        "extras": ",".join(plan.extras),
        "requirement_files": ",".join(plan.requirement_files),
        "install_project": "editable" if project.installable else "no",
        "source_roots": ",".join(project.source_roots),
        "test_paths": ",".join(project.test_paths),
        "build_backend": project.build_backend,
        "python_files": names,
    }
    return EnvironmentFacts(
        runtime=Runtime(name="cpython", version=version),
        manager=project.manager,
        runner=project.runner,
        inputs=plan.inputs,
        requirements=plan.requirements,
        build_requirements=project.build_requires,
        settings={name: value for name, value in settings.items() if value},
        variables=version_variables(project, hint or "0.1"),
        exclude_newer=as_of,
    )


def _held_to(lock: str, way: EnvironmentFacts) -> EnvironmentFacts:
    """The same way with the versions of the project's own lock."""
    return way.model_copy(
        update={"inputs": (*way.inputs, lock), "settings": {**way.settings, "lock_file": lock}},
    )


def _python_path(environment: EnvironmentFacts) -> str:
    return ":".join([f"{TOOLS}/python", *_source_roots(environment)])


def _source_roots(environment: EnvironmentFacts) -> list[str]:
    """Folders that stand in for the project where it is not installed by reference to them."""
    if environment.settings.get("install_project") == "editable":
        return []
    roots = listed(environment.settings.get("source_roots")) or ["."]
    return [f"{BOX}/tree/{root}".removesuffix("/.") for root in roots]


def _folders(files: Sequence[str]) -> list[str]:
    """Folders, relative to the tree, where a canary lies beside the fix's own tests; the root if none is there."""
    named = [str(Path(name).parent) for name in files if name.endswith(".py")]
    return [*dict.fromkeys(named), "."]


def _test_command(environment: EnvironmentFacts) -> list[str]:
    paths = listed(environment.settings.get("test_paths"))
    if environment.runner == "unittest":
        return [PYTHON, f"{TOOLS}/python/redgreen_unittest.py", *paths]
    switches = ["-p", "redgreen_pytest", "-p", "no:cacheprovider", "--color=no", "--continue-on-collection-errors"]
    switches += ["--maxfail=0", "--tb=short"]
    if environment.settings.get("python_files"):
        switches += ["-o", f"python_files={environment.settings['python_files']}"]
    for plugin, words in PYTEST_SWITCHES.items():
        if plugin in environment.settings.get("plugins", "").split(","):
            switches += words
    return [PYTHON, "-m", "pytest", *switches]


def _untouched(events: Sequence[Mapping[str, object]]) -> tuple[str, ...] | None:
    """None if the run did not end, or if no changed file of the tree ran (a package that was built and installed)."""
    seen = [event.get("files") for event in events if event["event"] == "seen"]
    if len(seen) != 1 or not seen[0]:
        return None
    ours = {name for event in events if event["event"] == "canary" for name in cast(list[str], event["ids"])}
    told = {str(event["id"]) for event in events if event["event"] == "touched" and event["touched"] is False}
    return tuple(sorted(told - ours))


def _changes_compiled(delta: Path | None) -> bool:
    """Whether sources that have to be compiled are among what is laid over the box."""
    return delta is not None and any(COMPILED.search(path.name) for path in (delta / "files").rglob("*"))


def _rebuild(environment: EnvironmentFacts) -> str:
    """Build the project anew from what the install left in the cache; its words go to the log, not among results."""
    return f"{{ PATH={TOOLS}/uv:$PATH; {project_install(environment)}; }} >&2"
