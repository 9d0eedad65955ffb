"""The shell agent with scripted models: what it runs, what it does with answers that cannot be run, how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from stage_runner import call, loads, well

import adapters
from adapters.agents.shell import block_of
from redgreen.sandbox import Sandbox

RING = "demo__ringlog-5"
FIX = (
    "sed -i 's/return iter(self._lines)/n = self._next if len(self) == self.size else 0; "
    "return iter(self._lines[n:] + self._lines[:n])/' ringlog/__init__.py"
)
Reply = dict[str, Any]
Try = Callable[..., Path]


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("I look.\n\n```sh\nls -la\n```\n", "ls -la"),
        ("```bash\nls\n```", "ls"),
        ("```\nls\n```", "ls"),
        ("~~~sh\necho '```'\n~~~", "echo '```'"),
        ("  ```sh\n  ls\n  ```", "ls"),
        ("````sh\ncat <<E\n```\nE\n````", "cat <<E\n```\nE"),
        ("```sh\nls\n```\nor, the same again:\n```sh\nls\n```", "ls"),
        ("```sh\nls\n```\n```python\nprint()\n```", "ls"),
        ("```sh\nls\n```\n```sh\npwd\n```", None),
        ("```python\nprint()\n```", None),
        ("```sh\n```", None),
        ("```sh\nls", None),
        ("Use `ls` for that.", None),
        ("```sh\nprintf '\0'\n```", None),
        ("", None),
    ],
)
def test_a_block_is_run_only_if_there_is_no_doubt_which(text: str, block: str | None) -> None:
    assert block_of(text) == block


def said(command: str) -> Reply:
    return {"text": f"Next.\n\n```sh\n{command}\n```\n"}


@pytest.fixture
def attempt(reports: Path, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Try:
    """Let the agent try the ring with these answers; the attempt's folder."""
    from adapters.models import scripted

    monkeypatch.setattr(scripted, "MODELS", tmp_path)

    def attempt(*replies: Reply, budget: dict[str, float] | None = None, status: int = 0) -> Path:
        (tmp_path / "told.yaml").write_text(yaml.safe_dump({"replies": {"*": list(replies)}}))
        spec = {
            "agents": [{"name": "shell", "kind": "shell", "model": "scripted/told"}],
            "budgets": {"attempt": budget or {"turns": 8, "minutes": 2}},
        }
        (tmp_path / "run.yaml").write_text(yaml.safe_dump(spec))
        folder = reports.parent / "runs" / tmp_path.name / RING / "shell-1"
        arguments = (folder, "--spec", tmp_path / "run.yaml", "--sandbox", sandbox.name, "--allow-process")
        ended = call("run", *arguments)
        assert ended.status == status, ended.stderr
        return folder

    return attempt


def test_a_fix_made_by_commands_is_fixed_and_the_agent_s_own_history_is_no_part_of_it(
    attempt: Try, sandbox: Sandbox
) -> None:
    folder = attempt(
        said("git log --format=%s | cat; git status --short"), said(f"{FIX}\ngit commit -qam mended"), said("submit")
    )
    well("score", folder, "--sandbox", sandbox.name)
    assert loads(folder / "score.json")["resolved"]
    told = loads(folder / "attempt.json")
    assert (told["stopped"], told["usage"]["turns"], told["model"]) == ("done", 3, "scripted/told")
    assert (told["usage"]["cost_usd"], told["usage"]["prices"]) == (None, None)
    lines = [json.loads(line) for line in (folder / "trajectory.jsonl").read_text().splitlines()]
    assert lines[3]["content"] == "exit status 0\nstart\n"
    assert (folder / "patch.diff").read_bytes().count(b"diff --git") == 1


def test_an_answer_without_a_block_is_told_so_and_three_in_a_row_end_the_attempt(attempt: Try) -> None:
    folder = attempt({"text": "Let me think."}, said("true"), {"text": "Hm."}, {"text": "Hm."}, {"text": "Hm, hm."})
    told = loads(folder / "attempt.json")
    assert (told["stopped"], told["fault"], told["usage"]["turns"]) == ("model_error", "malformed_answer", 5)
    lines = [json.loads(line) for line in (folder / "trajectory.jsonl").read_text().splitlines()]
    assert lines[3]["content"].startswith("The answer holds no blocks of commands; nothing was run.")


def test_empty_answers_and_cut_off_ones_are_told_apart(attempt: Try) -> None:
    folder = attempt({"text": "```sh\nls", "finish": "length"}, {"text": ""}, {"text": ""})
    assert loads(folder / "attempt.json")["fault"] == "empty_answer"
    lines = [json.loads(line)["content"] for line in (folder / "trajectory.jsonl").read_text().splitlines()]
    assert lines[3].startswith("The answer was cut off at its longest length")
    assert lines[5].startswith("The answer was empty")


def test_what_was_done_before_the_turns_ended_is_scored(attempt: Try, sandbox: Sandbox) -> None:
    folder = attempt(said(FIX), said("true"), budget={"turns": 3})
    told = loads(folder / "attempt.json")
    assert (told["stopped"], told["fault"], told["usage"]["turns"]) == ("turns", "turns", 3)
    well("score", folder, "--sandbox", sandbox.name)
    assert loads(folder / "score.json")["resolved"]


def test_the_minutes_of_an_attempt_end_a_command_too(attempt: Try) -> None:
    folder = attempt(said("echo begun; sleep 60"), budget={"minutes": 0.05})
    told = loads(folder / "attempt.json")
    assert (told["stopped"], told["fault"], told["usage"]["turns"]) == ("time", "time", 1)


def test_an_agent_that_ends_its_own_workspace_is_scored_on_what_it_left(attempt: Try) -> None:
    folder = attempt(said(FIX), said("kill -9 $PPID; sleep 2"), said("true"))
    told = loads(folder / "attempt.json")
    assert (told["stopped"], told["fault"]) == ("done", None)
    assert told["failure"].startswith("the workspace was ended")
    assert b"self._lines[n:]" in (folder / "patch.diff").read_bytes()


def test_a_service_without_a_key_stops_the_run_and_leaves_no_attempt(attempt: Try) -> None:
    folder = attempt({"fault": {"status": 401, "said": "invalid x-api-key"}}, status=1)
    assert not (folder / "attempt.json").exists()


def test_an_unknown_model_is_one_clear_line(reports: Path, sandbox: Sandbox, tmp_path: Path) -> None:
    for model, words in (
        ("scripted/nobody", "no such model"),
        ("nowhere/x", "no such model"),
        (None, "needs a model"),
    ):
        agent = {"name": "shell", "kind": "shell", **({"model": model} if model else {})}
        (tmp_path / "run.yaml").write_text(yaml.safe_dump({"agents": [agent]}))
        folder = reports.parent / "runs" / tmp_path.name / RING / "shell-1"
        ended = call("run", folder, "--spec", tmp_path / "run.yaml", "--sandbox", sandbox.name, "--allow-process")
        assert ended.status == 2
        assert words in ended.stderr
        assert not folder.exists() or not list(folder.iterdir())


def test_the_registry_names_the_agent() -> None:
    assert adapters.agent("shell").needs_model
