"""SIGKILL to make's whole process group at random moments: the finished result is the undisturbed one."""

from __future__ import annotations

import os
import random
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


def kill_and_finish(checkout: Checkout, folder: Path, arguments: list[str], kills: int, longest: float) -> list[Path]:
    """Finished results in which make was killed so often altogether; a new one is begun where make was faster."""
    moments = random.Random(SEED)
    log, results = folder / "make.log", [folder / "0"]
    while kills:
        if killed_after(checkout, [*arguments, f"OUT={results[-1]}"], moments.uniform(0.05, longest), log):
            kills -= 1
        else:
            results.append(folder / str(len(results)))
    for out in results:
        done = checkout.make(*arguments, f"OUT={out}")
        assert done.returncode == 0, done.stderr[-3000:]
    return results


def left_over(out: Path) -> list[str]:
    """Temporary files and folders below a result that nobody will look at again."""
    marks = ("*.unfinished", ".*.json.*", ".*.jsonl.*", ".*.mk.*", ".index-*", "delta-*", "upper", "upper.work")
    places = [path for mark in marks for path in out.rglob(mark)]
    return sorted(str(path.relative_to(out)) for path in places if not {"base", "box"} & set(path.parts))


def containers() -> list[str]:
    """Those that a stage started which is no more."""
    try:
        said = subprocess.run(
            ["podman", "ps", "--all", "--filter=label=redgreen-process", "--format={{.Names}} {{.Labels}}"],
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        return []
    return [line for line in said.stdout.splitlines() if not _process_lives(line)]


def _process_lives(line: str) -> bool:
    """Others may be at work on this machine: theirs are not ours to judge."""
    number = line.rpartition("redgreen-process:")[2].strip("]} ").split()[0]
    return Path("/proc", number).exists()


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


def check(undisturbed: Path, results: list[Path]) -> None:
    wanted = documents(undisturbed)
    assert len(wanted) > 20
    for out in results:
        assert differing(wanted, documents(out)) == []
        assert left_over(out) == []
        assert at_work(out) == []
    assert containers() == []


def test_twenty_kills_change_no_byte_of_the_result(checkout: Checkout, undisturbed: Path, short: Path) -> None:
    folder = short / "killed"
    folder.mkdir()
    arguments = ["-j4", "all", f"REPO={SMALL}"]
    took = float((undisturbed.parent / "seconds").read_text())
    check(undisturbed, kill_and_finish(checkout, folder, arguments, KILLS, longest=took / 5))
    assert_spread((folder / "make.log").read_text())


def assert_spread(log: str) -> None:
    """The kills did not all hit the same stage: something of each was finished between two of them."""
    stages = {line.split()[0] for line in log.splitlines() if line}
    assert stages >= {"mine", "materialize", "install", "red", "green", "accept", "run"}, stages


@pytest.mark.skipif(not FULL, reason="takes a quarter of an hour: REDGREEN_FULL=1 runs it")
def test_twenty_kills_change_no_byte_of_the_whole_demo(checkout: Checkout, short: Path) -> None:
    folder = short / "full"
    folder.mkdir()
    whole = folder / "undisturbed"
    started = time.monotonic()
    done = checkout.make("-j4", "all", f"OUT={whole}")
    took = time.monotonic() - started
    assert done.returncode == 0, done.stderr[-3000:]
    check(whole, kill_and_finish(checkout, folder, ["-j4", "all"], KILLS, longest=took / 6))
    assert_spread((folder / "make.log").read_text())
