"""What a JavaScript tree says about its tests: which package holds them, under which runner, started how."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from redgreen.errors import Rejected

RUNNERS = {"vitest": "vitest", "jest": "jest", "mocha": "mocha", "_mocha": "mocha", "ava": "ava"}
"""Command -> runner. `node --test` is told by its flag."""

UNSUPPORTED = ("tap", "tape", "jasmine", "karma", "playwright", "cypress", "uvu", "borp", "lab", "qunit", "wtr", "bun")
"""Commands that run tests as well and whose reports nobody here reads."""

THROUGH = (
    "cross-env",
    "c8",
    "nyc",
    "npx",
    "env",
    "dotenv",
    "exec",
    "run",
    "run-s",
    "pnpm",
    "npm",
    "yarn",
    "bun",
    "bunx",
)
"""Commands that start another: what stands before the runner's own name in a script."""

CONFIGURED = {
    "vitest": r"vitest\.(config|workspace|projects)\.\w+",
    "jest": r"jest\.config\.\w+",
    "mocha": r"\.mocharc(\.\w+)?",
    "ava": r"ava\.config\.\w+",
}
"""Runner -> its configuration file: it tells where no script does."""

SCRIPTS = ("test", "test:unit", "unit", "test:src", "tests", "test:node", "test:ci", "test-ci", *CONFIGURED)
DROPPED = {
    "vitest": r"--(coverage|watch|ui|reporter|outputFile|bail|retry|update|run|no-color|silent|typecheck\.only)\b"
    r"|-[wu]$|^watch$|^run$",
    "jest": r"--(coverage|watch|watchAll|reporters|bail|ci|updateSnapshot|verbose|silent|maxWorkers|runInBand|forceExit"
    r"|notify|onlyChanged|logHeapUsage|detectOpenHandles)\b|-[iuwob]$",
    "mocha": r"--(watch|bail|reporter|reporter-options?|retries|parallel|jobs|exit|color|colors|forbid-only|growl"
    r"|forbid-pending|timeout)\b|-[wbRjct]$",
    "ava": r"--(watch|tap|fail-fast|update-snapshots|verbose|timeout|color|concurrency|serial)\b|-[wuvstTc]$",
    "node": r"--(test|watch|test-reporter|test-reporter-destination|test-concurrency|experimental-test-coverage"
    r"|test-timeout|test-coverage-\w+|test-force-exit)$|--(test-reporter|test-timeout|test-concurrency)[\w-]*=",
}
"""Runner -> words of a project's script that are ours to say: reports, watching, coverage, second chances."""
TAKES_A_VALUE = {
    "vitest": ("--reporter", "--outputFile", "--bail", "--retry"),
    "jest": ("--reporters", "--maxWorkers", "-w", "-b"),
    "mocha": ("--reporter", "-R", "--reporter-option", "--reporter-options", "--retries", "--jobs", "-j", "--timeout"),
    "ava": ("--timeout", "-T", "--concurrency", "-c"),
    "node": ("--test-reporter", "--test-reporter-destination", "--test-concurrency", "--test-timeout"),
}
RUNNERS_OF_NODE = ("node", "tsx", "ts-node")


@dataclass(frozen=True)
class Suite:
    """One process of a runner: started in `folder` (relative to the tree) with `words`, on `filters` below it."""

    folder: str
    runner: str
    words: tuple[str, ...] = ()
    node_words: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)
    near: tuple[str, ...] = ()
    """Test files of the fix that this suite holds: the canary lies beside the first."""


def as_text(suites: Sequence[Suite]) -> str:
    return json.dumps([asdict(suite) for suite in suites], sort_keys=True)


def read_json(path: Path) -> dict[str, Any]:
    """Raises:
    Rejected: unsupported.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        raise Rejected("unsupported", f"{path.name} is no JSON") from None
    if not isinstance(value, dict):
        raise Rejected("unsupported", f"{path.name} is no JSON object")
    return value


def table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def find_suites(tree: Path, files: Sequence[str]) -> list[Suite]:
    """The processes that run what the fix's tests belong to: each package that holds some, once.

    Raises:
        Rejected: unsupported, with what stands there instead of a known runner.
    """
    found: dict[tuple[str, tuple[str, ...]], Suite] = {}
    refused: Rejected | None = None
    for name in files:
        try:
            suite = find_suite(tree, name)
        except Rejected as fault:
            refused = refused or fault
            continue
        key = (suite.folder, suite.filters)
        before = found.get(key)
        found[key] = Suite(**{**asdict(suite), "near": (*(before.near if before else ()), name)}) if before else suite
    if not found:
        raise refused or Rejected("unsupported", "no test of the fix belongs to a package")
    return list(found.values())


def find_suite(tree: Path, name: str) -> Suite:
    """The nearest package whose script or configuration names a runner; from above, narrowed to the file's package."""
    packages = [folder for folder in above(name) if (tree / folder / "package.json").is_file()]
    if not packages:
        raise Rejected("unsupported", "no package.json above the fix's tests")
    other = ""
    for folder in packages:
        about = read_json(tree / folder / "package.json")
        suite, said = suite_of(tree / folder, about)
        other = other or said
        if suite and not (suite.runner == "vitest" and is_project(tree, packages, folder, about)):
            filters = () if folder == packages[0] or suite.runner == "node" else (inner(packages[0], folder) + "/",)
            return Suite(**{**asdict(suite), "folder": folder, "filters": filters, "near": (name,)})
    raise Rejected("unsupported", f"tests run under {other}" if other else "no known test runner in package.json")


def is_project(tree: Path, packages: Sequence[str], folder: str, about: dict[str, Any]) -> bool:
    """Whether a package is one of the projects that vitest gathers in a folder above: it has no script of its own, or
    its configuration is made from that of above, and gathers projects that are not there."""
    own = "".join(path.read_text(errors="replace") for path in sorted((tree / folder).glob("vite*.config.*")))
    if "test" in table(about.get("scripts")) and not re.search(r"from\s+['\"](\.\./)+vite", own):
        return False
    outer = [tree / one for one in packages[packages.index(folder) + 1 :]]
    configs = [path for one in outer for path in sorted(one.glob("vite*.config.*"))]
    gathered = any(re.search(r"\b(projects|workspace)\s*:", path.read_text(errors="replace")) for path in configs)
    return gathered or any(path for one in outer for path in one.glob("vitest.workspace.*"))


def above(name: str) -> Iterator[str]:
    """The folders that hold a file, innermost first; the tree itself is `.`."""
    parts = name.split("/")[:-1]
    for depth in range(len(parts), 0, -1):
        yield "/".join(parts[:depth])
    yield "."


def inner(folder: str, of: str) -> str:
    return folder if of == "." else folder.removeprefix(of + "/")


def suite_of(folder: Path, about: dict[str, Any]) -> tuple[Suite | None, str]:
    """The suite that a package's own words describe; else what else it runs its tests with."""
    scripts = {name: text for name, text in table(about.get("scripts")).items() if isinstance(text, str)}
    other = ""
    for name in SCRIPTS:
        for words in commands(scripts, name):
            suite = read_command(words)
            if suite:
                return suite, ""
            other = other or next((word for word in words if word in UNSUPPORTED[:-1]), "")
    if "test" in scripts and other:
        return None, other
    names = [path.name for path in folder.iterdir()]
    for runner, pattern in CONFIGURED.items():
        if runner in about or any(re.fullmatch(pattern, name) for name in names):
            return Suite("", runner), ""
    return None, other


def commands(scripts: dict[str, str], name: str, depth: int = 0) -> Iterator[list[str]]:
    """The commands of a script, word by word, with those of the scripts that it calls."""
    for line in re.split(r"&&|\|\||;|\||(?<!&)&(?!&)", scripts.get(name, "")):
        try:
            words = shlex.split(line)
        except ValueError:
            continue
        called = called_script(words, scripts)
        if called and called != name and depth < 4:
            yield from commands(scripts, called, depth + 1)
        elif words:
            yield words


def called_script(words: Sequence[str], scripts: dict[str, str]) -> str:
    """`npm run x`, `pnpm x`, `yarn x`, `npm test`: the script's name, if the package has it."""
    if not words or words[0] not in ("npm", "pnpm", "yarn", "bun", "run-s", "npm-run-all", "run-p"):
        return ""
    rest = [word for word in words[1:] if word not in ("run", "run-script") and not word.startswith("-")]
    return rest[0] if rest and rest[0] in scripts else ""


def read_command(words: Sequence[str]) -> Suite | None:
    """A runner's command: what is set before it, and the words of its own that we do not decide."""
    variables: dict[str, str] = {}
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        command = command_in(word)
        if equals and re.fullmatch(r"[A-Za-z_]\w*", name):
            variables[name] = value
        elif command in RUNNERS:
            runner = RUNNERS[command]
            variables, flags = split_options(variables)
            return Suite("", runner, tuple(kept(runner, words[place + 1 :])), tuple(flags), variables=variables)
        elif command in RUNNERS_OF_NODE:
            return of_node(command, words[place + 1 :], variables)
        elif command not in THROUGH and not word.startswith("-") and place and words[place - 1] in THROUGH:
            return None
    return None


def command_in(word: str) -> str:
    """A command's own name: of a file in a package, the package's."""
    found = re.search(r"node_modules/(?!\.bin/)((?:@[^/]+/)?[^/]+)/", word)
    return found[1] if found else word.rpartition("/")[2].removesuffix(".mjs").removesuffix(".js")


def of_node(command: str, words: Sequence[str], variables: dict[str, str]) -> Suite | None:
    """`node --test …`, or `node [options] path/to/mocha.js …`."""
    variables, flags = split_options(variables)
    start = ("--import", "tsx") if command == "tsx" else ()
    if "--test" in words:
        return Suite("", "node", tuple(kept("node", words)), (*start, *flags), variables=variables)
    for place, word in enumerate(words):
        known = RUNNERS.get(command_in(word))
        if known and not word.startswith("-"):
            given = (*flags, *words[:place])
            return Suite("", known, tuple(kept(known, words[place + 1 :])), (*start, *given), variables=variables)
    return None


def split_options(variables: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    """NODE_OPTIONS apart: given as words, they reach the runner and not what starts it."""
    rest = {name: value for name, value in variables.items() if name != "NODE_OPTIONS" and "$" not in value}
    return rest, shlex.split(variables.get("NODE_OPTIONS", ""))


def kept(runner: str, words: Sequence[str]) -> Iterator[str]:
    """The words of a command that say what is run and with which configuration."""
    skip = False
    for place, word in enumerate(words):
        if skip:
            skip = False
            continue
        if re.search(DROPPED[runner], word):
            follows = words[place + 1] if place + 1 < len(words) else "-"
            skip = word in TAKES_A_VALUE[runner] and not follows.startswith("-")
            continue
        yield word
