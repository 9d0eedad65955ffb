"""Control groups: a limit for a sandbox as a whole, in memory and in processes, where this process may set one.

cgroup v1 (one hierarchy per controller) and v2 (one for all) are both served, also side by side (hybrid).
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

CONTROLLERS = ("memory", "pids")
OVERHEAD_PROCESSES = 2
"""unshare, and the shell that is PID 1 of the sandbox."""


@dataclass(frozen=True)
class Group:
    """One control group: its folder for each controller (the same twice under v2); empty where none may be made."""

    folders: dict[str, Path]

    def limit(self, memory_bytes: int, processes: int) -> None:
        """Set the limits. Swap counts as memory. Under v2 the kernel ends the whole group when memory is used up."""
        if memory := self.folders.get("memory"):
            # the first file of each pair that exists is v1's, the second v2's; swap is not accounted for everywhere
            _write(memory, ("memory.limit_in_bytes", "memory.max"), str(memory_bytes))
            _write(memory, ("memory.memsw.limit_in_bytes",), str(memory_bytes))
            _write(memory, ("memory.swap.max",), "0")
            _write(memory, ("memory.oom.group",), "1")
        if pids := self.folders.get("pids"):
            _write(pids, ("pids.max",), str(processes + OVERHEAD_PROCESSES))

    @property
    def entrances(self) -> list[Path]:
        """The files to which a process writes "0" to join."""
        return sorted({folder / "cgroup.procs" for folder in self.folders.values()})

    def out_of_memory(self) -> bool:
        """Whether the kernel has ended a process of the group because its memory was used up."""
        if folder := self.folders.get("memory"):
            for name in ("memory.oom_control", "memory.events"):
                with contextlib.suppress(OSError):
                    counts = dict(line.split() for line in (folder / name).read_text().splitlines())
                    return int(counts.get("oom_kill", 0)) > 0
        return False

    def remove(self) -> None:
        """End every process that is still in it, then delete the group. One that stays is left to the next run."""
        deadline = time.monotonic() + 5
        for folder in set(self.folders.values()):
            while folder.exists() and time.monotonic() < deadline:
                with contextlib.suppress(OSError):
                    folder.rmdir()
                    break
                with contextlib.suppress(OSError):
                    for pid in (folder / "cgroup.procs").read_text().split():
                        os.kill(int(pid), signal.SIGKILL)
                time.sleep(0.01)


def create(name: str) -> Group:
    """A group of this name below our own; one left over by an earlier run is ended and removed first."""
    group = Group({controller: parent / name for controller, parent in _parents().items()})
    group.remove()
    made: dict[str, Path] = {}
    for controller, folder in group.folders.items():
        with contextlib.suppress(OSError):
            folder.mkdir(exist_ok=folder in made.values())
            made[controller] = folder
    return Group(made)


def _parents() -> dict[str, Path]:
    """For each controller that we may use, the folder in which a group can be made."""
    parents: dict[str, Path] = {}
    mounted = _mounted()
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in CONTROLLERS:
            if controller in controllers.split(",") and (found := mounted.get(controller)):
                parents[controller] = _below(*found, path)
        if not controllers and (found := mounted.get("")):
            folder = _delegating(_below(*found, path), found[0])
            parents.update({} if folder is None else dict.fromkeys(CONTROLLERS, folder))
    return {controller: folder for controller, folder in parents.items() if os.access(folder, os.W_OK)}


def _mounted() -> dict[str, tuple[Path, str]]:
    """Controller ("" is v2) -> where its hierarchy is mounted, and which of its folders is seen there."""
    mounted = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        front, _, back = line.partition(" - ")
        kind, _, options = back.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            root, point = front.split()[3:5]
            for controller in ("",) if kind == "cgroup2" else options.split(","):
                mounted[controller] = (Path(point), root)
    return mounted


def _below(point: Path, root: str, path: str) -> Path:
    inside = path.removeprefix(root).strip("/")
    folder = point / inside
    return folder if folder.is_dir() and ".." not in inside else point


def _delegating(own: Path, top: Path) -> Path | None:
    """v2: the nearest folder above us that hands the controllers on, and out of which we may move a process."""
    for folder in (own, *own.parents):
        with contextlib.suppress(OSError):
            handed_on = (folder / "cgroup.subtree_control").read_text().split()
            if set(CONTROLLERS) <= set(handed_on) and os.access(folder / "cgroup.procs", os.W_OK):
                return folder
        if folder == top:
            break
    return None


def _write(folder: Path, names: tuple[str, ...], value: str) -> None:
    for name in names:
        if (folder / name).exists():
            (folder / name).write_text(value)
            return
