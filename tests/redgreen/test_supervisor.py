"""The supervisor's reading of a pipe, where its command ends at the worst moment."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from redgreen.launch import INSIDE


def supervisor() -> dict[str, Any]:
    """Its functions: as a program it would start at once."""
    source = (INSIDE / "supervisor.py").read_text()
    assert source.endswith("\nmain()\n")
    names: dict[str, Any] = {}
    exec(compile(source.removesuffix("main()\n"), "supervisor.py", "exec"), names)
    return names


class Connection:
    def __init__(self) -> None:
        self.sent = b""

    def sendall(self, block: bytes) -> None:
        self.sent += block


class Child:
    """Gone when it is asked for the first time; does something just before."""

    def __init__(self, last: Callable[[], object]) -> None:
        self.last = last

    def poll(self) -> int:
        self.last()
        self.last = lambda: None
        return 0


@pytest.mark.parametrize("closes", [True, False], ids=["and closes the pipe", "while an orphan holds the pipe"])
def test_what_a_command_wrote_between_our_look_and_its_end_is_read(closes: bool) -> None:
    reading, writing = os.pipe()

    def last_words() -> None:
        os.write(writing, b"finish")
        if closes:
            os.close(writing)

    connection = Connection()
    supervisor()["pass_on"](reading, Child(last_words), connection)
    assert connection.sent == b"finish"
    os.close(reading)
    if not closes:
        os.close(writing)


def test_an_orphan_that_writes_for_ever_is_not_read_for_ever() -> None:
    reading, writing = os.pipe()
    written = 0

    class Flood(Connection):
        def sendall(self, block: bytes) -> None:
            nonlocal written
            written += os.write(writing, b"x" * 4096)
            assert written < 16 << 20, "it reads on and on"

    supervisor()["pass_on"](reading, Child(lambda: os.write(writing, b"x" * 4096)), Flood())
    assert written >= 1 << 20
    os.close(reading)
    os.close(writing)
