"""Real runners on little packages of ours: what each tells becomes the same events, in a real sandbox."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import adapters
from adapters.languages import typescript
from adapters.languages.typescript import TypeScript
from adapters.languages.typescript_install import base_variables
from redgreen.documents import EnvironmentFacts, Run
from redgreen.errors import InfrastructureError, Rejected
from redgreen.language import Installed, Trial, Workshop
from redgreen.sandbox import Limits, Sandbox
from tests.conftest import missing

FIXTURE = Path(__file__).parents[2] / "fixtures" / "runners"
DAY = "2026-01-15T00:00:00Z"
LANGUAGE = TypeScript()


@pytest.fixture(scope="module")
def node_sandbox(out: Path) -> Sandbox:
    told = []
    for choice in ("auto", "process"):
        try:
            return adapters.sandbox(choice, "typescript", out)
        except InfrastructureError as error:
            told.append(str(error))
    return missing("; ".join(told))


def code_of_tests(tree: Path) -> list[str]:
    found = (str(path.relative_to(tree)) for path in sorted(tree.rglob("*")) if path.is_file())
    return [path for path in found if LANGUAGE.is_test(path) and LANGUAGE.is_source(path)]


def put(source: Path, workshop: Workshop, sandbox: Sandbox) -> Installed:
    sandbox.remove(workshop.box)
    shutil.copytree(source, workshop.box / "tree")
    (way,) = LANGUAGE.detect_environment(workshop.box / "tree", DAY, None, sandbox)
    try:
        return LANGUAGE.install(way, workshop, sandbox)
    except InfrastructureError as error:
        missing(str(error))


def run(environment: EnvironmentFacts, box: Path, sandbox: Sandbox, delta: Path | None = None) -> Run:
    trial = Trial(box, delta, code_of_tests(box / "tree"), 0, box.parent / "cache", limits=Limits(timeout_s=200))
    raw = LANGUAGE.run_tests(environment, trial, sandbox)
    return LANGUAGE.parse_results(environment, raw)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, node_sandbox: Sandbox) -> tuple[Installed, Path]:
    """All runners at once, in a workspace without a lockfile."""
    home = tmp_path_factory.mktemp("runners")
    workshop = Workshop(home / "box", home / "cache", files=code_of_tests(FIXTURE))
    return put(FIXTURE, workshop, node_sandbox), home / "box"


@pytest.fixture(scope="module")
def told(installed: tuple[Installed, Path], node_sandbox: Sandbox) -> Run:
    return run(installed[0].environment, installed[1], node_sandbox)


def test_five_runners_come_to_one_report_that_is_whole(told: Run) -> None:
    assert (told.ended, told.exit_status, told.complete, told.canary) == ("finished", 1, True, "right")


def test_the_node_of_the_box_is_the_one_of_the_day(installed: tuple[Installed, Path]) -> None:
    assert installed[0].environment.runtime.version == "22.22.0"
    assert b"node --version: v22.22.0" in installed[0].log


@pytest.mark.parametrize(
    ("package", "outcomes"),
    [
        (
            "with-jest/__tests__/sum.test.js",
            {
                "sum::adds": "passed",
                "sum::adds (2)": "passed",
                "sum::later": "skipped",
                "sum::fails": "failed",
                "hook::below": "failed",
            },
        ),
        (
            "with-mocha/test/sum.js",
            {
                "sum::adds": "passed",
                "sum::adds (2)": "passed",
                "sum::later": "skipped",
                "sum::fails": "failed",
                "hook::below": "error",
            },
        ),
        ("with-ava/test/sum.js", {"adds": "passed", "later": "skipped", "fails": "failed"}),
        (
            "with-vitest/src/sum.test.ts",
            {
                "sum::adds": "passed",
                "sum::adds (2)": "passed",
                "sum::later": "skipped",
                "sum::fails": "failed",
                "hook::below": "error",
            },
        ),
        (
            "with-node/test/sum.js",
            {
                "adds": "passed",
                "adds (2)": "passed",
                "later": "skipped",
                "fails": "failed",
                "outer": "passed",
                "outer::inner": "passed",
                "sum::of two::adds": "passed",
                "hook::below": "failed",
            },
        ),
    ],
)
def test_each_runner_tells_every_test_once(told: Run, package: str, outcomes: dict[str, str]) -> None:
    here = {test: outcome for test, outcome in told.outcomes.items() if test.startswith(f"packages/{package}::")}
    assert here == {f"packages/{package}::{name}": outcome for name, outcome in outcomes.items()}


@pytest.mark.parametrize(
    "file",
    ["with-jest/__tests__/broken.test.js", "with-mocha/test/broken.js", "with-ava/test/broken.js",
     "with-vitest/src/broken.test.ts", "with-node/test/broken.js"],
)  # fmt: skip
def test_a_file_that_cannot_be_loaded_is_broken_and_breaks_no_other(told: Run, file: str) -> None:
    assert f"packages/{file}" in told.collection_errors
    assert not any(test.startswith(f"packages/{file}") for test in told.outcomes)


def test_a_test_that_ends_its_process_has_not_passed(told: Run) -> None:
    assert "packages/with-node/test/exits.js::goes" not in told.outcomes


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, node_sandbox: Sandbox) -> tuple[Installed, Workshop]:
    """A package with one dependency, which has a command, and no lockfile."""
    home = tmp_path_factory.mktemp("small")
    source = home / "source"
    (source / "test").mkdir(parents=True)
    (source / ".nvmrc").write_text("22\n")
    (source / "package.json").write_text(
        '{"name": "small", "type": "module", "scripts": {"test": "node --test"},'
        ' "devDependencies": {"semver": "7.6.0"}}'
    )
    (source / "sum.js").write_text("export default (a, b) => a + b\n")
    (source / "test" / "sum.test.js").write_text(
        "import test from 'node:test'\nimport assert from 'node:assert'\nimport sum from '../sum.js'\n"
        "test('adds', () => assert.equal(sum(1, 2), 3))\n"
    )
    workshop = Workshop(home / "box", home / "cache", files=["test/sum.test.js"])
    return put(source, workshop, node_sandbox), workshop


def again(small: tuple[Installed, Workshop], sandbox: Sandbox, **changes: object) -> Installed:
    _, workshop = small
    box = workshop.box.with_name("again")
    changed = replace(workshop, box=box, **changes)  # type: ignore[arg-type]
    return put(workshop.box.with_name("source"), changed, sandbox)


def test_a_lock_is_rebuilt_offline_from_the_cache_alone(
    small: tuple[Installed, Workshop], node_sandbox: Sandbox
) -> None:
    rebuilt = again(small, node_sandbox, lock=small[0].lock, offline=True)
    tree = small[1].box.with_name("again") / "tree"
    assert rebuilt.lock == small[0].lock
    assert rebuilt.packages == small[0].packages
    assert (tree / "node_modules" / ".bin" / "semver").is_symlink()
    assert not (tree / "package-lock.json").exists(), "the base has none"


def test_a_lock_whose_hash_is_another_is_not_installed(
    small: tuple[Installed, Workshop], node_sandbox: Sandbox
) -> None:
    line = next(line for line in small[0].lock.splitlines() if b"lru-cache" in line)
    wrong = small[0].lock.replace(line, line[:-8] + b"AAAAAA==")
    with pytest.raises(Rejected) as refused:
        again(small, node_sandbox, lock=wrong)
    assert refused.value.reason == "install_failed"


def delta(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "deleted").write_bytes(b"".join(name.encode() + b"\0" for name in files))
    return folder


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("export default (a, b => a + b\n", "a syntax error"),
        ("import './nowhere.js'\nexport default (a, b) => a + b\n", "an import of nothing"),
        ("process.exit(0)\nexport default (a, b) => a + b\n", "an end of the process"),
        ("export default () => { process.exit(0) }\n", "an end of the process in the test"),
        ("export default (a, b) => a - b\n", "a wrong answer"),
    ],
)
def test_a_patch_after_which_nothing_passes_is_an_answer_and_no_fault(
    small: tuple[Installed, Workshop], node_sandbox: Sandbox, tmp_path: Path, text: str, why: str
) -> None:
    laid = delta(tmp_path / "delta", **{"sum.js": text})
    shown = run(small[0].environment, small[1].box, node_sandbox, laid)
    assert shown.outcomes.get("test/sum.test.js::adds") != "passed", why


def test_a_loop_without_end_is_ended_and_its_file_is_broken(
    small: tuple[Installed, Workshop], node_sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typescript, "base_variables", lambda: {**base_variables(), "REDGREEN_SILENCE_S": "4"})
    laid = delta(tmp_path / "delta", **{"sum.js": "export default () => { for (;;); }\n"})
    shown = run(small[0].environment, small[1].box, node_sandbox, laid)
    assert shown.ended != "finished"
    assert not shown.complete
    assert "test/sum.test.js::adds" not in shown.outcomes
