"""mine: from a set to its candidates and their statements."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from git_repository import Repository
from stage_runner import call, files, loads, well

import adapters
from redgreen.contract import ROOT, load_lines, sha256
from redgreen.documents import Candidate
from redgreen.errors import InfrastructureError
from stages.steps import mine

TWO = ("--set", "demo", "--repo", "slugline", "--repo", "ringlog")


def found(out: Path, name: str = "demo") -> dict[str, Candidate]:
    return {candidate.id: candidate for candidate in load_lines(out / name / "candidates.jsonl", Candidate)}


def test_candidates_come_with_their_statements_and_a_list_for_make(tmp_path: Path) -> None:
    well("mine", *TWO, "--out", tmp_path)
    candidates = found(tmp_path)
    assert list(candidates) == ["demo__slugline-4", "demo__ringlog-5"]
    facts = candidates["demo__slugline-4"].facts
    assert (facts.test_files, facts.source_files) == (("tests/test_shorten.py",), ("src/slugline/core.py",))
    assert (facts.url, facts.licence, facts.issues, facts.pull) == ("demo:slugline", "MIT", (3,), 4)
    assert facts.merged_at == "2026-01-12T10:05:00Z"
    place = tmp_path / "demo" / "tasks" / "demo__slugline-4"
    assert loads(place / "candidate.json")["facts"]["id"] == "demo__slugline-4"
    statement = (place / "statement.md").read_bytes()
    assert sha256(statement) == facts.statement.sha256
    assert b"Shortened slugs end with a dash" in statement
    assert (
        tmp_path / "demo" / "tasks.mk"
    ).read_text() == "IDS := \\\n  demo__ringlog-5 \\\n  demo__slugline-4\nIMAGES := python\n"


def test_what_this_machine_has_no_toolchain_for_is_skipped_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    well("mine", *TWO, "--out", tmp_path)
    candidates = [
        one.model_copy(update={"facts": one.facts.model_copy(update={"language": language})})
        for one, language in zip(found(tmp_path).values(), ("python", "go"), strict=True)
    ]
    statements = dict.fromkeys(found(tmp_path), "text")
    mine.write_set(tmp_path / "demo", candidates, statements, {"go": "install it"})
    assert (tmp_path / "demo" / "tasks.mk").read_text() == "IDS := \\\n  demo__slugline-4\nIMAGES := python\n"
    assert len((tmp_path / "demo" / "candidates.jsonl").read_text().splitlines()) == 2
    mine.tell_skipped("demo", candidates, {"go": "install it"})
    assert "1 of 2 candidates skipped: no go on this machine (install it)" in capsys.readouterr().err
    with pytest.raises(InfrastructureError, match="demo: no go on this machine"):
        mine.tell_skipped("demo", candidates[1:], {"go": "install it"})


def test_only_the_process_sandbox_depends_on_this_machine_s_toolchains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapters, "process_sandbox", lambda: object())
    monkeypatch.setattr(adapters.language("python"), "runtimes", lambda sandbox: ())
    assert mine.skipped_languages(["python"], "podman") == {}
    assert mine.skipped_languages(["python"], "process") == {"python": adapters.language("python").runtimes_hint}


def test_running_it_twice_gives_the_same_bytes_and_leaves_equal_candidates_alone(tmp_path: Path) -> None:
    well("mine", *TWO, "--out", tmp_path)
    first = files(tmp_path / "demo")
    place = tmp_path / "demo" / "tasks" / "demo__ringlog-5" / "candidate.json"
    os.utime(place, (1, 1))
    well("mine", *TWO, "--out", tmp_path)
    assert files(tmp_path / "demo") == first
    assert place.stat().st_mtime == 1
    well("mine", *TWO, "--out", tmp_path / "elsewhere")
    assert files(tmp_path / "elsewhere" / "demo") == first, "no path of this machine is in them"


def test_a_candidate_that_is_no_more_found_goes_with_its_folder(tmp_path: Path) -> None:
    well("mine", *TWO, "--out", tmp_path)
    well("mine", "--set", "demo", "--repo", "ringlog", "--out", tmp_path)
    assert list(found(tmp_path)) == ["demo__ringlog-5"]
    assert [path.name for path in (tmp_path / "demo" / "tasks").iterdir()] == ["demo__ringlog-5"]


def test_a_licence_that_is_not_allowed_is_a_candidate_with_a_failure(tmp_path: Path) -> None:
    well("mine", "--set", "demo", "--repo", "dotdash", "--out", tmp_path)
    (candidate,) = found(tmp_path).values()
    assert candidate.failure
    assert (candidate.failure.stage, candidate.failure.reason) == ("mine", "licence")


def test_a_sample_is_the_same_each_time_and_another_with_another_seed(tmp_path: Path) -> None:
    chosen = []
    for seed in ("0", "1", "0", "2"):
        well("mine", "--set", "demo", "--sample", 3, "--seed", seed, "--out", tmp_path)
        chosen.append(tuple(sorted(found(tmp_path))))
    assert all(len(ids) == 3 for ids in chosen)
    assert chosen[0] == chosen[2]
    assert len(set(chosen)) > 1


@pytest.fixture
def history(tmp_path: Path) -> Repository:
    """Three squashed fixes with tests on one main line."""
    repository = Repository(tmp_path / "thing.git")
    licence = Path(ROOT / "tasks" / "demo" / "ringlog" / "base" / "LICENSE").read_bytes()
    base = repository.commit(repository.tree({"LICENSE": licence, "core.py": b"x = 0\n"}))
    for number in (1, 2, 3):
        test = f"def test_{number}(): assert True\n".encode()
        tree = repository.tree({"LICENSE": licence, "core.py": b"x = %d\n" % number, "tests/test_core.py": test})
        base = repository.commit(tree, base, message=f"Fix number {number} (#{number})\n")
    repository.git("symbolic-ref", "HEAD", "refs/heads/main")
    return repository


def test_a_repository_of_one_s_own_is_mined_by_its_path(history: Repository, tmp_path: Path) -> None:
    well("mine", "--set", "mine", "--repo", history.path, "--out", tmp_path / "out")
    assert list(found(tmp_path / "out", "mine")) == ["local__thing-3", "local__thing-2", "local__thing-1"]
    well("mine", "--set", "mine", "--repo", history.path, "--limit", 2, "--out", tmp_path / "out")
    assert list(found(tmp_path / "out", "mine")) == ["local__thing-3", "local__thing-2"]


def test_a_single_fix_is_found_by_its_commit(history: Repository, tmp_path: Path) -> None:
    commit = history.git("rev-parse", "main~1")
    well("mine", "--set", "one", "--repo", history.path, "--commit", commit[:10], "--out", tmp_path / "out")
    (candidate,) = found(tmp_path / "out", "one").values()
    assert candidate.facts.fix_commit == commit


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--set", "nothing"), "nothing: no such set"),
        (("--set", "demo", "--repo", "nobody"), "no demo project nobody"),
        (("--set", "demo", "--since", "2099-01-01"), "no candidate"),
        (("--set", "one", "--pr", "https://example.org/o/n/issues/3"), "not the address of a pull request"),
        (("--set", "x", "--repo", "a/b/c"), "no repository here"),
        (("--set", "demo", "--limit", "0"), "$.limit"),
        (("--set", "demo", "--sample", "-1"), "$.sample"),
    ],
)
def test_what_cannot_be_mined_is_refused_with_a_hint_and_writes_no_list(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    ended = call("mine", *arguments, "--out", tmp_path)
    assert ended.status == 2
    assert words in ended.stderr
    assert "hint: " in ended.stderr
    assert not list(tmp_path.glob("*/candidates.jsonl"))


def test_a_set_that_breaks_its_schema_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mine, "ROOT", tmp_path)
    spec = tmp_path / "tasks" / "odd" / "set.yaml"
    spec.parent.mkdir(parents=True)
    spec.write_text("source: demo\nlimits: 3\n")
    ended = call("mine", "--set", "odd", "--out", tmp_path / "out")
    assert ended.status == 2
    assert f"error: {spec}: $: " in ended.stderr
    assert "hint: schemas/setspec.schema.json" in ended.stderr
    assert not (tmp_path / "out").exists()


def test_the_address_of_a_pull_request_is_a_repository_and_a_number() -> None:
    assert mine.parse_pull("https://example.org/o/n/pull/12/") == ("https://example.org/o/n", 12)
