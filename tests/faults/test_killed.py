"""SIGKILL to make's whole process group at random moments: the finished result is the undisturbed one."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from pipeline import SMALL, Checkout, differing, documents

SEED = 20261
KILLS = 20
FULL = bool(os.environ.get("REDGREEN_FULL"))


def killed_after(checkout: Checkout, arguments: list[str], seconds: float, log: Path) -> bool:
    """Start make and kill all of it after so long; False if it had finished by then, and well."""
    with log.open("ab") as words:
        process = subprocess.Popen(
            ["make", *arguments],
            cwd=checkout.root,
            env=checkout.environment(),
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=words,
            start_new_session=True,
        )
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return True
    assert status == 0, log.read_text(errors="replace")[-3000:]
    return False


def kill_and_finish(checkout: Checkout, out: Path, arguments: list[str], took: float) -> int:
    """Half of the kills hit make on its way to the tasks, half on its way from there; `took` is what all takes, in s.

    Where make was faster than the moment that was drawn, that half begins anew.

    Returns how many kills left a container.
    """
    orphaned = 0
    moments, log = random.Random(SEED), out.with_suffix(".log")
    everything = ["-j4", "all", *arguments, f"OUT={out}"]
    for begun_anew, share in (("demo", 5), ("demo/runs", 10)):
        kills = 0
        while kills < KILLS // 2:
            if killed_after(checkout, everything, moments.uniform(0.05, took / share), log):
                kills += 1
                orphaned += bool(containers(out))
            else:
                shutil.rmtree(out / begun_anew)
        done = checkout.make("-j4", "tasks", *arguments, f"OUT={out}")
        assert done.returncode == 0, done.stderr[-3000:]
    done = checkout.make(*everything)
    assert done.returncode == 0, done.stderr[-3000:]
    return orphaned


def left_over(out: Path) -> list[str]:
    """Temporary files and folders below a result that nobody will look at again."""
    marks = ("*.unfinished", ".*.json.*", ".*.jsonl.*", ".*.mk.*", ".index-*", "delta-*", "upper", "upper.work")
    places = [path for mark in marks for path in out.rglob(mark)]
    return sorted(str(path.relative_to(out)) for path in places if not {"base", "box"} & set(path.parts))


def containers(out: Path) -> list[str]:
    """Those that are left of a result; others may be at work on this machine, or be killed there."""
    try:
        said = subprocess.run(
            ["podman", "ps", "--all", "--filter=label=redgreen-process", "--format={{json .}}"],
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        return []
    return [line for line in said.stdout.splitlines() if f"{out}/" in line]


def at_work(folder: Path) -> list[str]:
    """Command lines of processes that name a folder of ours."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(folder) in words:
            found.append(words)
    return found


def check(undisturbed: Path, out: Path) -> None:
    wanted = documents(undisturbed)
    assert len(wanted) > 20
    assert differing(wanted, documents(out)) == []
    assert left_over(out) == []
    assert at_work(out) == []
    assert containers(out) == []


def test_twenty_kills_change_no_byte_of_the_result(checkout: Checkout, undisturbed: Path, short: Path) -> None:
    out, took = short / "killed", float((undisturbed.parent / "seconds").read_text())
    orphaned = kill_and_finish(checkout, out, [f"REPO={SMALL}"], took)
    check(undisturbed, out)
    assert orphaned or not shutil.which("podman")  # else the check for containers could not have failed


@pytest.mark.skipif(not FULL, reason="takes half an hour: REDGREEN_FULL=1 runs it")
def test_twenty_kills_change_no_byte_of_the_whole_demo(checkout: Checkout, short: Path) -> None:
    whole, out = short / "whole", short / "whole-killed"
    started = time.monotonic()
    done = checkout.make("-j4", "all", f"OUT={whole}")
    assert done.returncode == 0, done.stderr[-3000:]
    kill_and_finish(checkout, out, [], time.monotonic() - started)
    check(whole, out)
