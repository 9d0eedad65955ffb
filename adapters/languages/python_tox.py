"""What tox.ini, tox.toml and their relatives say about a project's test environment."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice, product
from typing import Any

from adapters.languages.python_folder import Sections
from adapters.languages.python_requirements import Asked, requirement

TEST_NAME = re.compile(r"^(?:unit|py|ci)?[-_]?(?:tests?|testing|pytest|tox|unit|unittests?|check|coverage|cov)$", re.I)
"""Names of nox sessions, tox sections and hatch environments that run tests."""

NOT_TESTS = re.compile(
    r"lint|style|typ(?:e|ing)|mypy|docs?|pep8|flake8|build|release|min|lowest|oldest|nightly|dev$", re.I
)
"""Factors and names that mean another kind of run, or dependencies that nobody develops against."""


def expand_braces(text: str) -> list[str]:
    """tox's generative names: `py3{8-10}-{a,b}` -> py38-a, py38-b, ... Substitutions such as `{posargs}` stay."""
    parts = re.split(r"(?<!\\)\{([^{}]*)\}", text)
    choices = [[part] if index % 2 == 0 else _choices(part) for index, part in enumerate(parts)]
    return ["".join(combination) for combination in islice(product(*choices), 500)]


def _choices(inside: str) -> list[str]:
    found: list[str] = []
    for item in inside.split(","):
        span = re.fullmatch(r"\s*(\d+)\s*-\s*(\d+)\s*", item)
        if span and int(span[2]) - int(span[1]) < 50:
            found += map(str, range(int(span[1]), int(span[2]) + 1))
        else:
            found.append(item.strip())
    return found


def _environments(text: str) -> list[str]:
    outside = re.split(r"[,\n](?![^{]*\})", re.sub(r"#.*", "", text))
    return [name for part in outside if part.strip() for name in expand_braces(part.strip().replace(" ", ""))]


def python_of(factor: str) -> str | None:
    """ "3.10" for the tox factor py310, py3.10 or 3.10; None for pypy, py3 and all others."""
    found = re.fullmatch(r"(?:py|python)?-?([23])\.?(\d{1,2})", factor)
    return f"{found[1]}.{found[2]}" if found and (factor.startswith("py") or "." in factor) else None


def main_factors(environments: Sequence[str]) -> set[str]:
    """The factors, without Pythons, of the environment a maintainer lists first: of `django22, django30` the newest."""
    named = [name.split("-") for name in environments]
    tested = [factors for factors in named if any(python_of(f) for f in factors)] or named
    sets = [tuple(f for f in factors if not re.match(r"(?:py|pypy)[\d.]*$|pypy3?$", f)) for factors in tested]
    sets = [factors for factors in sets if not any(NOT_TESTS.search(f) for f in factors)]
    if not sets:
        return set()
    stems = [re.sub(r"[\d.]+$", "", f) for f in sets[0]]
    alike = [factors for factors in sets if [re.sub(r"[\d.]+$", "", f) for f in factors] == stems]
    return set(max(alike, key=lambda factors: [_number(f) for f in factors]))


def _number(factor: str) -> tuple[int, ...]:
    found = re.search(r"[\d.]+$", factor)
    return tuple(int(part) for part in found[0].split(".") if part) if found else ()


def conditional(line: str, factors: set[str]) -> list[str]:
    """What a tox line such as `py27,crypto: mock` asks for: Pythons become a marker, other factors must be chosen."""
    condition = re.match(r"([\w.{},!\- ]+?)\s*:\s+(?=\S)|([\w.{},!-]+):(?=[\w-])", line)
    if not condition or "://" in line[: condition.end() + 2]:
        return [line]
    rest = line[condition.end() :].strip()
    markers: list[str] = []
    for alternative in _environments(condition.group(1) or condition.group(2)):
        parts = alternative.split("-")
        pythons = [version for part in parts if (version := python_of(part))]
        others = [part for part in parts if not python_of(part)]
        if all(
            (part[1:] not in factors and not python_of(part[1:])) if part.startswith("!") else part in factors
            for part in others
        ):
            markers += [f'python_version == "{version}"' for version in pythons] or [""]
    if not markers:
        return []
    parsed = requirement(rest)
    if "" in markers or parsed is None:
        return [rest] if "" in markers else []
    both = [f"({parsed.marker})"] if parsed.marker else []
    parsed.marker = None
    return [f"{parsed} ; {' and '.join([*both, '(' + ' or '.join(dict.fromkeys(markers)) + ')'])}"]


def tox_ini(sections: Sections, label: str = "tox.ini") -> tuple[Asked, list[str]]:
    """What `[testenv]` asks for (or, if it asks nothing, sections named for tests), and the Pythons of the envlist."""
    head = sections.get("tox", {})
    listed = _environments(head.get("envlist", "") or head.get("env_list", ""))
    factors = main_factors(listed)
    pythons = [version for name in listed for part in name.split("-") if (version := python_of(part))]
    asked = _tox_section(sections, "testenv", factors, label)
    if not asked:
        for name in sections:
            inner = name.partition("testenv:")[2]
            expanded = _environments(inner) if inner else []
            if any(TEST_NAME.match(env) or all(map(python_of, env.split("-"))) for env in expanded):
                asked = _tox_section(sections, name, factors, label)
                if asked:
                    break
    return asked, pythons


def _tox_section(sections: Sections, name: str, factors: set[str], label: str) -> Asked:
    section = sections.get(name, {})
    lines = [kept for line in _tox_lines(sections, section.get("deps", "")) for kept in conditional(line, factors)]
    extras = _tox_names(sections, section.get("extras", ""), factors)
    groups = _tox_names(sections, section.get("dependency_groups", ""), factors)
    lines = [_tox_path(line) for line in lines]
    return Asked(f"{label}: [{name}]", tuple(line for line in lines if "{" not in line), extras, groups)


def _tox_lines(sections: Sections, text: str, depth: int = 0) -> list[str]:
    lines: list[str] = []
    for raw in re.sub(r"\\\n", " ", text).splitlines():
        line = re.sub(r"(^|\s)#.*$", "", raw).strip()
        reference = re.search(r"\{\[([^\]]+)\](\w+)\}", line)
        if reference and depth < 5:
            prefix = line[: reference.start()]
            inner = _tox_lines(sections, sections.get(reference[1], {}).get(reference[2], ""), depth + 1)
            lines += [prefix + item for item in inner]
        elif line:
            lines.append(line)
    return lines


def _tox_names(sections: Sections, text: str, factors: set[str]) -> tuple[str, ...]:
    lines = [kept for line in _tox_lines(sections, text) for kept in conditional(line, factors)]
    names = [name.strip() for line in lines for name in line.partition(";")[0].split(",")]
    return tuple(name for name in names if re.fullmatch(r"[\w.-]+", name))


def _tox_path(line: str) -> str:
    return re.sub(r"\{(?:toxinidir|tox_root)\}/?|\{/\}", "", line)


def tox_toml(table: Mapping[str, Any], label: str) -> tuple[Asked, list[str]]:
    """The same for tox 4's TOML: `env_run_base`, else an environment named for tests."""
    listed = [name for name in table.get("env_list", []) if isinstance(name, str)]
    pythons = [version for name in listed for part in name.split("-") if (version := python_of(part))]
    environments = table.get("env", {})
    candidates = [("env_run_base", table.get("env_run_base"))]
    candidates += [
        (f"env.{name}", env) for name, env in environments.items() if TEST_NAME.match(name) or python_of(name)
    ]
    for name, env in candidates:
        if isinstance(env, dict):
            lines = env.get("deps", [])
            lines = lines.splitlines() if isinstance(lines, str) else lines
            asked = Asked(
                f"{label}: {name}", texts(lines), texts(env.get("extras")), texts(env.get("dependency_groups"))
            )
            if asked:
                return asked, pythons
    return Asked(label), pythons


def texts(items: object) -> tuple[str, ...]:
    return tuple(_tox_path(item) for item in items if isinstance(item, str)) if isinstance(items, list) else ()
