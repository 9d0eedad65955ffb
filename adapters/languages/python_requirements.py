"""Requirement lines in all the notations that Python projects use, turned into PEP 508 lines, extras and files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from adapters.languages.python_folder import Folder, logical_lines


@dataclass(frozen=True)
class Wanted:
    """What one source asks for: `label` says which source, for people."""

    label: str
    requirements: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.requirements or self.files or self.extras)


def requirement(line: str) -> Requirement | None:
    """A PEP 508 requirement, or None. Old notations that were never valid but common (`>=1.*`) are repaired."""
    text = re.split(r"\s+--(?:hash|global-option|install-option|config-settings)\b", line.strip())[0].strip()
    for attempt in (text, re.sub(r"(>=|<=|<|>)(\s*[\d.]+)\.\*", r"\1\2", text)):
        try:
            return Requirement(attempt)
        except InvalidRequirement:
            continue
    return None


def names_of(lines: Iterable[str]) -> set[str]:
    return {canonicalize_name(parsed.name) for parsed in map(requirement, lines) if parsed}


def want(folder: Folder, own: str | None, label: str, lines: Iterable[str], base: str = "") -> Wanted:
    """Sort lines (of a file in the folder `base`, of a tox or nox list, of an extra) by what they ask for.

    The project itself (`.`, `-e .[test]`, `own[test]`) becomes extras; `-r file` becomes files, or the file's lines
    where it cannot be given to a resolver as it is; URLs, other paths and options are left out with a note.
    """
    requirements: list[str] = []
    files: list[str] = []
    extras: list[str] = []
    for line in lines:
        included = re.match(r"(?:-r|--requirements?)[\s=]*(\S+)", line)
        this = re.match(r"(?:(?:-e|--editable)[\s=]*)?(?:file:)?\.?/?(?:\[([^\]]*)\])?$", line)
        parsed = requirement(line)
        if included:
            part = want_file(folder, own, _join(base, included.group(1)))
            requirements += part.requirements
            files += part.files
            extras += part.extras
        elif this and line.strip("./"):
            extras += _split(this.group(1) or "")
        elif this or re.match(r"(-c|--constraints?)\b|--no-|--pre\b|--prefer", line):
            continue
        elif parsed is None or parsed.url:
            folder.note(f"{label}: left out: {_without_secrets(line)}")
        elif _is_own(parsed, own):
            extras += sorted(parsed.extras)
        else:
            requirements.append(str(parsed))
    return Wanted(label, _unique(requirements), _unique(files), _unique(extras))


def want_file(folder: Folder, own: str | None, path: str, label: str = "") -> Wanted:
    """A requirements file: as it is where a resolver can take it, else its usable lines."""
    label = label or path
    if folder.text(path) is None:
        folder.note(f"{path}: named, but not in the project")
        return Wanted(label)
    if _takes_as_it_is(folder, own, path, set()):
        return Wanted(label, files=(path,))
    lines = list(_all_lines(folder, path, set()))
    folder.note(f"{path}: holds lines that no resolver may get, so its other lines are taken")
    return want(folder, own, label, lines)


def _takes_as_it_is(folder: Folder, own: str | None, path: str, seen: set[str]) -> bool:
    text = folder.text(path)
    if text is None:
        return False
    for line in logical_lines(text):
        included = re.match(r"(?:-r|--requirements?|-c|--constraints?)[\s=]*(\S+)$", line)
        parsed = None if included else requirement(line)
        if included:
            inner = _join(str(PurePosixPath(path).parent), included.group(1))
            if inner not in seen and not _takes_as_it_is(folder, own, inner, seen | {path, inner}):
                return False
        elif parsed is None or parsed.url or str(parsed) != str(_strict(line)) or _is_own(parsed, own):
            return False
    return True


def _is_own(parsed: Requirement, own: str | None) -> bool:
    return own is not None and canonicalize_name(parsed.name) == canonicalize_name(own)


def _strict(line: str) -> Requirement | None:
    try:
        return Requirement(re.split(r"\s+--hash\b", line)[0].strip())
    except InvalidRequirement:
        return None


def _all_lines(folder: Folder, path: str, seen: set[str]) -> Iterable[str]:
    seen.add(path)
    base = str(PurePosixPath(path).parent)
    for line in logical_lines(folder.text(path) or ""):
        included = re.match(r"(?:-r|--requirements?)[\s=]*(\S+)$", line)
        if not included:
            yield line
        elif (inner := _join(base, included.group(1))) not in seen:
            yield from _all_lines(folder, inner, seen)


def lines_in_file(folder: Folder, path: str) -> list[str]:
    """The lines of a requirements file and of those that it includes."""
    return list(_all_lines(folder, path, set()))


def names_in_file(folder: Folder, path: str) -> set[str]:
    """Normalized names of the packages in a requirements file and in those that it includes."""
    return names_of(lines_in_file(folder, path))


def _join(base: str, path: str) -> str:
    """`path` relative to `base`, both relative to the tree; `..` is folded, so that one file has one name."""
    parts: list[str] = []
    for part in (PurePosixPath(base) / path.strip("'\"")).parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _unique(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))


def _without_secrets(line: str) -> str:
    return re.sub(r"//[^/@\s]+@", "//", line)[:120]


@dataclass(frozen=True)
class Asked:
    """What an environment file asks for: `lines` as for pip, own `extras`, PEP 735 `groups`."""

    label: str
    lines: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.lines or self.extras or self.groups)


def merged(label: str, parts: Iterable[Asked]) -> Asked:
    kept = list(parts)
    return Asked(
        label,
        tuple(dict.fromkeys(line for part in kept for line in part.lines)),
        tuple(dict.fromkeys(extra for part in kept for extra in part.extras if extra)),
        tuple(dict.fromkeys(group for part in kept for group in part.groups if group)),
    )
