"""The licence of a project as an SPDX expression, from its metadata and the texts that lie beside it.

No guesses: what is not recognised is None, and None is not allowed; where licences could be read as a choice or as
all together, it is all together. Copyleft means strong and weak alike (GPL, AGPL, LGPL, MPL, EPL, ...): what is made of
such a project may carry duties, so it takes an explicit word in the set to use it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

METADATA_FILES = ("pyproject.toml", "setup.cfg", "setup.py", "Cargo.toml", "package.json", "pom.xml")
TEXT_FILES = ("licen[cs]e*", "copying*", "unlicen[cs]e*", "*.licen[cs]e", "licen[cs]es/*.txt")
LICENCE_FILES = (*METADATA_FILES, *TEXT_FILES)
"""Patterns of the paths that `identify` wants, from the top of the tree; case does not matter."""

_FOREIGN = re.compile(r"third|3rd|vendor|bundle|depend|notice", re.IGNORECASE)
_MAIN = re.compile(r"(?:licen[cs]e|copying|unlicen[cs]e)(?:\.(?:txt|md|rst|html?|adoc))?$", re.IGNORECASE)
_CHOICE = re.compile(r"\beither\W{1,3}of\b|under\W{1,3}either\b|dual[- ]licen[cs]ed", re.IGNORECASE)


def _gnu(name: str, version: str, day: str) -> str:
    """The licence's own title with its date, a notice that names it, or it before any other GNU licence."""
    title = f"gnu {name} public license"
    return (
        f"{title} version {version}, {day}|{title} as published by .{{0,60}}version {version}\\b"
        rf"|^(?:(?!gnu ).){{0,300}}{title},? v(?:ersion )?{version}\b(?!\.)"
    )


TEXTS: tuple[tuple[str, str, str], ...] = (
    # SPDX id, what the text must say, what it must not say; blanks and case do not matter
    ("MIT", r"permission is hereby granted, free of charge.*shall be included in all copies", ""),
    ("MIT-0", r"permission is hereby granted, free of charge", r"shall be included in all copies"),
    ("Apache-2.0", r"apache license,? version 2\.0|licensed under the apache license", ""),
    ("BSD-4-Clause", r"redistributions in binary form must.*all advertising materials mentioning", ""),
    (
        "BSD-3-Clause",
        r"redistributions in binary form must.*(?:neither the names? of|names? .{0,80}endorse)",
        r"all advertising materials mentioning",
    ),
    (
        "BSD-2-Clause",
        r"redistributions in binary form must",
        r"neither the names? of|used to endorse|all advertising materials mentioning",
    ),
    (
        "ISC",
        r"permission to use, copy, modify,? and(?:/or)? distribute this software for any purpose.*appear in all copies",
        "",
    ),
    (
        "0BSD",
        r"permission to use, copy, modify,? and/or distribute this software for any purpose",
        r"appear in all copies",
    ),
    ("MPL-2.0", r"mozilla public license,? v(?:ersion|\.) ?2\.0", ""),
    ("EPL-2.0", r"eclipse public license -? ?v(?:ersion)? ?2\.0", ""),
    ("EPL-1.0", r"eclipse public license -? ?v(?:ersion)? ?1\.0", ""),
    ("PSF-2.0", r"python software foundation license version 2", ""),
    ("Unlicense", r"free and unencumbered software released into the public domain", ""),
    ("Zlib", r"the origin of this software must not be misrepresented", ""),
    ("CC0-1.0", r"cc0 1\.0 universal", ""),
    ("LicenseRef-Public-Domain", r"^public domain\.?$", ""),  # the whole text; SPDX has no id for these two words
    ("BSL-1.0", r"boost software license -? ?version 1\.0", ""),
    ("EUPL-1.2", r"european union public licen[cs]e v\. ?1\.2", ""),
    ("AGPL-3.0-only", _gnu("affero general", "3", "19 november"), ""),
    ("LGPL-3.0-only", _gnu("lesser general", "3", "29 june"), ""),
    ("LGPL-2.1-only", _gnu("lesser general", r"2\.1", "february"), ""),
    ("LGPL-2.0-only", _gnu("library general", "2", "june"), ""),
    ("GPL-3.0-only", _gnu("general", "3", "29 june"), ""),
    ("GPL-2.0-only", _gnu("general", "2", "june"), ""),
)
NAMES: tuple[tuple[str, str], ...] = (
    # names in metadata and classifiers that mean one licence only; `BSD` alone does not
    ("MIT", r"(?:the )?mit(?: license)?(?: \(mit\))?"),
    (
        "Apache-2.0",
        r"(?:the )?apache(?: software)?(?: licen[cs]e)?[,-]? ?(?:v|version )?2(?:\.0)?|apache software license",
    ),
    ("BSD-2-Clause", r"(?:simplified bsd|bsd[- ]2[- ]clause|2[- ]clause bsd)(?: license)?"),
    ("BSD-3-Clause", r"(?:new bsd|modified bsd|bsd[- ]3[- ]clause|3[- ]clause bsd|bsd 3)(?: license)?"),
    ("ISC", r"isc(?: license)?(?: \(iscl\))?"),
    ("MPL-2.0", r"mozilla public license,? (?:v|version )?2\.0(?: \(mpl 2\.0\))?|mpl[- ]?v?2(?:\.0)?"),
    ("PSF-2.0", r"python software foundation license|psf(?:l| license)?"),
    ("Unlicense", r"(?:the )?unlicense(?: \(unlicense\))?"),
    ("Zlib", r"zlib/libpng license|zlib license"),
    ("CC0-1.0", r"cc0 1\.0 universal.*"),
    ("EPL-2.0", r"eclipse public license,? -? ?v(?:ersion)? ?2\.0|eclipse public license 2\.0.*"),
    ("AGPL-3.0-only", r"gnu affero general public license v3.*|agpl-?v?3.*"),
    ("LGPL-3.0-only", r"gnu lesser general public license v3.*|lgpl-?v?3.*"),
    ("LGPL-2.1-only", r"gnu lesser general public license v2.*|gnu library or lesser general.*|lgpl(?:-?v?2.*)?"),
    ("GPL-3.0-only", r"gnu general public license v3.*|gpl-?v?3.*"),
    ("GPL-2.0-only", r"gnu general public license(?: v2.*| \(gpl\))?|gpl(?:-?v?2.*)?"),
)
_TEXTS = [(name, re.compile(says), re.compile(lacks) if lacks else None) for name, says, lacks in TEXTS]
_NAMES = [(name, re.compile(pattern, re.IGNORECASE)) for name, pattern in NAMES]

_COPYLEFT = re.compile(
    r"(?:A|L)?GPL|GFDL|MPL|EPL|CDDL|CPL|CPAL|IPL|EUPL|OSL|AFL-GPL|CECILL(?!-B)|SSPL|RPL|APSL|MS-RL|QPL|Sleepycat|SPL|ODbL"
    r"|CC-BY(?:-NC)?-SA|CAL-|ErlPL|Watcom|LiLiQ-R|CERN-OHL-[SW]|OFL|NPL|Nokia|RSCPL|YPL|copyleft-next",
    re.IGNORECASE,
)
_NOT_FREE = re.compile(
    r"LicenseRef-(?!Public-Domain$)|BUSL|Elastic|CC-BY-N[CD]|PolyForm|Parity|JSON$|NOASSERTION|NONE$", re.IGNORECASE
)


def is_licence_file(path: str) -> bool:
    """Whether `identify` wants to see this file. `path` is relative to the top of the tree, with slashes."""
    return any(fnmatchcase(path.lower(), pattern) for pattern in LICENCE_FILES) and path.lower().count("/") <= (
        path.lower().startswith(("licenses/", "licences/"))
    )


def identify(files: Mapping[str, bytes]) -> str | None:
    """The SPDX expression of a project, from its files by path; None if there is none or it is not recognised.

    A valid SPDX expression in metadata counts first, then the texts, then names and classifiers in metadata. But
    metadata that says permissive beside a copyleft text is not believed.
    """
    stated = [said for path in METADATA_FILES if path in files for said in _stated(path, _decoded(files[path]))]
    expression = next((spdx for said in stated if (spdx := _valid(said))), None)
    text = _by_texts({path: _decoded(content) for path, content in files.items() if path not in METADATA_FILES})
    if expression and not (text and is_copyleft(text) and not is_copyleft(expression)):
        return expression
    if text:
        return text
    named = dict.fromkeys(name for said in stated if (name := _named(said)))
    return " AND ".join(named) or None


def is_copyleft(spdx: str) -> bool:
    """Whether every way to take the licence binds what is made from the work, weakly (MPL, EPL, LGPL) or strongly.

    So does, to be safe, what cannot be read.
    """
    return not _satisfies(spdx, lambda licence: not _COPYLEFT.match(licence))


def allowed(spdx: str | None, allow: Sequence[str]) -> bool:
    """Whether a set may use it. `allow` lists SPDX ids; if it is empty: every free licence that is not copyleft.

    Of `A OR B` one must be allowed, of `A AND B` both. None, and what is no SPDX expression, never is.
    """
    if spdx is None or _valid(spdx) is None:
        return False
    if not allow:
        return _satisfies(spdx, lambda licence: not (_COPYLEFT.match(licence) or _NOT_FREE.match(licence)))
    wanted = {licence.lower() for licence in allow}
    return spdx.lower() in wanted or _satisfies(spdx, lambda licence: licence.lower() in wanted)


def _satisfies(expression: str, test: Callable[[str], bool]) -> bool:
    """Evaluate an SPDX expression; AND binds closer than OR, exceptions after WITH do not matter."""
    tokens = re.findall(r"[()]|[^\s()]+", expression)

    def either() -> bool:
        value = both()
        while tokens and tokens[0].upper() == "OR":
            tokens.pop(0)
            value = both() or value
        return value

    def both() -> bool:
        value = one()
        while tokens and tokens[0].upper() == "AND":
            tokens.pop(0)
            value = one() and value
        return value

    def one() -> bool:
        token = tokens.pop(0) if tokens else ""
        if token == "(":
            value = either()
            tokens[:1] = []
            return value
        if tokens and tokens[0].upper() == "WITH":
            tokens[:2] = []
        return bool(token) and test(token)

    return either() and not tokens


def _decoded(content: bytes) -> str:
    return content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", errors="replace")


def _valid(said: str) -> str | None:
    if len(said) > 200:
        return None
    try:
        return canonicalize_license_expression(re.sub(r"(?<=[\w.])/(?=\w)", " OR ", said.strip()))
    except InvalidLicenseExpression:
        return None


def _named(said: str) -> str | None:
    name = said.rpartition("::")[2].strip()
    return next((spdx for spdx, pattern in _NAMES if pattern.fullmatch(name)), None)


def _by_texts(texts: Mapping[str, str]) -> str | None:
    """The main text decides; without one that is recognised, texts named for their licence are alternatives."""
    found = {path: _recognised(text) for path, text in sorted(texts.items()) if not _FOREIGN.search(path)}
    main = [path for path in found if _MAIN.match(path)]
    choice = any(_CHOICE.search(texts[path][:2000]) for path in main)
    chosen = [path for path in main if found[path]]
    every = bool(chosen) and not choice
    if not every:
        chosen = list(found)
    # the LGPL adds to the GPL: its text lies beside the GPL's, and stands for both
    chosen += [path for path in found if any(name.startswith("LGPL") for name in found[path])]
    named = list(dict.fromkeys(licence for path in chosen for licence in found[path]))
    if any(name.startswith("LGPL") for name in named):
        named = [name for name in named if not name.startswith("GPL")]
    return (" AND " if every else " OR ").join(named) or None


def _recognised(text: str) -> list[str]:
    flat = " ".join(re.sub(r"[*#>|\"“”'‘’`=_-]+(?=\s|$)|(?<=\s)[*#>|\"“”'‘’`=_]+", " ", text).lower().split())
    return [name for name, says, lacks in _TEXTS if says.search(flat) and not (lacks and lacks.search(flat))]


def _stated(path: str, text: str) -> Iterator[str]:
    """What a metadata file says about the licence, as it says it."""
    if path.endswith(".toml"):
        try:
            yield from _from_table(tomllib.loads(text))
        except tomllib.TOMLDecodeError:
            return
    elif path == "package.json":
        try:
            yield from _from_table({"project": json.loads(text)})
        except (ValueError, RecursionError):
            return
    elif path == "pom.xml":
        for block in re.findall(r"<license>(.*?)</license>", text, re.DOTALL):
            yield from re.findall(r"<name>\s*([^<]*?)\s*</name>", block)
    else:
        yield from re.findall(r"(?<![\w.])license\s*=\s*['\"]([^'\"\n]+)['\"]", text)
        yield from re.findall(r"^license\s*=\s*([^'\"\n]+?)\s*$", text if path == "setup.cfg" else "", re.MULTILINE)
        yield from re.findall(r"License :: [^'\"\n]+", text)


def _from_table(document: Any) -> Iterator[str]:
    places = [("project",), ("tool", "poetry"), ("tool", "flit", "metadata"), ("package",), ("workspace", "package")]
    for place in places:
        table = document
        for key in place:
            table = table.get(key) if isinstance(table, dict) else None
        if isinstance(table, dict):
            yield from _said_in(table.get("license"))
            yield from (said for entry in _listed(table.get("licenses")) for said in _said_in(entry))
            yield from (
                c for c in _listed(table.get("classifiers")) if isinstance(c, str) and c.startswith("License ::")
            )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _said_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = value.get("text") or value.get("type")
    if isinstance(value, str) and len(value) < 200:
        yield value
