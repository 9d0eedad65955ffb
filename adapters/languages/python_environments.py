"""What nox, hatch and CI files say about a project's test environment: wanted lines and Python versions."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

from adapters.languages.python_folder import Folder
from adapters.languages.python_literals import nox_sessions
from adapters.languages.python_requirements import Asked, merged
from adapters.languages.python_tox import NOT_TESTS, TEST_NAME, python_of, texts


def nox(folder: Folder, path: str = "noxfile.py") -> tuple[Asked, list[str]]:
    """What test sessions install, and their Pythons."""
    text = folder.text(path)
    if text is None:
        return Asked(path), []
    sessions = nox_sessions(text)
    if sessions is None:
        folder.note(f"{path}: cannot be parsed")
        return Asked(path), []
    pythons = [version for listed, _ in sessions.values() for p in listed if (version := python_of(p))]
    for name in sorted(sessions, key=lambda name: (not TEST_NAME.match(name), "test" not in name)):
        if (TEST_NAME.match(name) or "test" in name) and not NOT_TESTS.search(name):
            commands = [call[1:] if call[0] == "install" else call for call in sessions[name][1]]
            asked = merged(f"{path}: session {name}", [arguments(call) for call in commands])
            if asked:
                return asked, pythons
    return Asked(path), pythons


def hatch(table: Mapping[str, Any]) -> Asked:
    """What `[tool.hatch.envs]` gives to the environments that run tests; they inherit from `default`."""
    environments = table.get("envs", {})
    names = [name for name in environments if TEST_NAME.match(name.removeprefix("hatch-"))]
    parts = []
    for name in ["default", *names[:1]]:
        env = environments.get(name, {})
        if isinstance(env, dict):
            lines = [*texts(env.get("dependencies")), *texts(env.get("extra-dependencies"))]
            parts.append(Asked("", tuple(lines), texts(env.get("features")), texts(env.get("dependency-groups"))))
    return merged("pyproject.toml: hatch environments", parts)


def arguments(words: Sequence[str]) -> Asked:
    """What the arguments of an installing command ask for; other commands ask for nothing.

    Accepts pip's own arguments, or a whole command: `pip install ...`, `uv sync ...`, `uv pip install ...`,
    `poetry install ...`, `pdm install ...`.
    """
    lines: list[str] = []
    extras: list[str] = []
    groups: list[str] = []
    words = list(words)
    if words and words[0] in ("run", "run_always", "run_install", "poetry.installroot"):
        words = words[1:]
        if not re.search(r"\b(install|sync)\b", " ".join(words[:5])):
            return Asked("")
        words = words[next(i for i, word in enumerate(words) if word in ("install", "sync")) + 1 :]
    index = 0
    while index < len(words):
        option, _, value = words[index].partition("=") if words[index].startswith("--") else (words[index], "", "")
        follows = value or (words[index + 1] if index + 1 < len(words) else "")
        index += 1
        if option in (
            "--group",
            "--extra",
            "-E",
            "--with",
            "-G",
            "--only",
            "--extras",
            "-r",
            "--requirement",
            "-e",
            "--editable",
        ):
            index += 0 if value else 1
            if option in ("--extra", "-E", "--extras"):
                extras += re.split(r"[\s,]+", follows)
            elif option in ("-r", "--requirement"):
                lines.append(f"-r {follows}")
            elif option in ("-e", "--editable"):
                lines.append(f"-e {follows}")
            else:
                groups += re.split(r"[\s,]+", follows)
        elif option in VALUED:
            index += 0 if value else 1
        elif re.match(r"-[re].", option) and not option.startswith("--"):
            lines.append(f"{option[:2]} {option[2:]}")
        elif (
            not option.startswith("-")
            and "$" not in option
            and "{" not in option
            and not option.endswith((".whl", ".gz"))
        ):
            lines.append(option)
    return Asked("", tuple(lines), tuple(extras), tuple(groups))


VALUED = {
    "-c",
    "--constraint",
    "-i",
    "--index-url",
    "--extra-index-url",
    "-f",
    "--find-links",
    "--python",
    "-p",
    "--target",
}
"""Options of installers whose next word is their value, and none of our business."""

INSTALLS = re.compile(
    r"(?:(?:python[\d.]*|py)\s+-m\s+)?(?:uv\s+)?pip[\d.]*\s+install\s+|(?:uv\s+sync|poetry\s+install|pdm\s+(?:install|sync))\b"
)


def continuous(folder: Folder) -> tuple[Asked, list[str], str]:
    """CI files: what their install commands ask for, the Pythons of their matrices, and their commands as one text."""
    parts: list[Asked] = []
    pythons: list[str] = []
    texts: list[str] = []
    paths = [
        path.relative_to(folder.tree).as_posix() for path in sorted((folder.tree / ".github/workflows").glob("*.y*ml"))
    ]
    for path in [*paths, ".travis.yml", ".gitlab-ci.yml", "appveyor.yml", ".appveyor.yml", ".circleci/config.yml"]:
        text = folder.text(path)
        if text is None:
            continue
        try:
            # BaseLoader keeps 3.10 the text that it is; numbers would make it 3.1.
            document = yaml.load(text, Loader=yaml.BaseLoader)
        except (yaml.YAMLError, RecursionError, ValueError):
            folder.note(f"{path}: cannot be parsed")
            continue
        leaves = list(_leaves(document))
        pythons += _matrix_pythons(leaves)
        commands = "\n".join(value for key, value in leaves if re.search(r"run|script|install|command|test", key))
        texts.append(commands)
        if re.search(r"py\.?test|unittest|nose|tox|nox|make|setup\.py|coverage", commands):
            parts += [_installed(line) for line in re.sub(r"\\\n", " ", commands).splitlines()]
    return merged("CI: install commands", parts), pythons, "\n".join(texts)


def _installed(line: str) -> Asked:
    found = INSTALLS.search(line)
    if not found:
        return Asked("")
    try:
        return arguments(shlex.split(re.split(r"\s*(?:&&|\|\||[;|>])\s*", line[found.end() :])[0], comments=True))
    except ValueError:
        return Asked("")


def _leaves(document: object) -> Iterable[tuple[str, str]]:
    """(name of the innermost mapping key, text) for every text; a node that aliases repeat is visited once."""
    stack: list[tuple[str, object]] = [("", document)]
    seen: set[int] = set()
    while stack:
        key, node = stack.pop()
        if isinstance(node, str):
            yield key, node
        elif id(node) not in seen:
            seen.add(id(node))
            if isinstance(node, dict):
                stack += [(str(name).lower(), value) for name, value in reversed(node.items())]
            elif isinstance(node, list):
                stack += [(key, value) for value in reversed(node)]


def _matrix_pythons(leaves: Iterable[tuple[str, str]]) -> Iterable[str]:
    for key, text in leaves:
        if re.fullmatch(r"python[-_]?versions?|python|py|toxenv|tox[-_]?env", key):
            for part in re.split(r"[\s,-]+", text) if "tox" in key else [text]:
                version = python_of(part)
                yield from [version] if version else []
