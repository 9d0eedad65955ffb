"""Which files of a JavaScript tree are code, tests, or decide how tests run: tables of names."""

from __future__ import annotations

import re
from collections.abc import Iterable

SOURCE = re.compile(r"\.([cm]?[jt]sx?|vue|svelte)$")

TESTS = re.compile(
    r"""
    (^|/)(tests?|__tests?__|specs?|e2e|test-d)/           # a folder of tests, with their data
    | (^|/)(__snapshots__|__fixtures__|__mocks__|fixtures?|test-fixtures|testdata)/
    | [._-](test|tests|spec|test-d)\.([cm]?[jt]sx?|vue|svelte)$ | (^|/)(tests?|spec)\.[cm]?[jt]sx?$
    | (^|/)(__image_snapshots__|__screenshots__|__recordings__|cassettes)/
    | (^|/)tests?-[^/]*\.[cm]?[jt]s$ | \.(snap|snapshot)$ | (^|/)snapshot\.md$
    """,
    re.VERBOSE,
)
"""Tests, and what tests read."""

DECIDES = re.compile(
    r"""
    (^|/)(vitest|vite|jest|babel|ava|rollup|tsup|nyc|playwright|karma|postcss|svelte|webpack|next|nuxt|astro)[^/]*
        \.config\.([cm]?[jt]s|json)$                      # vite runs PostCSS's in the runner's own process
    | (^|/)vitest[.-][^/]*\.([cm]?[jt]sx?|json)$ | (^|/)jest[._-][^/]*\.([cm]?[jt]sx?|json)$
    | (^|/)\.(mocharc|babelrc|swcrc|nycrc|c8rc|taprc|npmrc|yarnrc|postcssrc|env)(\.[^/]*)?$ | (^|/)(mocha|test)\.opts$
    | (^|/)(config|scripts|tools)/(jest|vitest|mocha|babel)/
    | (^|/)(set-?up-?(tests?|files?|vitest|jest|mocha)?|tests?-?set-?up|global-?set-?up)\.[cm]?[jt]sx?$
    | (^|/)[jt]sconfig[^/]*\.json$ | (^|/)package\.json$ | (^|/)node\.config\.json$ | (^|/)deno\.jsonc?$
    | (^|/)(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?)$
    | (^|/)(pnpm-workspace\.yaml|bunfig\.toml|turbo\.json|nx\.json|lerna\.json|\.pnpmfile\.c?js|\.pnp\..*)$
    | (^|/)(\.nvmrc|\.node-version|\.tool-versions|\.browserslistrc)$
    | (^|/)(node_modules|\.yarn|patches|coverage|\.vite|\.cache)(/|$) # a link may stand in the place of the folder
    | (^|/)redgreen[_-][^/]*$
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What decides how tests run besides them. package.json is among them: its scripts, its `jest`, `ava`, `mocha` and
`imports` say what a test runs with, so a fix's dependencies come with its tests, and a patch's stay out."""

NAMED_AS_TEST = re.compile(r"[._-](test|tests|spec)\.[cm]?[jt]sx?$|(^|/)(tests?|spec)\.[cm]?[jt]sx?$")
SUPPORT = re.compile(
    r"(^|/)(support|helpers?|utils?|fixtures?|__mocks__|__fixtures__)/|[._-]test-d\.|[._-]bench\.|\.d\."
)


def is_source(path: str) -> bool:
    return bool(SOURCE.search(path)) and not re.search(r"(^|/)node_modules/", path)


def is_test(path: str) -> bool:
    return bool(TESTS.search(path))


def decides_tests(path: str) -> bool:
    return bool(TESTS.search(path) or DECIDES.search(path))


def test_code(paths: Iterable[str]) -> list[str]:
    """The tests among the files of a fix, those first that are called tests and do not only help some."""
    code = [path for path in paths if is_source(path) and is_test(path)]
    return sorted(code, key=lambda path: (bool(SUPPORT.search(path)), not NAMED_AS_TEST.search(path)))
