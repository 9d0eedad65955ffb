"""One bare mirror per repository under OUT/mirrors, fetched when something is missing, safe when several stages ask.

`MIRRORS` (an environment variable) names a folder of local copies to fetch from in place of the network.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redgreen import git
from redgreen.errors import InfrastructureError, UsageError

LOCAL_LAYOUTS = ("{owner}__{name}.git", "{owner}+{name}/repo", "{owner}/{name}.git", "{owner}/{name}", "{name}.git")
_SLUG = re.compile(r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$")
_URL = re.compile(r"^(?:[a-z+]+://|[^/@]+@[^/:]+:)")


def identity(repository: str) -> tuple[str, str]:
    """`owner/name` and what git can clone, from `owner/name`, a URL or the path of a local repository.

    Raises:
        UsageError: none of the three.
    """
    if _URL.match(repository):
        parts = [part for part in re.split(r"[/:]", repository.rstrip("/").removesuffix(".git")) if part]
        if len(parts) >= 3:
            return f"{_safe(parts[-2])}/{_safe(parts[-1])}", repository
        raise UsageError(f"{repository}: no owner and name in this address", "give <host>/<owner>/<name>")
    path = Path(repository).expanduser()
    if repository and ((path / ".git").exists() or (path / "objects").is_dir()):
        return _local_identity(path), str(path.resolve())
    if _SLUG.match(repository) and ".." not in repository:
        return repository, f"https://github.com/{repository}.git"
    raise UsageError(f"{repository}: no repository here", "REPO takes owner/name, a URL, or the path of a clone")


def _local_identity(path: Path) -> str:
    name = path.resolve().name
    if name in ("repo", ".git"):
        name = path.resolve().parent.name
    return f"local/{_safe(name.removesuffix('.git'))}"


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-") or "unnamed"


def mirror_path(out: Path, repo: str) -> Path:
    owner, name = repo.split("/")
    return out / "mirrors" / f"{owner}__{name}.git"


def local_copy(repo: str) -> Path | None:
    """Where the folder named by MIRRORS holds this repository."""
    folder = os.environ.get("MIRRORS")
    if not folder:
        return None
    owner, name = repo.split("/")
    places = (Path(folder) / layout.format(owner=owner, name=name) for layout in LOCAL_LAYOUTS)
    return next((place for place in places if (place / "objects").is_dir() or (place / ".git").exists()), None)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Only one process at a time; a process that dies leaves nothing locked."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def ensure_mirror(out: Path, repo: str, url: str, *, fresh: bool = False, needs: tuple[str, ...] = ()) -> Path:
    """The mirror, cloned if it is not there, fetched if it is `fresh` that is asked for or a commit is missing.

    Raises:
        InfrastructureError: it cannot be reached, is gone, or lacks a commit even after a fetch.
    """
    mirror = mirror_path(out, repo)
    origin = str(local_copy(repo) or url)
    with locked(mirror.with_suffix(".lock")):
        if not mirror.exists():
            _clone(origin, mirror)
        elif fresh or not _holds(mirror, needs):
            _git_or_infrastructure(
                ["--git-dir", str(mirror), "fetch", "--quiet", "--prune", "--", origin, "+refs/*:refs/*"], origin
            )
        if not _holds(mirror, needs):
            missing = next(name for name in needs if not _holds(mirror, (name,)))
            raise InfrastructureError(
                f"{repo}: commit {missing} is not in {origin}",
                "the copy is older than the commit, or history was rewritten",
            )
    return mirror


def _clone(origin: str, mirror: Path) -> None:
    unfinished = mirror.with_name(f".{mirror.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    # --mirror brings refs/pull/* where the host offers them; --local shares objects by hard links
    _git_or_infrastructure(["clone", "--quiet", "--mirror", "--template=", "--", origin, str(unfinished)], origin)
    unfinished.rename(mirror)


def _git_or_infrastructure(arguments: list[str], origin: str) -> None:
    try:
        git.run(arguments)
    except git.GitError as error:
        raise InfrastructureError(
            f"cannot read the repository {origin}: {error}",
            "check the name and the network, or name a folder of local copies: MIRRORS=<folder>",
        ) from None


def _holds(mirror: Path, commits: tuple[str, ...]) -> bool:
    try:
        for commit in commits:
            git.run(["--git-dir", str(mirror), "cat-file", "-e", f"{commit}^{{commit}}"])
    except git.GitError:
        return False
    return True
