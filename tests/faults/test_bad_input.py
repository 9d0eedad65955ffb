"""Documents that are missing, broken, of another kind or of another task; unknown names; repositories that are gone."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from pipeline import REJECTED, TASK, Checkout, documents, is_clear, keep_images

READS = {
    "materialize": ("candidate",),
    "install": ("candidate", "workspace"),
    "red": ("candidate", "workspace", "environment"),
    "green": ("candidate", "workspace", "environment"),
    "accept": ("candidate", "workspace", "environment", "red", "green"),
}
PAIRS = [(stage, document) for stage, read in READS.items() for document in read]


@pytest.fixture
def light(undisturbed: Path, tmp_path: Path) -> Path:
    """OUT with the documents of the result and nothing else: all that a stage reads before it works."""
    out = tmp_path / "o"
    for name, content in documents(undisturbed).items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(content)
    keep_images(undisturbed, out)
    (out / "demo" / "boxes" / TASK / "box").mkdir(parents=True)
    (out / "demo" / "boxes" / TASK / "base").mkdir()
    return out


def cut(path: Path) -> str:
    path.write_bytes(path.read_bytes()[:-20])
    return "not JSON"


def no_text(path: Path) -> str:
    path.write_bytes(b"\xff\xfe\x00" + path.read_bytes())
    return "not UTF-8"


def gone(path: Path) -> str:
    path.unlink()
    return "no such document"


def another_kind(path: Path) -> str:
    path.write_text('{"schema_version": 1, "spam": true}\n')
    return "$"


def another_version(path: Path) -> str:
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema_version": 99}))
    return "$.schema_version"


def another_task(path: Path) -> str:
    path.write_bytes((path.parents[1] / REJECTED / path.name).read_bytes())
    return "$.id"


WAYS: list[Callable[[Path], str]] = [cut, no_text, gone, another_kind, another_version, another_task]


@pytest.mark.parametrize(("stage", "document"), PAIRS, ids=[f"{stage}-{document}" for stage, document in PAIRS])
def test_a_stage_refuses_a_bad_document_by_its_name_and_writes_nothing(
    checkout: Checkout, light: Path, stage: str, document: str
) -> None:
    folder = light / "demo" / "tasks" / TASK
    path = folder / f"{document}.json"
    original = path.read_bytes()
    for spoil in WAYS if stage == "accept" else [gone, another_kind, another_task]:
        path.write_bytes(original)
        told = spoil(path)
        before = documents(light)
        done = checkout.stage(stage, folder)
        assert done.returncode == 2, (spoil.__name__, done.stderr)
        assert is_clear(done.stderr), (spoil.__name__, done.stderr)
        assert f"{path}: " in done.stderr
        assert told in done.stderr, spoil.__name__
        assert documents(light) == before


@pytest.mark.parametrize("stage", ["run", "score"])
@pytest.mark.parametrize("spoil", [gone, another_kind, another_task], ids=lambda spoil: str(spoil.__name__))
def test_run_and_score_refuse_a_bad_task(
    checkout: Checkout, light: Path, stage: str, spoil: Callable[[Path], str]
) -> None:
    path = light / "demo" / "tasks" / TASK / "accept.json"
    told = spoil(path)
    before = documents(light)
    options = ["--spec", "runs/demo.yaml"] if stage == "run" else []
    done = checkout.stage(stage, light / "demo" / "runs" / "demo" / TASK / "oracle-1", *options)
    assert done.returncode == 2, done.stderr
    assert is_clear(done.stderr), done.stderr
    assert f"{path}: " in done.stderr
    assert told in done.stderr
    assert documents(light) == before


@pytest.mark.parametrize("spoil", [gone, another_kind, another_task], ids=lambda spoil: str(spoil.__name__))
def test_score_refuses_a_bad_attempt(checkout: Checkout, light: Path, spoil: Callable[[Path], str]) -> None:
    path = light / "demo" / "runs" / "demo" / TASK / "oracle-1" / "attempt.json"
    if spoil is another_task:
        path.write_text(path.read_text().replace(TASK, REJECTED))
    else:
        spoil(path)
    before = documents(light)
    done = checkout.stage("score", path.parent)
    assert done.returncode == 2, done.stderr
    assert is_clear(done.stderr), done.stderr
    assert f"{path}: " in done.stderr
    assert documents(light) == before


@pytest.mark.parametrize("change", ["gone", "other"])
@pytest.mark.parametrize(
    ("stage", "part"),
    [("run", f"tasks/{TASK}/statement.md"), ("score", f"runs/demo/{TASK}/oracle-1/patch.diff")],
)
def test_a_text_that_a_document_names_is_held_against_its_digest(
    checkout: Checkout, light: Path, stage: str, part: str, change: str
) -> None:
    path = light / "demo" / part
    path.unlink()
    if change == "other":
        path.write_text("something else\n")
    options = ["--spec", "runs/demo.yaml"] if stage == "run" else []
    done = checkout.stage(stage, light / "demo" / "runs" / "demo" / TASK / "oracle-1", *options)
    assert done.returncode == 2, done.stderr
    assert is_clear(done.stderr), done.stderr
    assert f"{path}: " in done.stderr


@pytest.mark.parametrize(
    ("stage", "broken"), [("collect", f"tasks/{TASK}/accept.json"), ("stats", "tasks.jsonl"), ("show", "tasks.jsonl")]
)
def test_the_stages_of_a_whole_set_name_the_bad_document(
    checkout: Checkout, light: Path, stage: str, broken: str
) -> None:
    path = light / "demo" / broken
    path.write_text(path.read_text().replace('"schema_version": 1', '"schema_version": "one"'))
    arguments: dict[str, list[str | Path]] = {
        "collect": [light / "demo", TASK, REJECTED],
        "stats": [light / "demo" / "runs" / "demo"],
        "show": [light / "demo"],
    }
    before = documents(light)
    done = checkout.stage(stage, *arguments[stage])
    assert done.returncode == 2, done.stderr
    assert is_clear(done.stderr), done.stderr
    assert str(path) in done.stderr
    assert "$.schema_version" in done.stderr
    assert documents(light) == before


def test_a_run_specification_that_breaks_its_schema_is_named_with_the_place(checkout: Checkout, light: Path) -> None:
    spec = light / "spec.yaml"
    spec.write_text("schema_version: 1\nagents:\n  - {name: oracle, kind: oracle}\nrepeats: none\n")
    done = checkout.stage("run", light / "demo" / "runs" / "demo" / TASK / "oracle-1", "--spec", spec)
    assert done.returncode == 2
    assert is_clear(done.stderr)
    assert f"{spec}: $.repeats" in done.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--set", "nosuchset"], "nosuchset"),
        (["--set", "x", "--pr", "some/thing"], "some/thing"),
        (["--set", "x", "--repo", "/no/such/repository"], "/no/such/repository"),
        (["--set", "x", "--source", "github", "--repo", "owner/name"], "GITHUB_TOKEN"),
        (["--set", "demo", "--repo", "demo:nosuchproject"], "nosuchproject"),
        (["--set", "demo", "--since", "yesterday"], "since"),
    ],
    ids=["set", "pull request", "path", "token", "demo project", "day"],
)
def test_mine_refuses_what_names_nothing(checkout: Checkout, tmp_path: Path, options: list[str], told: str) -> None:
    out = tmp_path / "o"
    done = checkout.stage("mine", "--out", out, *options)
    assert done.returncode == 2, done.stderr
    assert is_clear(done.stderr), done.stderr
    assert told in done.stderr
    assert not list(out.rglob("*.json*"))


def closed_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def test_a_repository_that_does_not_answer_is_infrastructure(checkout: Checkout, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{closed_port()}/owner/name.git"
    done = checkout.stage("mine", "--out", tmp_path / "o", "--set", "x", "--repo", url)
    assert done.returncode == 1, done.stderr
    assert is_clear(done.stderr), done.stderr
    assert url in done.stderr
    assert not list((tmp_path / "o").rglob("*.json*"))
    assert not list((tmp_path / "o").rglob("*.unfinished"))


def test_make_passes_a_stages_words_and_a_failure_on(checkout: Checkout, tmp_path: Path) -> None:
    done = checkout.make("all", "SET=nosuchset", f"OUT={tmp_path / 'o'}")
    assert done.returncode == 2
    assert is_clear(done.stderr), done.stderr


@pytest.mark.skipif(not shutil.which("podman"), reason="there is no podman")
def test_an_image_that_is_gone_is_looked_up_again(checkout: Checkout, result: Path) -> None:
    kept = result / "images" / "python"
    known = kept.read_text()
    kept.write_text("sha256:" + "0" * 64 + "\n")
    done = checkout.stage("green", result / "demo" / "tasks" / TASK)
    assert done.returncode == 0, done.stderr
    assert kept.read_text() == known


def test_an_agent_that_nobody_knows_is_refused_before_anything_is_tried(checkout: Checkout, light: Path) -> None:
    spec, listed = light / "spec.yaml", light / "demo" / "runs" / "x" / "attempts.mk"
    spec.write_text("schema_version: 1\nagents:\n  - {name: wizard, kind: wizard}\n")
    done = checkout.stage("collect", light / "demo", "--spec", spec, "--to", listed)
    assert done.returncode == 2
    assert is_clear(done.stderr)
    assert "wizard" in done.stderr
    assert not listed.exists()
