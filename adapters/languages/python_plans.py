"""Ways to install what a project's tests need, from the richest that a maintainer would use to the runner alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from packaging.utils import canonicalize_name

from adapters.languages.python_folder import Folder
from adapters.languages.python_manifest import Manifest
from adapters.languages.python_requirements import (
    Asked,
    Wanted,
    lines_in_file,
    names_in_file,
    names_of,
    requirement,
    want,
    want_file,
)
from adapters.languages.python_tests import PACKAGE_OF_MODULE, TESTING_PACKAGES, Imports, PytestSettings

TEST_NAMES = {"test", "tests", "testing", "pytest", "unittest", "unittests", "unit-tests", "test-requirements"}
DEV_NAMES = {"dev", "develop", "development", "devel", "dev-packages", "ci"}
"""Names of groups, extras and requirements files, normalized as package names are."""

TOOLING = re.compile(
    r"^(ruff|black|flake8.*|pep8.*|pycodestyle|pydocstyle|pylint.*|isort|mypy|pyright|basedpyright|ty|pyre.*|bandit|radon"
    r"|sphinx.*|furo|mkdocs.*|myst.*|.*-sphinx-.*|.*theme.*|docutils|doc8|releases|reno|towncrier|cogapp|readme-renderer"
    r"|tox.*|nox|pre-commit.*|twine|build|wheel|setuptools|pip|pip-tools|pip-compile-multi|check-manifest|bump.*|hatch|poetry"
    r"|poethepoet|pdm|uv|invoke|ipython|ipdb|pdbpp|codecov|coveralls|python-coveralls|safety|pyroma|virtualenv|commitizen"
    r"|types-.*|.*-stubs|autopep8|yapf|hacking|cibuildwheel|auditwheel|delocate|gha-update|restview|nodeenv)$"
)
"""Packages of a development environment that tests do not need unless they import them."""


@dataclass(frozen=True)
class Plan:
    """One way to install what the tests need; the project itself comes on top.

    `requirement_files` (relative to the tree, with `-r` and `-c` inside) go to a resolver as they are. `extras` are the
    project's own.
    """

    label: str
    inputs: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    requirement_files: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()


def make_plans(
    folder: Folder,
    manifest: Manifest,
    settings: PytestSettings,
    imports: Imports,
    environments: Sequence[Asked],
    ci: Asked,
    runner: str,
) -> tuple[Plan, ...]:
    """Best first, without repetitions; the last holds only the runner and what its configuration cannot do without."""
    tests = _named_sources(folder, manifest, TEST_NAMES)
    quiet = Folder(folder.tree)
    development = _named_sources(quiet, manifest, DEV_NAMES)
    hints = [_asked(folder, manifest, asked) for asked in environments]
    hints = [hint for hint in hints if hint]
    general = _general_file(folder, manifest)
    from_ci = _without_tooling(folder, _asked(quiet, manifest, ci))
    needed = _base(folder, manifest, settings, general, runner)

    if rich := [*tests, *hints]:
        imported = _imported(folder, manifest, imports, rich, development, general)
        lean = [_without_tooling(folder, source) for source in rich]
        ways = [[*rich, *imported], rich, [*lean, *imported], tests, hints]
    elif development:
        folder.notes += quiet.notes
        imported = _imported(folder, manifest, imports, development, [], general)
        lean = [_without_tooling(folder, source) for source in development]
        ways = [[*development, *imported], [*lean, *imported], lean]
    else:
        imported = _imported(folder, manifest, imports, [from_ci], [], [])
        lean = [_without_tooling(folder, source) for source in [*general, from_ci]]
        ways = [[*general, from_ci, *imported], [*lean, *imported], imported]
    plans = [_plan(folder, way, needed) for way in ways if any(way)]
    plans += [_unlocked(folder, plan) for plan in plans[:1]]
    if plans:
        unpinned = _unpinned(folder, _plan(folder, [*lean, *imported], needed))
        plans += [unpinned, _common(manifest, unpinned, needed)]
    return _unique_plans([*plans, _plan(folder, [], needed)])


def _unique_plans(plans: list[Plan]) -> tuple[Plan, ...]:
    """The first of plans that ask for the same; one that asks for the same as the last goes."""
    unique: dict[tuple[object, ...], Plan] = {}
    for plan in plans:
        key = (frozenset(plan.requirements), frozenset(plan.requirement_files), frozenset(plan.extras))
        unique.setdefault(key, plan)
    if next(iter(unique)) == key:
        return (plans[0],)
    last = unique.pop(key)
    return (*unique.values(), last)


def _base(folder: Folder, manifest: Manifest, settings: PytestSettings, general: list[Wanted], runner: str) -> Wanted:
    """What every plan holds: the runner, plugins that its configuration names; with nothing to build, the runtime."""
    lines = [runner, *settings.plugins] if runner == "pytest" else []
    if manifest.installable:
        return Wanted(f"{runner} alone", tuple(lines))
    runtime = want(folder, manifest.name, "runtime dependencies", manifest.dependencies)
    parts = [runtime, *general]
    lines += [line for part in parts for line in part.requirements]
    return Wanted(f"{runner} and runtime alone", tuple(lines), tuple(path for part in parts for path in part.files))


def _named_sources(folder: Folder, manifest: Manifest, names: set[str]) -> list[Wanted]:
    """Groups, extras, tests_require and requirements files with one of the names."""
    found = [
        want(folder, manifest.name, f"group {name}", lines)
        for name, lines in manifest.groups.items()
        if canonicalize_name(name) in names
    ]
    for extra in manifest.extras:
        if canonicalize_name(extra) in names:
            found.append(_extra(folder, manifest, extra))
    if names is TEST_NAMES and manifest.tests_require:
        found.append(want(folder, manifest.name, "tests_require", manifest.tests_require))
    found += [want_file(folder, manifest.name, path) for path in requirement_paths(folder, names)]
    return [source for source in found if source]


def _extra(folder: Folder, manifest: Manifest, extra: str) -> Wanted:
    if manifest.installable:
        return Wanted(f"extra {extra}", extras=(extra,))
    return want(folder, manifest.name, f"extra {extra}", manifest.extras[extra])


def requirement_paths(folder: Folder, names: set[str]) -> list[str]:
    """Requirements files whose name, without words such as `requirements`, is one of `names`; `.txt` before `.in`."""
    found: dict[str, str] = {}
    for pattern in ("*.txt", "*.in", "req*/*.txt", "req*/*.in", "tests/*.txt", "test/*.txt", "tests/*.in", ".*.txt"):
        for path in sorted(folder.tree.glob(pattern)):
            relative = path.relative_to(folder.tree).as_posix()
            if path.is_file() and _kind_of_file(relative) in names:
                found.setdefault(str(PurePosixPath(relative).with_suffix("")), relative)
    return list(found.values())


def _kind_of_file(path: str) -> str:
    """`tests` for requirements/tests.txt, test-requirements.txt, requirements_tests.txt or tests/requirements.txt."""
    parent, _, name = path.rpartition("/")
    words = [word for word in re.split(r"[-_.]", name.rpartition(".")[0].lower()) if word]
    said = [word for word in words if word not in ("requirements", "requirement", "reqs", "req", "requires", "pip")]
    if parent in ("tests", "test"):
        return "tests" if not said and words else ""
    if parent or len(said) < len(words):
        return canonicalize_name("-".join(said)) if said else ""
    return ""


def _general_file(folder: Folder, manifest: Manifest) -> list[Wanted]:
    """requirements.txt: the runtime where nothing is built; and in old projects, everything that tests need."""
    text = folder.text("requirements.txt")
    if text is None:
        return []
    tools = names_of(text.splitlines()) & {"pytest", "nose", "mock", "pytest-cov", "unittest2", "coverage", "chai"}
    return [want_file(folder, manifest.name, "requirements.txt")] if tools or not manifest.installable else []


def _asked(folder: Folder, manifest: Manifest, asked: Asked) -> Wanted:
    """Resolve what an environment file names: groups and extras of the project, lines, files."""
    plain = want(folder, manifest.name, asked.label, asked.lines)
    lines = list(plain.requirements)
    for group in asked.groups:
        known = next((key for key in manifest.groups if canonicalize_name(key) == canonicalize_name(group)), None)
        lines += want(folder, manifest.name, f"group {group}", manifest.groups[known]).requirements if known else []
    named = dict.fromkeys([*asked.extras, *plain.extras])
    known_extras = {canonicalize_name(extra): extra for extra in manifest.extras}
    extras = [known_extras[canonicalize_name(extra)] for extra in named if canonicalize_name(extra) in known_extras]
    if not manifest.installable:
        lines += [line for extra in extras for line in manifest.extras[extra]]
        extras = []
    kept = [line for line in lines if requirement(line)]
    return Wanted(asked.label, tuple(dict.fromkeys(kept)), plain.files, tuple(extras))


def _without_tooling(folder: Folder, source: Wanted) -> Wanted:
    """The source without linters, documentation and release tools; files that name one are taken apart."""
    files = [path for path in source.files if not any(map(TOOLING.match, names_in_file(folder, path)))]
    apart = [line for path in source.files if path not in files for line in lines_in_file(folder, path)]
    lines = [*source.requirements, *(line for line in apart if names_of([line]))]
    kept = tuple(line for line in lines if not any(map(TOOLING.match, names_of([line]))))
    if kept == source.requirements:
        return source
    return Wanted(f"{source.label} without tools", kept, tuple(files), source.extras)


def _imported(
    folder: Folder,
    manifest: Manifest,
    imports: Imports,
    chosen: list[Wanted],
    others: list[Wanted],
    general: list[Wanted],
) -> list[Wanted]:
    """Requirements that other groups, extras or sources name and tests import; and well-known ones that none names."""
    have = {name for source in chosen for name in names_of(source.requirements)}
    have |= {name for source in chosen for path in source.files for name in names_in_file(folder, path)}
    have |= {name for s in chosen for extra in s.extras for name in names_of(manifest.extras.get(extra, []))}
    pool = [line for source in [*others, *general] for line in source.requirements]
    pool += [line for s in [*others, *general] for path in s.files for line in lines_in_file(folder, path)]
    pool += [line for lines in [*manifest.groups.values(), *manifest.extras.values()] for line in lines]
    wanted = {canonicalize_name(PACKAGE_OF_MODULE.get(module, module)) for module in imports.possible}
    found: dict[str, str] = {}
    for line in pool:
        for name in names_of([line]):
            if name in wanted and name not in have and (parsed := requirement(line)) is not None and not parsed.url:
                found.setdefault(name, line)
    for module in sorted(imports.certain & TESTING_PACKAGES):
        name = canonicalize_name(PACKAGE_OF_MODULE.get(module, module))
        if name not in have and name not in names_of(manifest.dependencies):
            found.setdefault(name, name)
    return [Wanted("imports of tests", tuple(found.values()))] if found else []


def _plan(folder: Folder, sources: Iterable[Wanted], needed: Wanted) -> Plan:
    kept = [source for source in sources if source]
    lines = dict.fromkeys(line for source in kept for line in source.requirements)
    have = names_of(lines) | {name for source in kept for path in source.files for name in names_in_file(folder, path)}
    lines |= dict.fromkeys(line for line in needed.requirements if not names_of([line]) <= have)
    labels = tuple(dict.fromkeys(source.label for source in kept)) or (needed.label,)
    files = dict.fromkeys(path for source in [*kept, needed] for path in source.files)
    extras = dict.fromkeys(extra for source in kept for extra in source.extras)
    return Plan("; ".join(labels), labels, tuple(lines), tuple(files), tuple(extras))


def _unlocked(folder: Folder, plan: Plan) -> Plan:
    """The plan with `x.in` for each `x.txt` that was compiled from it."""
    files = []
    for path in plan.requirement_files:
        source = str(PurePosixPath(path).with_suffix(".in"))
        files.append(source if folder.has(source) else path)
    return replace(plan, label=f"{plan.label} (sources of locked files)", requirement_files=tuple(files))


def _common(manifest: Manifest, plan: Plan, needed: Wanted) -> Plan:
    """Of a plan by names, what many projects test with: a package that no index has any more cannot spoil this one."""
    known = {canonicalize_name(PACKAGE_OF_MODULE.get(module, module)) for module in TESTING_PACKAGES}
    lines = [*plan.requirements, *(line for extra in plan.extras for line in manifest.extras.get(extra, []))]
    names = sorted(name for name in names_of(lines) if name in known or name.startswith("pytest-"))
    kept = [*names, *(line for line in needed.requirements if not names_of([line]) <= set(names))]
    return Plan("common test packages", ("common test packages",), tuple(kept), needed.files)


def _unpinned(folder: Folder, plan: Plan) -> Plan:
    """The plan by names alone: for pins that no longer resolve, or not on this Python."""
    lines = [*plan.requirements, *(line for path in plan.requirement_files for line in lines_in_file(folder, path))]
    names: dict[str, None] = {}
    for line in lines:
        if (parsed := requirement(line)) and not parsed.url:
            extras = f"[{','.join(sorted(parsed.extras))}]" if parsed.extras else ""
            names[f"{parsed.name}{extras}" + (f"; {parsed.marker}" if parsed.marker else "")] = None
    return replace(plan, label=f"{plan.label} (without pins)", requirements=tuple(names), requirement_files=())
