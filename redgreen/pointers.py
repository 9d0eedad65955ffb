"""A public task set as pointers and facts: `tasks/<version>/<id>.json`, and each lock once in `locks/`.

No line of any project is in there: what a task consists of is derived from git when it runs, and held against the
facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path

from redgreen.contract import dump, load, sha256, write_if_changed
from redgreen.documents import Pointer, SetSpec, SuiteDigest, Task
from redgreen.errors import UsageError

NO_LIMIT = 1 << 30


def suite_of(test: str) -> str:
    """The file, or other suite, that a test's id names before its first `::`."""
    return test.partition("::")[0]


def suite_digests(tests: Iterable[str]) -> dict[str, SuiteDigest]:
    """How many tests each file has, and the sha256 of their sorted lines."""
    grouped = groupby(sorted(tests, key=lambda test: (suite_of(test), test)), key=suite_of)
    return {suite: _digest(list(members)) for suite, members in grouped}


def _digest(tests: list[str]) -> SuiteDigest:
    lines = "".join(f"{test}\n" for test in tests)
    return SuiteDigest(count=len(tests), sha256=sha256(lines.encode("utf-8", "surrogatepass")))


def pointer(task: Task) -> Pointer:
    """What is kept of an accepted task."""
    assert task.task and task.workspace and task.environment and task.lock
    return Pointer(
        candidate=task.candidate,
        workspace=task.workspace,
        environment=task.environment,
        lock=task.lock.sha256,
        fail_to_pass=task.task.fail_to_pass,
        pass_to_pass=suite_digests(task.task.pass_to_pass),
        flaky=task.task.flaky,
        gold_exit_statuses=task.task.gold_exit_statuses,
    )


def lock_path(folder: Path, digest: str) -> Path:
    return folder / "locks" / f"{digest[:16]}.txt"


def pin(task: Task, lock: bytes, folder: Path) -> Path:
    """Keep an accepted task in a public set."""
    kept = pointer(task)
    write_if_changed(lock_path(folder, kept.lock), lock)
    path = folder / f"{task.id}.json"
    write_if_changed(path, dump(kept).encode())
    return path


def read(folder: Path) -> dict[str, Pointer]:
    """All pointers of a set, by id.

    Raises:
        UsageError: the set is empty, or a file does not say what its name says.
    """
    found = {path.stem: load(path, Pointer) for path in sorted(folder.glob("*__*.json"))}
    if not found:
        raise UsageError(f"{folder}: no task is pinned here", "fill it with `make pin SET=<set> TO=<version>`")
    for name, kept in found.items():
        if kept.candidate.id != name:
            raise UsageError(
                f"{folder / name}.json: $.candidate.id: is {kept.candidate.id}", "name the file after the id"
            )
    return found


def as_mirror_specs(spec: SetSpec, pinned: Mapping[str, Pointer]) -> list[SetSpec]:
    """The pinned fixes as something that the mirror source finds: for each repository, their commits."""
    candidates = [kept.candidate for kept in pinned.values()]
    specs = []
    for url in dict.fromkeys(candidate.url for candidate in candidates):
        ours = [candidate for candidate in candidates if candidate.url == url]
        wanted = {
            "source": "mirror",
            "repos": (url,),
            "commits": tuple(sorted(candidate.commit for candidate in ours)),
            "licences": tuple(sorted({candidate.licence for candidate in ours if candidate.licence})),
            "max_source_files": NO_LIMIT,
            "max_changed_lines": NO_LIMIT,
        }
        specs.append(spec.model_copy(update=wanted))
    return specs


def lay_out(pinned: Mapping[str, Pointer], folder: Path, tasks: Path) -> None:
    """Put each pointer and its lock where install looks for them."""
    for name, kept in pinned.items():
        path = lock_path(folder, kept.lock)
        if not path.is_file():
            raise UsageError(f"{path}: the lock of {name} is missing", "restore it from git")
        write_if_changed(tasks / name / "pointer.json", dump(kept).encode())
        write_if_changed(tasks / name / "pinned.lock.txt", path.read_bytes())


def differences(recorded: Pointer, rebuilt: Pointer) -> list[str]:
    """What a rebuild shows otherwise than was recorded, one line a fact; empty if it holds.

    The patch version of the runtime may differ: the minor version is what the task is about.
    """
    told = []
    for name in ("base_commit", "fix_commit", "merged_at", "statement"):
        told += _compare(name, getattr(recorded.candidate, name), getattr(rebuilt.candidate, name))
    for name in ("base_tree", "tests_tree", "fix_tree", "source_half", "test_half"):
        told += _compare(name, getattr(recorded.workspace, name), getattr(rebuilt.workspace, name))
    told += _compare("lock", recorded.lock, rebuilt.lock)
    told += _compare("fail_to_pass", set(recorded.fail_to_pass), set(rebuilt.fail_to_pass))
    for suite in sorted({*recorded.pass_to_pass, *rebuilt.pass_to_pass}):
        was, now = recorded.pass_to_pass.get(suite), rebuilt.pass_to_pass.get(suite)
        if was != now:
            told.append(
                f"pass_to_pass in {suite}: {was.count if was else 0} recorded, {now.count if now else 0} rebuilt"
            )
    return told + _compare("flaky", set(recorded.flaky), set(rebuilt.flaky))


def _compare(name: str, was: object, now: object) -> list[str]:
    if was == now:
        return []
    if isinstance(was, set) and isinstance(now, set):
        lost, new = sorted(was - now), sorted(now - was)
        return [f"{name}: lost {lost[:3]}, new {new[:3]}"]
    return [f"{name}: {was} recorded, {now} rebuilt"]
