"""The one place that prints errors: what it says, and with which exit status."""

from __future__ import annotations

import errno

import pytest

from redgreen.errors import InfrastructureError, Rejected, UsageError, reported

CASES: list[tuple[BaseException, int, list[str]]] = [
    (UsageError("x.json: $.id: wrong", "look there"), 2, ["error: x.json: $.id: wrong", "hint: look there"]),
    (UsageError("no hint"), 2, ["error: no hint"]),
    (InfrastructureError("down", "later"), 1, ["error: down", "hint: later"]),
    (Rejected("flaky", "differs"), 1, ["error: differs"]),
    (
        OSError(errno.ENOSPC, "No space left on device", "/out/x"),
        1,
        ["error: No space left on device: /out/x", "hint: free some space, then run the same command again"],
    ),
    (PermissionError(errno.EACCES, "Permission denied", "/out/x"), 1, ["error: Permission denied: /out/x"]),
    (KeyboardInterrupt(), 130, ["error: interrupted", "hint: run the same command again: finished documents are kept"]),
    (BrokenPipeError(), 1, []),
    (
        ValueError("first\nsecond"),
        1,
        [
            "error: a fault in redgreen itself: ValueError: first second",
            "hint: set REDGREEN_DEBUG=1 to see where, and report it",
        ],
    ),
]


@pytest.mark.parametrize(("error", "status", "lines"), CASES, ids=[type(error).__name__ for error, _, _ in CASES])
def test_an_error_becomes_two_lines_and_an_exit_status(
    error: BaseException,
    status: int,
    lines: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("REDGREEN_DEBUG", raising=False)
    with pytest.raises(SystemExit) as caught, reported():
        raise error
    assert caught.value.code == status
    printed = capsys.readouterr()
    assert printed.err.splitlines()[: len(lines)] == lines
    assert printed.out == ""
    assert "Traceback" not in printed.err


def test_a_fault_of_ours_is_shown_whole_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDGREEN_DEBUG", "1")
    with pytest.raises(ValueError, match="deep"), reported():
        raise ValueError("deep")


def test_an_exit_of_its_own_passes_through() -> None:
    with pytest.raises(SystemExit) as caught, reported():
        raise SystemExit(7)
    assert caught.value.code == 7


def test_nothing_wrong_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with reported():
        pass
    assert capsys.readouterr() == ("", "")
