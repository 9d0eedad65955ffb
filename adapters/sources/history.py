"""One git process streams the whole history of a repository, as commits with their messages."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path

from redgreen import git
from redgreen.errors import InfrastructureError, UsageError

_FORMAT = "%H%n%P%n%ct%n%at%n%an%n%ae%n%B"


@dataclass(frozen=True)
class Commit:
    """`time` is the committer's, `author_time` the author's, in seconds since 1970. `message` has plain newlines."""

    id: str
    parents: tuple[str, ...]
    time: int
    author_time: int
    author: str
    email: str
    message: str


def read_history(folder: Path, starts: Sequence[str]) -> Generator[Commit, None, None]:
    """All commits reachable from `starts`, children before parents, newest first, as git writes them.

    The process ends with the iterator: close it, or let it run out.

    Raises:
        InfrastructureError: git failed before the end of the history.
    """
    argv = ["git", *git.SAFETY, "--git-dir", str(folder), "log", "--date-order", "-z", "-s", "--no-show-signature"]
    argv += ["--no-notes", "--no-mailmap", "--encoding=UTF-8", f"--format={_FORMAT}", *starts, "--"]
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=complaints, env=git.environment())
        assert isinstance(process.stdout, BufferedIOBase)
        try:
            yield from _records(process.stdout)
            if process.wait():
                complaints.seek(0)
                said = complaints.read().decode(errors="replace").strip().splitlines() or ["failed without a word"]
                raise InfrastructureError(
                    f"git log: {said[-1]}", "the mirror may be damaged: remove it, it is fetched anew"
                )
        finally:
            process.stdout.close()
            process.kill()
            process.wait()


def _records(stream: BufferedIOBase) -> Iterator[Commit]:
    rest = b""
    while chunk := stream.read1(1 << 16):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from map(_commit, whole)


def _commit(record: bytes) -> Commit:
    text = record.decode("utf-8", errors="replace")
    name, parents, time, author_time, author, email, message = text.split("\n", 6)
    message = message.replace("\r\n", "\n").replace("\r", "\n")
    # git prints nothing for a date that it cannot read
    return Commit(name, tuple(parents.split()), int(time or 0), int(author_time or 0), author, email, message)


def find_starts(folder: Path, name: str, prefixes: Sequence[str]) -> tuple[str, dict[str, str]]:
    """HEAD's commit, and the full ids of those prefixes that this repository has.

    Raises:
        UsageError: a shallow or an empty repository, a prefix of several commits.
        InfrastructureError: no git repository.
    """
    if (folder / "shallow").exists():
        raise UsageError(
            f"{name}: the copy is shallow, its history ends early", "fetch it whole: git fetch --unshallow"
        )
    asked = "".join(f"{wanted}^{{commit}}\n" for wanted in ("HEAD", *prefixes)).encode()
    try:
        answers = git.run(["--git-dir", str(folder), "cat-file", "--batch-check"], stdin=asked).decode().splitlines()
    except git.GitError as error:
        raise InfrastructureError(f"{name}: {error}", "is this a git repository?") from None
    head, *found = (answer.split() for answer in answers)
    if head[-1] == "missing":
        raise UsageError(f"{name}: the repository has no commits", "is HEAD the branch that you mean?")
    known = dict(zip(prefixes, found, strict=True))
    for prefix, answer in known.items():
        if answer[-1] == "ambiguous":
            raise UsageError(f"{name}: {prefix} means more than one commit", "give more of the id")
    return head[0], {prefix: answer[0] for prefix, answer in known.items() if answer[-1] != "missing"}


def check_prefixes(commits: Iterable[str]) -> None:
    for commit in commits:
        if not re.fullmatch(r"[0-9a-fA-F]{7,64}", commit):
            raise UsageError(f"{commit!r} is no commit id", "give at least the first 7 hexadecimal digits")
