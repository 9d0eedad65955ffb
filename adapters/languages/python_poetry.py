"""Poetry's (and Pipenv's) own notation for dependencies, as PEP 440 and PEP 508."""

from __future__ import annotations

import re
from collections.abc import Mapping

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

from adapters.languages.python_folder import Folder


def poetry_specifier(text: str) -> str:
    """PEP 440 for a Poetry constraint: `^1.2` -> `>=1.2,<2.0`. Alternatives (`||`) become the range that holds all.

    Raises:
        ValueError: it is not a constraint.
    """
    alternatives = [_poetry_range(part) for part in re.split(r"\|\|?", text)]
    if len(alternatives) == 1:
        return ",".join(alternatives[0])
    lower = [bound for bound in alternatives[0] if bound.startswith((">", "=="))]
    upper = [bound for bound in alternatives[-1] if bound.startswith("<")]
    return ",".join([bound.replace("==", ">=").replace(".*", "") for bound in lower] + upper)


def poetry_marker(python: str) -> str:
    """An environment marker for a Poetry `python` constraint: `~2.7 || ^3.4` becomes two ranges joined by `or`."""
    ranges = []
    for part in re.split(r"\|\|?", python):
        bounds = []
        for bound in _poetry_range(part):
            operator, version = re.match(r"([<>=!~]+)(.*)", bound).groups()  # type: ignore[union-attr]
            name = "python_full_version" if version.count(".") > 1 and "*" not in version else "python_version"
            bounds.append(f'{name} {operator} "{version}"')
        ranges.append(" and ".join(bounds))
    wanted = [text for text in ranges if text]
    return wanted[0] if len(wanted) == 1 else " or ".join(f"({text})" for text in wanted)


def _poetry_range(text: str) -> list[str]:
    bounds: list[str] = []
    for part in re.findall(r"(?:[\^~<>=!]+\s*)?[^\s,<>=!~^]+", text):
        version = part.lstrip("^~<>=! ").removeprefix("v")
        operator = part[: re.search(r"[^\^~<>=!]|$", part).start()]  # type: ignore[union-attr]
        if version == "*":
            continue
        if operator in ("^", "~"):
            bounds += [f">={version}", f"<{_above(operator, version)}"]
        else:
            bounds.append(f"{'==' if operator in ('', '=') else operator}{version}")
    return bounds


def _above(operator: str, version: str) -> str:
    try:
        release = list(Version(version.replace(".*", "")).release)
    except InvalidVersion as error:
        raise ValueError(f"not a version: {version}") from error
    if operator == "~":
        index = min(1, len(release) - 1)
    else:
        index = next((i for i, number in enumerate(release) if number), len(release) - 1)
    bumped = [*release[:index], release[index] + 1]
    return ".".join(map(str, bumped + [0] * (2 - len(bumped))))


def poetry_lines(folder: Folder, label: str, table: Mapping[str, object]) -> list[str]:
    """PEP 508 lines for a table of Poetry or Pipenv dependencies; `python` itself is left out."""
    lines: list[str] = []
    for name, value in table.items():
        if name.lower() == "python":
            continue
        for entry in value if isinstance(value, list) else [value]:
            line = _poetry_line(folder, label, name, {"version": entry} if isinstance(entry, str) else entry)
            lines += [line] if line else []
    return lines


def _poetry_line(folder: Folder, label: str, name: str, entry: object) -> str | None:
    if not isinstance(entry, Mapping) or {"git", "path", "url", "file", "ref"} & set(entry):
        folder.note(f"{label}: left out: {name}, which is not from an index")
        return None
    try:
        extras = f"[{','.join(map(str, entry['extras']))}]" if entry.get("extras") else ""
        markers = [str(entry["markers"])] if entry.get("markers") else []
        markers += [poetry_marker(str(entry["python"]))] if entry.get("python") not in (None, "*") else []
        markers += [f'sys_platform == "{entry["platform"]}"'] if entry.get("platform") else []
        text = f"{name}{extras}{poetry_specifier(str(entry.get('version', '*')))}"
        marker = " and ".join(f"({part})" for part in markers if part)
        return str(Requirement(f"{text}; {marker}" if marker else text))
    except (ValueError, AttributeError, TypeError, InvalidRequirement):
        folder.note(f"{label}: left out: {name}, whose constraint cannot be read")
        return None
