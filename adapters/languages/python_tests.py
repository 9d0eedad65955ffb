"""How a project's tests are set up: pytest's configuration, where tests lie, and what they import."""

from __future__ import annotations

import ast
import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adapters.languages.python_folder import Folder, read_ini, read_toml
from adapters.languages.python_literals import parse
from adapters.languages.python_requirements import names_of

CONFIGURATIONS = (
    ("pytest.toml", "pytest"),
    (".pytest.toml", "pytest"),
    ("pytest.ini", "pytest"),
    (".pytest.ini", "pytest"),
    ("pyproject.toml", "tool.pytest"),
    ("pyproject.toml", "tool.pytest.ini_options"),
    ("tox.ini", "pytest"),
    ("setup.cfg", "tool:pytest"),
    ("setup.cfg", "pytest"),
)
"""(file, section) in the order in which pytest looks; the first that is there is the only one that counts."""

PLUGIN_OF_OPTION = {
    r"--(no-)?cov\b": "pytest-cov",
    r"(-n|--numprocesses|--dist|--maxprocesses)\b": "pytest-xdist",
    r"--timeout\b": "pytest-timeout",
    r"--asyncio-mode\b": "pytest-asyncio",
    r"--benchmark-": "pytest-benchmark",
    r"--randomly-": "pytest-randomly",
    r"--random-order": "pytest-random-order",
    r"--reruns": "pytest-rerunfailures",
    r"--flake8\b": "pytest-flake8",
    r"--black\b": "pytest-black",
    r"--isort\b": "pytest-isort",
    r"--mypy\b": "pytest-mypy",
    r"--pep8\b": "pytest-pep8",
    r"--html\b": "pytest-html",
    r"--ds\b|--reuse-db|--nomigrations": "pytest-django",
    r"--mpl\b": "pytest-mpl",
    r"--doctest-(plus|rst)\b": "pytest-doctestplus",
    r"--hypothesis-": "hypothesis",
    r"--instafail\b": "pytest-instafail",
    r"--allow-hosts|--disable-socket": "pytest-socket",
}
"""Options in addopts with which pytest refuses to start where the plugin is missing."""

PLUGIN_OF_KEY = {
    "asyncio_mode": "pytest-asyncio",
    "timeout": "pytest-timeout",
    "DJANGO_SETTINGS_MODULE": "pytest-django",
}
"""Settings that mean nothing, or that --strict-config refuses, where the plugin is missing."""

PACKAGE_OF_MODULE = {
    "yaml": "PyYAML",
    "dateutil": "python-dateutil",
    "attr": "attrs",
    "OpenSSL": "pyOpenSSL",
    "bs4": "beautifulsoup4",
    "PIL": "pillow",
    "sklearn": "scikit-learn",
    "Crypto": "pycryptodome",
    "zope": "zope.interface",
    "jwt": "PyJWT",
    "pkg_resources": "setuptools",
    "memcache": "python-memcached",
    "xprocess": "pytest-xprocess",
}
"""Modules whose package has another name."""

TESTING_PACKAGES = frozenset(
    {"attr", "betamax", "chai", "dateutil", "ddt", "factory", "faker", "freezegun", "httpretty", "hypothesis", "mock"}
    | {"nose", "parameterized", "pretend", "pytest", "pytest_mock", "pytz", "requests_mock", "responses", "simplejson"}
    | {"six", "sure", "testfixtures", "testtools", "time_machine", "tornado", "trio", "trustme", "typeguard"}
    | {"unittest2", "vcr", "yaml"}
)
"""Modules that tests import though no file of the project names them: safe to add by name."""

TEST_FOLDER = re.compile(r"(unit|functional)?_?tests?|testing|testsuite")

SKIPPED_FOLDERS = {".git", ".tox", ".nox", ".venv", "venv", "node_modules", "build", "dist", "docs", "doc", "examples"}
MOST_FILES = 3000


@dataclass(frozen=True)
class PytestSettings:
    """`file` is empty where the project configures nothing."""

    file: str = ""
    addopts: tuple[str, ...] = ()
    testpaths: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    """Packages without which these settings make pytest refuse to start or tests fail."""


@dataclass(frozen=True)
class Imports:
    """Modules outside the project and the standard library; `certain` are imported at the top level, unguarded."""

    certain: frozenset[str]
    possible: frozenset[str]


def pytest_settings(folder: Folder) -> PytestSettings:
    for path, section in CONFIGURATIONS:
        if (settings := _section(folder, path, section)) is not None:
            addopts = _words(settings.get("addopts"))
            return PytestSettings(path, addopts, _paths(folder, settings), _plugins(addopts, settings))
    return PytestSettings()


def _section(folder: Folder, path: str, section: str) -> Mapping[str, Any] | None:
    if not folder.has(path):
        return None
    if not path.endswith(".toml"):
        return read_ini(folder, path).get(section, {} if path.endswith("pytest.ini") else None)
    held: Any = read_toml(folder, path)
    for key in section.split("."):
        held = held.get(key) if isinstance(held, dict) else None
    if section == "tool.pytest" and isinstance(held, dict) and set(held) <= {"ini_options"}:
        return None
    return held if isinstance(held, dict) else None


def _words(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(item for item in value if isinstance(item, str))
    try:
        return tuple(shlex.split(value, comments=True)) if isinstance(value, str) else ()
    except ValueError:
        return tuple(str(value).split())


def _paths(folder: Folder, settings: Mapping[str, Any]) -> tuple[str, ...]:
    found: list[str] = []
    for pattern in _words(settings.get("testpaths")):
        try:
            matches = sorted(path.relative_to(folder.tree).as_posix() for path in folder.tree.glob(pattern.rstrip("/")))
        except (ValueError, NotImplementedError, IndexError):
            matches = []
        found += matches
    return tuple(dict.fromkeys(found))


def _plugins(addopts: tuple[str, ...], settings: Mapping[str, Any]) -> tuple[str, ...]:
    found = [plugin for option in addopts for start, plugin in PLUGIN_OF_OPTION.items() if re.match(start, option)]
    for index, option in enumerate(addopts):
        module = option[2:] or "".join(addopts[index + 1 : index + 2]) if option.startswith("-p") else ""
        if module.startswith(("xdist", "pytest_cov", "pytest_asyncio", "pytest_django")):
            found.append({"xdist": "pytest-xdist"}.get(module.split(".")[0], module.split(".")[0].replace("_", "-")))
    found += [plugin for key, plugin in PLUGIN_OF_KEY.items() if key in settings]
    found += sorted(names_of(_words(settings.get("required_plugins"))))
    return tuple(dict.fromkeys(found))


def python_files(folder: Folder, below: str = ".") -> Iterator[str]:
    """Python files as paths relative to the tree, sorted, without environments, builds and documentation."""
    count = 0
    for parent, folders, files in os.walk(folder.tree / below):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS and not name.endswith(".egg-info"))
        for name in sorted(files):
            if name.endswith(".py") and (parent + name).isprintable():
                count += 1
                if count > MOST_FILES:
                    folder.note(f"{below}: more than {MOST_FILES} Python files, the rest was not looked at")
                    return
                yield (Path(parent) / name).relative_to(folder.tree).as_posix()


def is_test_file(path: str) -> bool:
    name = path.rpartition("/")[2]
    return bool(re.fullmatch(r"test_.*\.py|.*_tests?\.py|tests?\.py|conftest\.py", name)) or bool(
        re.search(r"(^|/)tests?/", path)
    )


def find_test_paths(folder: Folder, settings: PytestSettings, files: list[str]) -> tuple[str, ...]:
    """Where the runner is to look: pytest's own testpaths, else the top-most test folders, else test files."""
    if settings.testpaths:
        return settings.testpaths
    named = [path for path in files if re.fullmatch(r"test_.*\.py|.*_tests?\.py", path.rpartition("/")[2])]
    tests = named or [path for path in files if is_test_file(path)]
    found: set[str] = set()
    for path in tests:
        folders = path.split("/")[:-1]
        top = next((index for index, name in enumerate(folders) if TEST_FOLDER.fullmatch(name)), None)
        found.add("/".join(folders[: top + 1]) if top is not None else path if not folders else "/".join(folders))
    outer = [name for name in found if not any(name.startswith(f"{other}/") for other in found)]
    return tuple(sorted(outer, key=lambda name: (name.count("/"), name)))


def test_imports(folder: Folder, files: list[str], own: set[str]) -> Imports:
    """What test files import from outside. `own` holds the project's own top-level modules."""
    certain: set[str] = set()
    possible: set[str] = set()
    for path in files:
        if is_test_file(path) and (tree := parse(folder.text(path) or "")):
            certain |= {name for node in tree.body for name in _imported(node)}
            possible |= {name for node in ast.walk(tree) for name in _imported(node)}
    beside = {part for path in files if is_test_file(path) for part in path.removesuffix(".py").split("/")}
    local = own | beside | set(sys.stdlib_module_names)
    return Imports(frozenset(certain - local), frozenset(possible - local))


def _imported(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (alias.name.split(".")[0] for alias in names)
        case ast.ImportFrom(module=str(module), level=0):
            yield module.split(".")[0]
        case ast.Call(func=ast.Attribute(attr="importorskip"), args=[ast.Constant(value=str(name)), *_]):
            yield name.split(".")[0]
