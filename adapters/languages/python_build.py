"""How a project is built: what its backend needs, and which tool asks git for its version."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from packaging.utils import canonicalize_name

from adapters.languages.python_folder import Folder, Sections, lines_of, option, table
from adapters.languages.python_requirements import names_of, requirement

BACKEND_ASKS = {
    "hatchling": ("editables",),
    "pdm.backend": ("editables",),
    "pdm.pep517": ("editables",),
    "mesonpy": ("ninja", "meson"),
    "scikit_build_core": ("cmake", "ninja", "editables"),
    "setuptools": ("wheel",),
}
"""What build backends ask for only when they are asked to build (get_requires_for_build_editable and _wheel)."""

SETUP_IMPORTS = {
    "Cython": "cython",
    "numpy": "numpy",
    "cffi": "cffi",
    "pybind11": "pybind11",
    "pkgconfig": "pkgconfig",
    "setuptools_rust": "setuptools-rust",
    "skbuild": "scikit-build",
    "mypyc": "mypy",
    "setuptools_scm": "setuptools_scm",
}
"""Modules that setup.py imports and that old projects expected to be there already -> package."""

VERSION_TOOLS = {
    "setuptools-scm": "setuptools_scm",
    "hatch-vcs": "hatch-vcs",
    "flit-scm": "flit-scm",
    "vcs-versioning": "vcs-versioning",
    "pbr": "pbr",
    "versioneer": "versioneer",
    "poetry-dynamic-versioning": "poetry-dynamic-versioning",
    "uv-dynamic-versioning": "uv-dynamic-versioning",
    "versioningit": "versioningit",
    "setuptools-git-versioning": "setuptools-git-versioning",
    "setuptools-git": "",
}
"""Build requirement -> the tool's name, as `Project.dynamic_version` has it."""


def build_requirements(
    folder: Folder, pyproject: Mapping[str, Any], cfg: Sections, setup: Mapping[str, Any]
) -> tuple[str, ...]:
    asked = lines_of(table(pyproject, "build-system").get("requires")) or ["setuptools>=40.8.0", "wheel"]
    legacy = lines_of(setup.get("setup_requires")) or lines_of(option(cfg, "options", "setup_requires"))
    lines = [*asked, *(line for line in legacy if requirement(line))]
    text = folder.text("setup.py") or ""
    for module, package in SETUP_IMPORTS.items():
        if re.search(rf"^\s*(from|import) {module}\b", text, re.M) and canonicalize_name(package) not in names_of(
            lines
        ):
            lines.append(package)
    return tuple(dict.fromkeys(lines))


def with_asked(requires: tuple[str, ...], backend: str) -> tuple[str, ...]:
    asked = next((extra for start, extra in BACKEND_ASKS.items() if backend.startswith(start)), ())
    return (*requires, *(name for name in asked if name not in names_of(requires)))


def dynamic_version_tool(
    folder: Folder,
    requires: tuple[str, ...],
    tool: Mapping[str, Any],
    cfg: Sections,
    setup: Mapping[str, Any],
    project: Mapping[str, Any],
) -> str | None:
    asked = names_of(requires)
    if folder.has("versioneer.py") or "versioneer" in cfg:
        return "versioneer"
    if "pbr" in asked or setup.get("pbr") or "pbr.hooks.setup_hook" in option(cfg, "global", "setup-hooks"):
        return "pbr"
    if "use_scm_version" in (folder.text("setup.py") or ""):
        return "setuptools_scm"
    if table(table(tool, "pdm"), "version").get("source") == "scm":
        return "pdm-scm"
    found = [name for package, name in VERSION_TOOLS.items() if package in asked and name]
    static = "version" in project or table(tool, "poetry").get("version", "0") not in ("0", "0.0", "0.0.0")
    return found[0] if found and not (static and found[0] != "poetry-dynamic-versioning") else None
