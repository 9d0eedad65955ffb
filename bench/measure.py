"""What the benchmarks share: a timed command, the machine they ran on, a spread, and a result file.

Both sides of a comparison are measured in one run, by turns, so that a machine that gets slower meanwhile slows both.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redgreen.contract import ROOT, write_bytes
from redgreen.errors import InfrastructureError, UsageError
from redgreen.places import TaskPlace, task_place

RESULTS = ROOT / "bench" / "results"
PYTHON = str(ROOT / ".venv" / "bin" / "python")


@dataclass(frozen=True)
class Took:
    """Seconds of one command: on the clock, and of processor time with all children that it waited for."""

    wall_s: float
    cpu_s: float


def timed(argv: Sequence[str], *, variables: Mapping[str, str] | None = None, cwd: Path = ROOT) -> Took:
    """Run a command to its end.

    Raises:
        InfrastructureError: it failed, with the last line that it said.
    """
    with tempfile.TemporaryFile() as said:
        began = time.perf_counter()
        process = subprocess.Popen(argv, cwd=cwd, env=variables, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            lines = said.read().decode(errors="replace").strip().splitlines() or ["without a word"]
            raise InfrastructureError(f"{Path(argv[0]).name} {' '.join(argv[1:3])}: {process.returncode}: {lines[-1]}")
    return Took(wall_s, usage.ru_utime + usage.ru_stime)


def variables(scratch: Path | None = None) -> dict[str, str]:
    """The environment of what is measured. Python keeps its bytecode, as it does unless told otherwise.

    With `scratch`, it is kept there, so that measuring leaves nothing in the checkout.
    """
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONDONTWRITEBYTECODE", "MAKEFLAGS")}
    return {**kept, "PYTHONPYCACHEPREFIX": str(scratch / "bytecode")} if scratch else kept


@contextmanager
def scratch_folder(chosen: Path | None) -> Iterator[Path]:
    """A folder to work in: `chosen`, which is kept, or a temporary one."""
    if chosen is not None:
        chosen.mkdir(parents=True, exist_ok=True)
        yield chosen.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="redgreen-bench-") as folder:
        yield Path(folder)


def borrow(folder: Path, scratch: Path) -> TaskPlace:
    """The same task under an OUT of our own: documents copied, the installed box shared (runs only overlay it).

    Raises:
        UsageError: not a task's folder, or one that is not installed.
    """
    theirs = task_place(folder)
    if not theirs.document("environment").is_file() or not theirs.box.is_dir():
        raise UsageError(
            f"{folder}: no installed task", "run `make tasks` on its set first, or give OUT/<set>/tasks/<id>"
        )
    ours = task_place(scratch / "out" / theirs.set_folder.name / "tasks" / theirs.id)
    shutil.rmtree(ours.folder, ignore_errors=True)
    shutil.copytree(theirs.folder, ours.folder)
    ours.bulk.mkdir(parents=True, exist_ok=True)
    for shared, place in ((theirs.box, ours.box), (theirs.base, ours.base), (theirs.out / "cache", ours.out / "cache")):
        _link(shared, place)
    _link(theirs.out / "mirrors", ours.out / "mirrors")
    for copied, place in ((theirs.objects, ours.objects), (theirs.out / "images", ours.out / "images")):
        shutil.copytree(copied, place, dirs_exist_ok=True)
    return ours


def _link(target: Path, link: Path) -> None:
    if link.is_symlink():
        link.unlink()
    link.symlink_to(target.resolve())


def machine() -> dict[str, Any]:
    """Where it ran, and how busy that was before anything was measured."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.is_file() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
    return {
        "cores": os.cpu_count(),
        "processor": model,
        "kernel": os.uname().release,
        "load_average_before": [round(load, 2) for load in os.getloadavg()],
    }


def spread(values: Sequence[float]) -> dict[str, float]:
    return {
        "median": round(statistics.median(values), 4),
        "low": round(min(values), 4),
        "high": round(max(values), 4),
        "count": len(values),
    }


def told(values: Mapping[str, float], unit: str = "") -> str:
    """Such as `1.18 (1.10 to 1.31, 5 times)`."""
    low, high = f"{values['low']:.2f}{unit}", f"{values['high']:.2f}{unit}"
    return f"{values['median']:.2f}{unit} ({low} to {high}, {values['count']:.0f} times)"


def save(
    name: str, command: str, where: Mapping[str, Any], findings: Mapping[str, Any], results: Path = RESULTS
) -> None:
    """Write results/<name>.json. `command` is what a reader would type; it holds no path of this machine."""
    content = {"command": command, "machine": where, **findings}
    write_bytes(results / f"{name}.json", (json.dumps(content, indent=1, sort_keys=True) + "\n").encode())
    print(f"written    {name}.json")


def verdict(what: str, measured: float, limit: float, unit: str = "") -> bool:
    """Print one line that compares a measurement with its limit, and say whether it holds."""
    holds = measured <= limit
    print(f"{'holds' if holds else 'MISSED':<10} {what}: {measured:.3f}{unit}, limit {limit:g}{unit}")
    return holds
