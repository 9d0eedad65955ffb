"""What a project says about itself: pyproject.toml, setup.cfg, setup.py, Pipfile and lock files, as one record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from packaging.utils import canonicalize_name

from adapters.languages.python_build import build_requirements, dynamic_version_tool, with_asked
from adapters.languages.python_folder import Folder, Sections, lines_of, option, read_ini, read_toml, table
from adapters.languages.python_literals import setup_keywords
from adapters.languages.python_poetry import poetry_lines, poetry_specifier

LOCK_FILES = {
    "uv.lock": "uv",
    "poetry.lock": "poetry",
    "pdm.lock": "pdm",
    "Pipfile.lock": "pipenv",
    "Pipfile": "pipenv",
}

BACKENDS = {"poetry": "poetry", "pdm": "pdm", "hatch": "hatch", "uv_build": "uv"}
"""Beginnings of build backends that belong to a manager."""


@dataclass(frozen=True)
class Manifest:
    """Everything is as the files say it; what they do not say is empty or None."""

    name: str | None
    manager: str
    installable: bool
    build_backend: str
    build_requires: tuple[str, ...]
    dynamic_version: str | None
    requires_python: str | None
    minors: tuple[str, ...]
    """Minor versions in classifiers, `.python-version` and the like."""
    dependencies: tuple[str, ...]
    """Runtime dependencies as far as they are known without a build."""
    extras: dict[str, list[str]]
    groups: dict[str, list[str]]
    """PEP 735, Poetry, PDM, uv and Pipfile groups as PEP 508 lines, includes resolved."""
    tests_require: tuple[str, ...]
    package_dir: str
    pyproject: dict[str, Any]
    setup_cfg: Sections
    tool: dict[str, Any] = field(default_factory=dict)


def read_manifest(folder: Folder) -> Manifest:
    pyproject = read_toml(folder, "pyproject.toml")
    cfg = read_ini(folder, "setup.cfg")
    setup = _setup(folder)
    project, tool = table(pyproject, "project"), table(pyproject, "tool")
    poetry = table(tool, "poetry")
    name = _first(project.get("name"), poetry.get("name"), _flit(tool).get("dist-name"), _flit(tool).get("module"))
    name = _first(name, option(cfg, "metadata", "name"), setup.get("name"), _only_package(folder))
    requires = build_requirements(folder, pyproject, cfg, setup)
    backend = str(table(pyproject, "build-system").get("build-backend") or "setuptools.build_meta:__legacy__")
    return Manifest(
        name=name,
        manager=_manager(folder, tool, backend),
        installable=_installable(folder, pyproject, cfg, tool),
        build_backend=backend,
        build_requires=with_asked(requires, backend),
        dynamic_version=dynamic_version_tool(folder, requires, tool, cfg, setup, project),
        requires_python=_requires_python(folder, project, tool, cfg, setup),
        minors=_minors(folder),
        dependencies=_dependencies(folder, project, poetry, tool, cfg, setup),
        extras=_extras(folder, project, poetry, tool, cfg, setup),
        groups=_groups(folder, pyproject, tool),
        tests_require=tuple(lines_of(setup.get("tests_require")) or lines_of(option(cfg, "options", "tests_require"))),
        package_dir=_package_dir(cfg, setup),
        pyproject=pyproject,
        setup_cfg=cfg,
        tool=tool,
    )


def _only_package(folder: Folder) -> str | None:
    """The one package at the top, where a name is computed in setup.py."""
    found = [path.parent.name for base in (".", "src") for path in (folder.tree / base).glob("*/__init__.py")]
    found = [name for name in found if not re.match(r"(tests?|docs?|examples?|benchmarks?|tasks|scripts)$", name)]
    return found[0] if len(found) == 1 and folder.has("setup.py") else None


def _setup(folder: Folder) -> dict[str, Any]:
    text = folder.text("setup.py")
    if text is None:
        return {}
    keywords = setup_keywords(text)
    if keywords is not None:
        return keywords
    folder.note("setup.py: cannot be parsed by this Python, only its name was looked for")
    found = re.search(r"^\s*name\s*=\s*['\"]([\w.-]+)['\"]", text, re.M)
    return {"name": found[1]} if found else {}


def _manager(folder: Folder, tool: Mapping[str, Any], backend: str) -> str:
    by_lock = next((manager for path, manager in LOCK_FILES.items() if folder.has(path)), None)
    by_table = next((name for name in ("poetry", "pdm", "uv") if name in tool), None)
    by_table = by_table or ("hatch" if table(tool, "hatch").get("envs") else None)
    by_backend = next((manager for start, manager in BACKENDS.items() if backend.startswith(start)), None)
    return by_lock or by_table or by_backend or "pip"


def _installable(folder: Folder, pyproject: Mapping[str, Any], cfg: Sections, tool: Mapping[str, Any]) -> bool:
    if table(tool, "uv").get("package") is False or table(tool, "poetry").get("package-mode") is False:
        return False
    packaged = "name" in table(pyproject, "project") or table(tool, "poetry").get("name") or _flit(tool)
    return bool(packaged or folder.has("setup.py") or (option(cfg, "metadata", "name") and "build-system" in pyproject))


def _requires_python(
    folder: Folder, project: Mapping[str, Any], tool: Mapping[str, Any], cfg: Sections, setup: Mapping[str, Any]
) -> str | None:
    poetry = table(table(tool, "poetry"), "dependencies").get("python")
    if isinstance(poetry, str) and "requires-python" not in project:
        try:
            return poetry_specifier(poetry) or None
        except ValueError:
            folder.note(f"pyproject.toml: Poetry's python cannot be read: {poetry}")
    flit = _flit(tool).get("requires-python")
    told = option(cfg, "options", "python_requires") or option(cfg, "metadata", "requires_python")
    told = told or option(cfg, "metadata", "python_requires")
    return _first(project.get("requires-python"), flit, told, setup.get("python_requires"))


def _minors(folder: Folder) -> tuple[str, ...]:
    """From classifiers wherever they stand literally, and from the files that version switchers read."""
    found: list[str] = []
    for path in ("pyproject.toml", "setup.cfg", "setup.py"):
        found += re.findall(r"Programming Language :: Python :: (\d\.\d+)", folder.text(path) or "")
    for path in (".python-version", ".python-version-default", "runtime.txt"):
        found += re.findall(r"^(?:python-|cpython-)?(\d\.\d+)", folder.text(path) or "", re.M)
    return tuple(dict.fromkeys(found))


def _dependencies(
    folder: Folder,
    project: Mapping[str, Any],
    poetry: Mapping[str, Any],
    tool: Mapping[str, Any],
    cfg: Sections,
    setup: Mapping[str, Any],
) -> tuple[str, ...]:
    lines = lines_of(project.get("dependencies"))
    lines = lines or poetry_lines(folder, "pyproject.toml: Poetry", _needed(table(poetry, "dependencies")))
    lines = lines or lines_of(_flit(tool).get("requires"))
    lines = lines or lines_of(option(cfg, "options", "install_requires")) or lines_of(setup.get("install_requires"))
    packages = table(read_toml(folder, "Pipfile"), "packages")
    return tuple(lines or poetry_lines(folder, "Pipfile: packages", packages))


def _needed(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: entry for name, entry in table.items() if not (isinstance(entry, dict) and entry.get("optional"))}


def _extras(
    folder: Folder,
    project: Mapping[str, Any],
    poetry: Mapping[str, Any],
    tool: Mapping[str, Any],
    cfg: Sections,
    setup: Mapping[str, Any],
) -> dict[str, list[str]]:
    told: dict[str, Any] = dict(table(project, "optional-dependencies"))
    told |= table(_flit(tool), "requires-extra")
    told |= cfg.get("options.extras_require", {}) | cfg.get("extras", {})
    if isinstance(setup.get("extras_require"), dict):
        told |= setup["extras_require"]
    found = {str(name): lines_of(value) for name, value in told.items() if name and not str(name).startswith(":")}
    optional = table(poetry, "dependencies")
    for name, members in table(poetry, "extras").items():
        wanted = {canonicalize_name(member) for member in lines_of(members)}
        chosen = {key: value for key, value in optional.items() if canonicalize_name(key) in wanted}
        found[name] = poetry_lines(folder, f"pyproject.toml: extra {name}", chosen)
    return found


def _groups(folder: Folder, pyproject: Mapping[str, Any], tool: Mapping[str, Any]) -> dict[str, list[str]]:
    standard = table(pyproject, "dependency-groups")
    found = {name: _group(folder, standard, name, ()) for name in standard}
    poetry = table(tool, "poetry")
    for name, held in table(poetry, "group").items():
        entries = table(held, "dependencies") if isinstance(held, dict) else {}
        found[name] = poetry_lines(folder, f"pyproject.toml: group {name}", entries)
    older = table(poetry, "dev-dependencies")
    if older:
        found["dev"] = found.get("dev", []) + poetry_lines(folder, "pyproject.toml: dev-dependencies", older)
    for name, lines in table(table(tool, "pdm"), "dev-dependencies").items():
        found[name] = found.get(name, []) + lines_of(lines)
    if uv := lines_of(table(tool, "uv").get("dev-dependencies")):
        found["dev"] = found.get("dev", []) + uv
    if pipenv := table(read_toml(folder, "Pipfile"), "dev-packages"):
        found["dev-packages"] = poetry_lines(folder, "Pipfile: dev-packages", pipenv)
    return found


def _group(folder: Folder, groups: Mapping[str, Any], name: str, seen: tuple[str, ...]) -> list[str]:
    """PEP 735: names compare normalized, includes are resolved in place, a cycle is a note."""
    wanted = next((key for key in groups if canonicalize_name(key) == canonicalize_name(name)), None)
    if wanted is None or wanted in seen:
        folder.note(f"pyproject.toml: group {name} {'includes itself' if wanted else 'is included, but missing'}")
        return []
    lines: list[str] = []
    for item in groups[wanted] if isinstance(groups[wanted], list) else []:
        if isinstance(item, str):
            lines.append(item)
        elif isinstance(item, dict) and isinstance(item.get("include-group"), str):
            lines += _group(folder, groups, item["include-group"], (*seen, wanted))
    return list(dict.fromkeys(lines))


def _package_dir(cfg: Sections, setup: Mapping[str, Any]) -> str:
    told = setup.get("package_dir")
    if isinstance(told, dict) and isinstance(told.get(""), str):
        return str(told[""]).strip("/")
    found = re.search(r"^\s*=\s*(\S+)", option(cfg, "options", "package_dir"), re.M)
    return found[1].strip("/") if found else ""


def _flit(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    return table(table(tool, "flit"), "metadata")


def _first(*values: object) -> str | None:
    texts: Iterable[str] = (value.strip() for value in values if isinstance(value, str))
    return next((text for text in texts if text), None)
