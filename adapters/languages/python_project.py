"""What a Python project needs to be installed and tested, read from its files alone; nothing of it is ever run.

`read_project` never fails on what a project's files hold: what it cannot read it leaves out, and says so in `notes`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from adapters.languages.python_environments import continuous, hatch, nox
from adapters.languages.python_folder import Folder, read_ini, read_toml
from adapters.languages.python_manifest import Manifest, read_manifest
from adapters.languages.python_plans import Plan, make_plans
from adapters.languages.python_requirements import Asked, names_in_file, names_of
from adapters.languages.python_tests import (
    find_test_paths,
    pytest_settings,
    python_files,
    test_imports,
)
from adapters.languages.python_tox import tox_ini, tox_toml

__all__ = ["Plan", "Project", "read_project", "version_variables"]


@dataclass(frozen=True)
class Project:
    """All paths are relative to the tree. `requires_python` and requirements are in the notation of PEP 440 and 508."""

    manager: str
    """pip, uv, poetry, pipenv, pdm or hatch: what the project itself uses."""
    runner: str
    """pytest or unittest."""
    name: str | None
    dynamic_version: str | None
    """The tool that asks git for the version at build time, or None."""
    build_backend: str
    build_requires: tuple[str, ...]
    """With what the backend asks for only when it builds an editable or a wheel."""
    installable: bool
    """False: there is nothing to build; put `source_roots` on PYTHONPATH (plans then hold the runtime dependencies)."""
    compiled: bool
    """Parts are compiled, so changed sources need a rebuild."""
    source_roots: tuple[str, ...]
    requires_python: str | None
    minor_versions_named: tuple[str, ...]
    test_paths: tuple[str, ...]
    pytest_config: str
    addopts: tuple[str, ...]
    uses_xdist: bool
    uses_cov: bool
    uses_randomly: bool
    uses_timeout: bool
    plans: tuple[Plan, ...]
    """Best first; the last is the runner alone."""
    notes: tuple[str, ...]


def read_project(tree: Path) -> Project:
    """Read the project in the folder `tree`. Soft on everything but a missing folder.

    Raises:
        FileNotFoundError: `tree` is not a folder.
    """
    if not tree.is_dir():
        raise FileNotFoundError(2, "no such folder", str(tree))
    folder = Folder(tree)
    manifest = read_manifest(folder)
    settings = pytest_settings(folder)
    files = list(python_files(folder))
    environments, ci, pythons, ci_commands = _environments(folder, manifest)
    roots = _source_roots(folder, manifest, files)
    imports = test_imports(folder, files, _own_modules(manifest, roots, files))
    nose = _mentions(r"\bnose(tests|2)?\b", manifest, environments, ci_commands)
    is_pytest = bool(settings.file) or "pytest" in imports.possible or any(f.endswith("conftest.py") for f in files)
    is_pytest = is_pytest or nose or _mentions(r"py\.?test\b", manifest, environments, ci_commands)
    is_pytest = is_pytest or _requirement_files_mention(folder, r"^\s*(pytest|nose)\b")
    if nose and "pytest" not in imports.possible and not settings.file:
        folder.note("nose is named: pytest runs its tests")
    runner = "pytest" if is_pytest else "unittest"
    plans = make_plans(folder, manifest, settings, imports, environments, ci, runner)
    best = (
        names_of(plans[0].requirements)
        | _names_in_files(folder, plans[0].requirement_files)
        | _extra_names(manifest, plans[0])
    )
    return Project(
        manager=manifest.manager,
        runner=runner,
        name=manifest.name,
        dynamic_version=manifest.dynamic_version,
        build_backend=manifest.build_backend,
        build_requires=manifest.build_requires,
        installable=manifest.installable,
        compiled=_compiled(folder, manifest),
        source_roots=roots,
        requires_python=manifest.requires_python,
        minor_versions_named=_sorted_minors([*manifest.minors, *pythons]),
        test_paths=find_test_paths(folder, settings, files),
        pytest_config=settings.file,
        addopts=settings.addopts,
        uses_xdist="pytest-xdist" in best,
        uses_cov="pytest-cov" in best,
        uses_randomly=bool({"pytest-randomly", "pytest-random-order"} & best),
        uses_timeout="pytest-timeout" in best,
        plans=plans,
        notes=tuple(folder.notes),
    )


def version_variables(project: Project, hint: str | None) -> dict[str, str]:
    """Environment variables that tell version tools what they would ask git.

    `hint` is the newest tag's version; anything that is not a version (or None) becomes 0.0.1.
    """
    version = _clean_version(hint)
    name = re.sub(r"[-_.]+", "_", project.name or "").upper()
    scm = {"SETUPTOOLS_SCM_PRETEND_VERSION": version}
    scm |= {f"SETUPTOOLS_SCM_PRETEND_VERSION_FOR_{name}": version} if name else {}
    return {
        "setuptools_scm": scm,
        "hatch-vcs": scm,
        "flit-scm": scm,
        "vcs-versioning": scm | {"VCS_VERSIONING_PRETEND_VERSION": version},
        "pbr": {"PBR_VERSION": version},
        "pdm-scm": {"PDM_BUILD_SCM_VERSION": version, "PDM_PEP517_SCM_VERSION": version},
        "poetry-dynamic-versioning": {"POETRY_DYNAMIC_VERSIONING_BYPASS": version},
        "uv-dynamic-versioning": {"UV_DYNAMIC_VERSIONING_BYPASS": version},
    }.get(project.dynamic_version or "", {})


def _clean_version(hint: str | None) -> str:
    found = re.search(r"\d+(?:[._]\d+)*.*", hint or "")
    for candidate in (hint or "", found[0] if found else "", *re.findall(r"\d+(?:\.\d+)*", hint or "")):
        try:
            return str(Version(candidate))
        except InvalidVersion:
            continue
    return "0.0.1"


def _environments(folder: Folder, manifest: Manifest) -> tuple[list[Asked], Asked, list[str], str]:
    """What tox, nox and hatch ask for; what CI asks for; the Pythons that they name; CI's commands."""
    asked: list[Asked] = []
    pythons: list[str] = []
    table = manifest.tool.get("tox")
    legacy = table.get("legacy_tox_ini") if isinstance(table, dict) else None
    found = [tox_ini(read_ini(folder, "tox.ini"))] if folder.has("tox.ini") else []
    if isinstance(legacy, str):
        found.append(tox_ini(read_ini(folder, "pyproject.toml: tool.tox", legacy), "pyproject.toml: tool.tox"))
    elif isinstance(table, dict):
        found.append(tox_toml(table, "pyproject.toml: tool.tox"))
    if "tox:tox" in manifest.setup_cfg:
        found.append(tox_ini(manifest.setup_cfg | {"tox": manifest.setup_cfg["tox:tox"]}, "setup.cfg"))
    if folder.has("tox.toml"):
        found.append(tox_toml(read_toml(folder, "tox.toml"), "tox.toml"))
    found.append(nox(folder))
    for source, minors in found:
        asked += [source] if source else []
        pythons += minors
    envs = manifest.tool.get("hatch")
    if isinstance(envs, dict) and (source := hatch(envs)):
        asked.append(source)
    ci, minors, commands = continuous(folder)
    return asked, ci, [*pythons, *minors], commands


def _mentions(pattern: str, manifest: Manifest, environments: list[Asked], ci_commands: str) -> bool:
    named = [*manifest.tests_require, *(line for asked in environments for line in asked.lines), ci_commands]
    named += [line for lines in [*manifest.extras.values(), *manifest.groups.values()] for line in lines]
    named += [value for section in manifest.setup_cfg.values() for value in section.values()]
    return any(re.search(pattern, text) for text in named)


def _requirement_files_mention(folder: Folder, pattern: str) -> bool:
    paths = [
        *folder.tree.glob("*.txt"),
        *folder.tree.glob("requirements/*.txt"),
        folder.tree / "tox.ini",
        folder.tree / "Makefile",
    ]
    texts = (folder.text(path.relative_to(folder.tree).as_posix()) or "" for path in sorted(paths))
    return any(re.search(pattern + r"|^\s*(commands\s*=\s*)?.*\bpy\.?test\b", text, re.M) for text in texts)


def _names_in_files(folder: Folder, paths: tuple[str, ...]) -> set[str]:
    return {name for path in paths for name in names_in_file(folder, path)}


def _extra_names(manifest: Manifest, plan: Plan) -> set[str]:
    wanted = {canonicalize_name(extra) for extra in plan.extras}
    return {
        name
        for extra, lines in manifest.extras.items()
        if canonicalize_name(extra) in wanted
        for name in names_of(lines)
    }


def _source_roots(folder: Folder, manifest: Manifest, files: list[str]) -> tuple[str, ...]:
    """Folders that hold importable modules: the declared one, else src or lib with Python in it, else `.`"""
    if manifest.package_dir and (folder.tree / manifest.package_dir).is_dir():
        return (manifest.package_dir,)
    nested = [
        root for root in ("src", "lib") if any(re.match(rf"{root}/[^/]+(/__init__)?\.py$", path) for path in files)
    ]
    nested = [root for root in nested if not folder.has(f"{root}/__init__.py")]
    return tuple(nested[:1]) or (".",)


def _own_modules(manifest: Manifest, roots: tuple[str, ...], files: list[str]) -> set[str]:
    found = {re.sub(r"[-.]", "_", manifest.name.lower())} if manifest.name else set()
    for root in roots:
        inside = [path.removeprefix(f"{root}/") for path in files if root == "." or path.startswith(f"{root}/")]
        found |= {path.split("/")[0].removesuffix(".py") for path in inside}
    return found


def _compiled(folder: Folder, manifest: Manifest) -> bool:
    backends = ("maturin", "mesonpy", "scikit_build_core", "poetry.core.masonry.api+build")
    asked = names_of(manifest.build_requires) & {
        "cython",
        "cffi",
        "setuptools-rust",
        "pybind11",
        "mypy",
        "hatch-mypyc",
        "nanobind",
    }
    calls = re.search(
        r"\bext_modules\s*=|\bcffi_modules\s*=|\bext_package\s*=|Extension\(", folder.text("setup.py") or ""
    )
    return bool(manifest.build_backend.startswith(backends) or asked or calls)


def _sorted_minors(minors: list[str]) -> tuple[str, ...]:
    return tuple(sorted(set(minors), key=lambda minor: tuple(int(part) for part in minor.split("."))))
