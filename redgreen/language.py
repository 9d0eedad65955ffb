"""What a language has to offer. Everything else about a language stays behind these names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from redgreen.documents import EnvironmentFacts, Package, Run
from redgreen.launch import Raw
from redgreen.sandbox import Limits, Mount, Sandbox


@dataclass(frozen=True)
class Workshop:
    """Where a language may work while it installs.

    `box` is a new folder with the base commit in `tree/`; what the language adds beside it is part of every later run.
    `cache` is the package manager's own, kept between installs of one repository and never shared with another: what
    its build scripts leave there can only hurt itself. `lock`, if given, is what has to be installed, exactly.
    """

    box: Path
    cache: Path
    lock: bytes | None = None
    offline: bool = False
    limits: Limits = field(default_factory=Limits)
    label: str = ""
    files: Sequence[str] = ()
    """The test files of the fix: a workspace of many packages installs and runs those that hold them."""


@dataclass(frozen=True)
class Installed:
    """A box that is ready, and what is in it. `lock` holds every dependency with its hashes.

    `environment` is what was asked for, completed by what only the install could tell.
    """

    environment: EnvironmentFacts
    lock: bytes
    packages: tuple[Package, ...]
    log: bytes


@dataclass(frozen=True)
class Trial:
    """One run of the suite: the box, and what is laid over it.

    `files` are the test files of the fix, as paths in the tree; `sources` are its other files, for a language whose
    tests may stand inside a source: those of a file that the fix rewrites cannot be required of anybody. `seed` seeds
    whatever a language can seed (hash order), so that tests which depend on it differ between seeds, and the same run
    is the same everywhere. `cache` is that of the install, for a language that has to build before it can test.
    """

    box: Path
    delta: Path | None
    files: Sequence[str]
    seed: int
    cache: Path
    limits: Limits = field(default_factory=Limits)
    label: str = ""
    sources: Sequence[str] = ()


@dataclass(frozen=True)
class Surroundings:
    """What a command needs in order to use an installed box as a developer would: variables and mounts."""

    variables: Mapping[str, str]
    mounts: tuple[Mount, ...] = ()


class Language(Protocol):
    """The four methods, the questions about a path that the split of a fix rests on, and what this machine offers."""

    name: str
    leaves_behind: Sequence[str]
    """What running tests and builds leaves in a tree, as lines of a .gitignore: no part of anybody's patch."""
    suspicious: Mapping[str, str]
    """Regular expression -> what it tells a reader: code that takes hold of the tests that run it, and that a product
    has no honest use for. It is only told, and only where neither the file nor the human fix does the same."""
    inline_tests: str
    """Regular expression of where tests begin inside a source, or empty: a patch may change them, and that is told."""
    runtimes_hint: str
    """How to get a runtime that is missing, for `make doctor`."""

    def runtimes(self, sandbox: Sandbox) -> tuple[str, ...]:
        """Versions of the language that can be used in this sandbox, each as `detect_environment` may choose it."""
        ...

    def is_source(self, path: str) -> bool:
        """Whether a file of this name is code of this language."""
        ...

    def is_test(self, path: str) -> bool:
        """Whether it is a test or what a test reads: fixtures, data, snapshots."""
        ...

    def decides_tests(self, path: str) -> bool:
        """Whether it decides how tests run (runner configuration, hooks, startup files), or is a test."""
        ...

    def detect_environment(
        self, tree: Path, as_of: str, version_hint: str | None, sandbox: Sandbox
    ) -> tuple[EnvironmentFacts, ...]:
        """Ways to install this tree, the best first. Reads files; runs none of the project's code.

        Raises:
            Rejected: unsupported.
        """
        ...

    def install(self, environment: EnvironmentFacts, workshop: Workshop, sandbox: Sandbox) -> Installed:
        """Install into `workshop.box`.

        Raises:
            Rejected: install_failed, with the step and its last word.
            InfrastructureError: a registry did not answer, or this machine lacks the runtime.
        """
        ...

    def surroundings(self, environment: EnvironmentFacts, sandbox: Sandbox) -> Surroundings:
        """For an agent's own commands in the box: the toolchain on PATH, the project's dependencies, its tests."""
        ...

    def run_tests(self, environment: EnvironmentFacts, trial: Trial, sandbox: Sandbox) -> Raw: ...

    def parse_results(self, environment: EnvironmentFacts, raw: Raw) -> Run: ...


@dataclass(frozen=True)
class ChangedFile:
    """A source file of the fixed tree, and the lines in it that the fix changed, from 1."""

    text: str
    lines: tuple[int, ...]


@runtime_checkable
class Traces(Protocol):
    """A language whose runner can tell which lines a test runs."""

    def untouched(
        self,
        environment: EnvironmentFacts,
        trial: Trial,
        changed: Mapping[str, ChangedFile],
        tests: Sequence[str],
        sandbox: Sandbox,
    ) -> tuple[str, ...] | None:
        """Of `tests` (ids), those that run no changed line; None if nobody can tell.

        A doubt (a changed line outside every function, a test that starts a process) speaks for the test.
        """
        ...
