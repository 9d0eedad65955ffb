"""Limits, faults and the token: how the client of GitHub's API bears them."""

from __future__ import annotations

import io
import socket
import traceback
from pathlib import Path

import pytest
from github_data import pull
from github_mining import mined, numbers
from github_server import TOKEN, Answer, Clock, GitHub
from rich.console import Console

from adapters.sources.github_api import count_down
from redgreen.errors import InfrastructureError, RedgreenError, UsageError


@pytest.mark.parametrize("told", ["headers", "body"])
def test_waits_for_the_next_hour_before_its_points_run_out(
    github: GitHub, tmp_path: Path, capsys: pytest.CaptureFixture[str], told: str
) -> None:
    github.tells_points_by = (told,)
    github.pulls = [pull(number, number) for number in range(1, 101)]
    github.points = 2
    assert len(list(mined(github, tmp_path))) == 100
    assert (github.refused, github.clock.slept) == (0, [600])
    assert "waiting 600 s: GitHub's points of this hour are used up" in capsys.readouterr().err


def test_waits_for_the_next_hour_when_others_have_used_its_points(github: GitHub, tmp_path: Path) -> None:
    github.pulls, github.points = [pull(1, 1)], 0
    assert numbers(mined(github, tmp_path)) == [1]
    assert (github.refused, github.clock.slept) == (1, [600])


LIMIT = "You have exceeded a secondary rate limit"


@pytest.mark.parametrize(
    ("faults", "waits"),
    [
        ([Answer(403, {"message": LIMIT}, {"Retry-After": "17"})], [17]),
        ([Answer(429, "", {"Retry-After": "18"})], [18]),
        ([Answer(403, {"message": LIMIT})] * 3, [60, 120, 240]),
        ([Answer(200, {"data": None, "errors": [{"type": "RATE_LIMITED", "message": "Refused"}]})], [60]),
        ([Answer(403, {"message": "no"}, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1717200099"})], [99]),
        ([Answer(429, "", {"Retry-After": "soon"})], [60]),
        ([Answer(429, "", {"Retry-After": "999999"})], [3660]),
    ],
)
def test_waits_as_told_when_refused_and_ever_longer_when_not_told(
    github: GitHub, tmp_path: Path, capsys: pytest.CaptureFixture[str], faults: list[Answer], waits: list[float]
) -> None:
    github.pulls = [pull(1, 1)]
    github.faults.extend(faults)
    assert numbers(mined(github, tmp_path)) == [1]
    assert github.clock.slept == waits
    assert [f"waiting {seconds} s: " in capsys.readouterr().err for seconds in waits[:1]] == [True]


def test_gives_up_after_six_refusals(github: GitHub, tmp_path: Path) -> None:
    github.faults.extend([Answer(403, {"message": LIMIT})] * 20)
    with pytest.raises(InfrastructureError, match="still refuses after 6 waits: You have exceeded"):
        list(mined(github, tmp_path))
    assert len(github.asked) == 7


WRONG = {"data": None, "errors": [{"message": "Something went wrong while executing your query."}]}


@pytest.mark.parametrize(
    "fault", [Answer(502, "<html>"), Answer(200, WRONG), Answer(504), Answer(0), Answer(200, "<html>")]
)
def test_tries_again_after_faults_that_pass(github: GitHub, tmp_path: Path, fault: Answer) -> None:
    github.pulls = [pull(1, 1)]
    github.faults.extend([fault] * 5)
    assert numbers(mined(github, tmp_path)) == [1]
    assert len(github.asked) == 6


@pytest.mark.parametrize("fault", [Answer(502, "<html>"), Answer(200, WRONG), Answer(0)])
def test_gives_up_after_six_attempts(github: GitHub, tmp_path: Path, fault: Answer) -> None:
    github.faults.extend([fault] * 20)
    with pytest.raises(InfrastructureError, match="did not answer in 6 attempts") as caught:
        list(mined(github, tmp_path))
    assert len(github.asked) == 6
    assert github.clock.slept == sorted(github.clock.slept) and 15 < sum(github.clock.slept) < 60
    assert "what was fetched is kept" in caught.value.hint


def test_asks_for_smaller_pages_where_github_runs_out_of_time(github: GitHub, tmp_path: Path) -> None:
    github.pulls = [pull(number, number) for number in range(1, 41)]
    github.faults.extend([None, Answer(502), Answer(502)])
    assert len(list(mined(github, tmp_path))) == 40
    assert [asked["first"] for _, asked in github.asked] == [25, 25, 12, 6, 6, 6]


def test_a_question_that_github_does_not_understand_is_not_asked_twice(github: GitHub, tmp_path: Path) -> None:
    partly = {"repository": None}
    github.faults.append(Answer(200, {"data": partly, "errors": [{"message": "Field 'x' doesn't exist"}]}))
    with pytest.raises(InfrastructureError, match="Field 'x' doesn't exist"):
        list(mined(github, tmp_path))
    assert len(github.asked) == 1


def test_a_token_that_may_not_read_this_is_a_usage_error(github: GitHub, tmp_path: Path) -> None:
    github.faults.append(Answer(403, {"message": "Resource protected by organization"}))
    with pytest.raises(UsageError, match="GitHub forbids this to the token in GITHUB_TOKEN: Resource protected"):
        list(mined(github, tmp_path))
    assert (len(github.asked), github.clock.slept) == (1, [])


@pytest.mark.parametrize("token", [None, "", " ", "wrong-secret", "wrong\x01secret", "wrong\nsecret", "wröng-secret"])
def test_an_unusable_token_is_a_usage_error_that_does_not_show_it(
    github: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, token: str | None
) -> None:
    monkeypatch.delenv("GITHUB_TOKEN") if token is None else monkeypatch.setenv("GITHUB_TOKEN", token)
    with pytest.raises(UsageError) as caught:
        list(mined(github, tmp_path))
    assert "GITHUB_TOKEN" in caught.value.hint
    assert "secret" not in "".join(traceback.format_exception(caught.value)) + repr(caught.value.__dict__)


@pytest.mark.parametrize("status", [200, 403, 404, 500])
def test_a_token_that_the_service_repeats_is_shown_nowhere(
    github: GitHub, tmp_path: Path, capsys: pytest.CaptureFixture[str], status: int
) -> None:
    said = f"no luck with {TOKEN}"
    github.faults.extend([Answer(status, {"message": said, "errors": [{"message": said}]})] * 9)
    with pytest.raises(RedgreenError) as caught:
        list(mined(github, tmp_path))
    assert TOKEN not in "".join(traceback.format_exception(caught.value)) + caught.value.hint + capsys.readouterr().err


@pytest.mark.parametrize(
    "url", ["http://example.org/graphql", "nonsense", "https://a:b@example.org/", "ftp://127.0.0.1/"]
)
def test_the_token_goes_to_no_doubtful_address(
    github: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("GITHUB_GRAPHQL_URL", url)
    with pytest.raises(UsageError, match="GITHUB_GRAPHQL_URL"):
        list(mined(github, tmp_path))


def test_a_redirect_is_not_followed(github: GitHub, tmp_path: Path) -> None:
    github.faults.append(Answer(307, "", {"Location": github.url}))
    with pytest.raises(UsageError, match="status 307"):
        list(mined(github, tmp_path))
    assert len(github.asked) == 1


def test_no_network_is_an_infrastructure_error_with_a_hint(
    github: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("GITHUB_GRAPHQL_URL", f"http://127.0.0.1:{unused.getsockname()[1]}/graphql")
        with pytest.raises(InfrastructureError, match="cannot reach 127") as caught:
            list(mined(github, tmp_path))
    assert "check the network" in caught.value.hint


def test_a_terminal_shows_every_second_of_a_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    clock, screen = Clock(), io.StringIO()
    count_down(61.2, "a limit [of one]", sleep=clock.sleep, console=Console(file=screen, force_terminal=True, width=80))
    assert clock.slept == [1] * 62
    assert "left: a limit [of one]" in screen.getvalue()


def test_a_terminal_that_cannot_move_its_cursor_gets_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    clock = Clock()
    count_down(61.2, "a limit", sleep=clock.sleep, console=Console(file=io.StringIO(), force_terminal=True, width=80))
    assert (clock.slept, capsys.readouterr().err) == ([62], "waiting 62 s: a limit\n")
