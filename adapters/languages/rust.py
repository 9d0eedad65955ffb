"""Rust: cargo resolves as of the fix's date and locks; libtest's own JSON says how each test went.

Toolchains come from the image, from rustup on the host (shown read-only inside), and from the folders in
REDGREEN_RUSTS. What a fix's tests are built from is compiled at install; a run compiles only what a tree changes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from adapters.languages.rust_install import INSIDE, TOOLS_RUST, install, variables
from adapters.languages.rust_manifest import ways
from adapters.languages.rust_tables import DECIDES, INLINE_TESTS, LEFTOVERS, SUSPICIOUS, TESTS
from adapters.languages.rust_toolchains import choose, find_toolchains, toolchain
from redgreen.documents import EnvironmentFacts, Run
from redgreen.events import read_run
from redgreen.language import Installed, Surroundings, Trial, Workshop
from redgreen.launch import Job, Raw, launch
from redgreen.sandbox import Mount, Sandbox


class Rust:
    name = "rust"
    leaves_behind = LEFTOVERS
    suspicious = SUSPICIOUS
    inline_tests = INLINE_TESTS
    runtimes_hint = "rustup toolchain install stable, or REDGREEN_RUSTS=<folder>"

    def runtimes(self, sandbox: Sandbox) -> tuple[str, ...]:
        return tuple(one.version for one in find_toolchains(sandbox))

    def is_source(self, path: str) -> bool:
        return path.endswith(".rs")

    def is_test(self, path: str) -> bool:
        return bool(TESTS.search(path))

    def decides_tests(self, path: str) -> bool:
        return bool(TESTS.search(path) or DECIDES.search(path))

    def detect_environment(
        self, tree: Path, as_of: str, version_hint: str | None, sandbox: Sandbox
    ) -> tuple[EnvironmentFacts, ...]:
        return ways(tree, as_of, lambda wanted: choose(wanted, as_of, find_toolchains(sandbox)))

    def install(self, environment: EnvironmentFacts, workshop: Workshop, sandbox: Sandbox) -> Installed:
        return install(environment, toolchain(environment.runtime.version, sandbox), workshop, sandbox)

    def surroundings(self, environment: EnvironmentFacts, sandbox: Sandbox) -> Surroundings:
        runtime = toolchain(environment.runtime.version, sandbox)
        return Surroundings(variables(environment, runtime), tuple(runtime.mounts))

    def run_tests(self, environment: EnvironmentFacts, trial: Trial, sandbox: Sandbox) -> Raw:
        runtime = toolchain(environment.runtime.version, sandbox)
        told = {
            "REDGREEN_FILES": json.dumps(_tests_of(trial.files)),
            "REDGREEN_SOURCES": json.dumps(list(trial.sources)),
            "REDGREEN_SETTINGS": json.dumps(environment.settings),
            "PROPTEST_RNG_SEED": str(trial.seed),
            "QUICKCHECK_RNG_SEED": str(trial.seed),
        }
        job = Job(
            argv=["python3", f"{TOOLS_RUST}/redgreen_rust.py"],
            box=trial.box,
            delta=trial.delta,
            variables={**variables(environment, runtime), **told},
            mounts=[Mount(INSIDE, TOOLS_RUST), *runtime.mounts],
            limits=trial.limits,
            label=trial.label,
        )
        return launch(sandbox, job)

    def parse_results(self, environment: EnvironmentFacts, raw: Raw) -> Run:
        return read_run(raw)


def _tests_of(files: Sequence[str]) -> list[str]:
    """Of what a fix brings besides its source, the tests: manifests say nothing about which package is tested."""
    return [name for name in files if TESTS.search(name)]
