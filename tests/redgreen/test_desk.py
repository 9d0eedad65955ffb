"""The desk: one sandbox for many commands, and its end is the attempt's own doing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from redgreen.desk import Desk, WorkspaceGone, desk
from redgreen.sandbox import BOX, Command, Limits, Mount, Sandbox

PATH = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


@pytest.fixture
def opened(tmp_path: Path, sandbox: Sandbox) -> Iterator[Desk]:
    box, upper = tmp_path / "box", tmp_path / "upper"
    (box / "tree").mkdir(parents=True)
    (box / "tree" / "kept.txt").write_text("kept\n")
    upper.mkdir()
    sandbox.own(box)
    sandbox.own(upper)
    mounts = [Mount(box, BOX, "overlay", upper)]
    command = Command([], mounts, PATH, workdir=f"{BOX}/tree", limits=Limits(timeout_s=60), label=f"desk {tmp_path}")
    with desk(sandbox, command) as made:
        yield made
    for folder in (upper, upper.with_name("upper.work"), box):
        sandbox.remove(folder)


def sh(opened: Desk, line: str, timeout_s: float = 20, keep_bytes: int = 4096) -> tuple[int, str]:
    done = opened.run(["sh", "-c", line], timeout_s=timeout_s, keep_bytes=keep_bytes)
    return done.status, done.text


def test_commands_follow_one_another_in_one_workspace(opened: Desk) -> None:
    assert sh(opened, "cat kept.txt; echo new >made; exit 3") == (3, "kept\n")
    assert sh(opened, "cat made; echo bad >&2") == (0, "new\nbad\n")
    assert opened.run(["cat"], timeout_s=9, stdin=b"given\0").output == b"given\0"
    assert opened.run(["there-is-no-such-program"], timeout_s=9).status == 127
    assert sh(opened, "kill -9 $$")[0] == 137


def test_what_a_command_leaves_in_the_background_goes_on(opened: Desk) -> None:
    assert sh(opened, "(sleep 0.3; echo late >made) & echo soon") == (0, "soon\n")
    assert sh(opened, "sleep 1; cat made") == (0, "late\n")


def test_a_command_ends_at_its_limit_and_the_desk_goes_on(opened: Desk) -> None:
    done = opened.run(["sh", "-c", "echo begun; sleep 60 & wait"], timeout_s=0.5)
    assert (done.ended, done.text) == ("timeout", "begun\n")
    assert sh(opened, "echo still here") == (0, "still here\n")


def test_the_middle_of_a_long_output_is_left_out(opened: Desk) -> None:
    done = opened.run(
        ["sh", "-c", "echo first; head -c 3000000 /dev/zero; echo; echo last"], timeout_s=20, keep_bytes=600
    )
    assert done.text.startswith("first\n") and done.text.endswith("\nlast\n")
    assert f"[{done.dropped} bytes left out]" in done.text
    assert len(done.output) < 700


def test_a_workspace_that_a_command_ends_is_the_attempt_s_own_doing(opened: Desk) -> None:
    with pytest.raises(WorkspaceGone, match="the workspace was ended"):
        for _ in range(2):  # the answer may still arrive before the end
            sh(opened, "kill -9 $PPID; sleep 1")


def test_there_is_no_way_out_and_the_desk_s_own_socket_is_gone(opened: Desk) -> None:
    assert sh(opened, "test -d /redgreen/desk && test ! -e /redgreen/desk/desk && echo gone") == (0, "gone\n")
    assert sh(opened, "tail -n +3 /proc/net/dev | grep -v lo:") == (1, "")
