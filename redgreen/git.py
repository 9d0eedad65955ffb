"""Git as a store of objects: trees in, trees out. No work tree, no hooks, no configuration but our own.

Everything that redgreen tests is a tree: the base, the base with the fix's tests, the fix, the base with an agent's
patch. Trees are put together in an index from object ids, so no patch has to apply to make them, and what a patch
really did is read from the tree that it made, not from what its text claims.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from redgreen.contract import sha256
from redgreen.errors import InfrastructureError, RedgreenError
from redgreen.unfinished import prefix_in

SYMLINK, SUBMODULE = "120000", "160000"
NOTHING = "0" * 40
FILE_MODES = ("100644", "100755", "120000")

ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "LC_ALL": "C.UTF-8",
}
"""A repository that we only read decides nothing about this machine, and this machine nothing about the bytes."""

NO_ROOM = re.compile(
    r"No space left on device|out of diskspace|Disk quota exceeded|Cannot allocate memory|out of memory", re.IGNORECASE
)
"""The machine's fault, not the answer of git that a caller may take for one (a patch that does not apply, say)."""

SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,  # else ~/.config/git/attributes, whatever GIT_CONFIG_GLOBAL says
    "core.excludesFile": os.devnull,
    "core.protectNTFS": "false",  # names such as git~1 are names like any other here
    "protocol.ext.allow": "never",
}
SAFETY = tuple(word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}"))


class GitError(RedgreenError):
    """Git refused. `stderr` is what it said."""

    def __init__(self, arguments: Sequence[str], stderr: str) -> None:
        lines = [line for line in stderr.splitlines() if line.strip()]
        super().__init__(f"git {arguments[0]}: {lines[-1] if lines else 'failed without a word'}")
        self.stderr = stderr


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The host's environment without its GIT_* variables, ours instead."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or "SSL" in name}
    return {**kept, **ENVIRONMENT, **(extra or {})}


def run(arguments: Sequence[str], *, stdin: bytes = b"", extra: Mapping[str, str] | None = None) -> bytes:
    """Run git to its end and return its standard output.

    Raises:
        GitError: a status other than 0.
        InfrastructureError: there is no git, or no room for what it does, or it was killed.
    """
    try:
        done = subprocess.run(
            ["git", *SAFETY, *arguments], input=stdin, capture_output=True, env=environment(extra), check=False
        )
    except FileNotFoundError:
        raise InfrastructureError("git: not found", "install git") from None
    if done.returncode:
        refused = GitError(arguments, done.stderr.decode(errors="replace"))
        if done.returncode < 0 or NO_ROOM.search(refused.stderr):
            raise InfrastructureError(str(refused), "free some space or memory, then run the same command again")
        raise refused
    return done.stdout


def shown(path: bytes) -> str:
    """A path as documents hold it. Bytes that are not UTF-8 become \\xNN: only for people, git is asked with bytes."""
    return path.decode("utf-8", errors="backslashreplace")


@dataclass(frozen=True)
class Entry:
    mode: str
    object: str
    path: bytes


@dataclass(frozen=True)
class Change:
    """One path that differs between two trees. A missing side has mode 000000 and the null object."""

    path: bytes
    old_mode: str
    new_mode: str
    old: str
    new: str

    @property
    def deleted(self) -> bool:
        return self.new_mode == "000000"

    @property
    def name(self) -> str:
        return shown(self.path)


def digest(changes: Sequence[Change]) -> str:
    """sha256 of a set of changes: their paths, modes and contents, in git's order."""
    lines = (f"{c.old_mode} {c.new_mode} {c.old} {c.new} ".encode() + c.path + b"\0" for c in changes)
    return sha256(b"".join(lines))


class Store:
    """The objects of a mirror, with what we add kept in `objects`, a folder of our own: the mirror is never written."""

    def __init__(self, mirror: Path, objects: Path) -> None:
        self.mirror = mirror
        self.objects = objects
        objects.mkdir(parents=True, exist_ok=True)
        self.extra = {
            "GIT_DIR": str(mirror.resolve()),
            "GIT_OBJECT_DIRECTORY": str(objects.resolve()),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str((mirror / "objects").resolve()),
        }

    def git(self, *arguments: str, stdin: bytes = b"", extra: Mapping[str, str] | None = None) -> bytes:
        return run(arguments, stdin=stdin, extra={**self.extra, **(extra or {})})

    def line(self, *arguments: str) -> str:
        return self.git(*arguments).decode(errors="replace").strip()

    def has(self, name: str) -> bool:
        try:
            self.git("cat-file", "-e", name)
        except GitError:
            return False
        return True

    def tree(self, name: str) -> str:
        """The tree of a commit or a tree."""
        return self.line("rev-parse", "--verify", "--end-of-options", f"{name}^{{tree}}")

    def blob(self, tree: str, path: str) -> bytes | None:
        """The bytes at a path, or None if there is no file."""
        try:
            return self.git("cat-file", "blob", f"{tree}:{path}")
        except GitError:
            return None

    def entries(self, tree: str, *paths: str) -> list[Entry]:
        """All files, links and submodules below a tree (or only below some paths)."""
        listed = self.git("ls-tree", "-r", "-z", "--full-tree", tree, "--", *paths)
        return [_entry(line) for line in listed.split(b"\0") if line]

    def changes(self, old: str, new: str) -> list[Change]:
        """What differs, without guesses about renames, in git's order of paths."""
        return parse_changes(self.git("diff-tree", "-r", "-z", "--raw", "--no-renames", "--full-index", old, new))

    def commit(self, name: str) -> tuple[str, list[str]]:
        """The full id of a commit, and its parents."""
        found, *parents = self.line("rev-list", "--parents", "--max-count=1", name, "--").split()
        return found, parents

    def merge_base(self, ours: str, theirs: str) -> str:
        return self.line("merge-base", ours, theirs)

    def changed_lines(self, old: str, new: str) -> int:
        """Lines added and lines removed, together."""
        stat = self.git("diff", "--numstat", "--no-renames", old, new).decode(errors="replace")
        return sum(int(number) for row in stat.splitlines() for number in row.split("\t")[:2] if number.isdigit())

    def top(self, commit: str) -> list[Entry]:
        """What lies in the root folder of a commit, folders too."""
        listed = self.git("ls-tree", "-z", "--full-tree", commit).split(b"\0")
        return [_entry(line) for line in listed if line]

    def content(self, blob: str) -> bytes:
        return self.git("cat-file", "blob", blob)

    def diff(self, old: str, new: str) -> bytes:
        """A patch that `apply` takes back to exactly `new`."""
        return self.git("diff", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", old, new)

    @contextmanager
    def index(self, tree: str) -> Iterator[dict[str, str]]:
        """A private index that holds `tree`, as the variables that make git use it."""
        home = self.objects.parent
        with tempfile.TemporaryDirectory(dir=home, prefix=prefix_in(home, ".index-")) as folder:
            extra = {"GIT_INDEX_FILE": str(Path(folder).resolve() / "index")}
            self.git("read-tree", tree, extra=extra)
            yield extra

    def mix(self, base: str, changes: Sequence[Change]) -> str:
        """The tree that `base` becomes when it takes over the new side of these changes."""
        with self.index(base) as extra:
            # deletions first: a file may become a folder
            ordered = sorted(changes, key=lambda change: not change.deleted)
            lines = (f"{0 if c.deleted else c.new_mode} {c.new}\t".encode() + c.path + b"\0" for c in ordered)
            self.git("update-index", "-z", "--index-info", stdin=b"".join(lines), extra=extra)
            return self.git("write-tree", "--missing-ok", extra=extra).decode().strip()

    def apply(self, tree: str, patch: bytes, *options: str) -> str:
        """The tree after a patch, whole or not at all.

        Raises:
            GitError: it does not apply, or it names a path that git would not write.
        """
        with self.index(tree) as extra:
            self.git("apply", "--cached", "--whitespace=nowarn", *options, "-", stdin=patch, extra=extra)
            return self.git("write-tree", "--missing-ok", extra=extra).decode().strip()

    def add_blob(self, content: bytes) -> str:
        return self.git("hash-object", "-w", "--stdin", stdin=content).decode().strip()

    def blobs(self, objects: Sequence[str]) -> Iterator[bytes]:
        """The bytes of many objects, in their order, by one process."""
        with subprocess.Popen(
            ["git", *SAFETY, "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(self.extra),
        ) as process:
            assert process.stdin and process.stdout
            try:
                for name in objects:
                    process.stdin.write(name.encode() + b"\n")
                    process.stdin.flush()
                    yield _read_blob(process.stdout, name)
            finally:
                process.stdin.close()


def _read_blob(stream: IO[bytes], name: str) -> bytes:
    head = stream.readline().split()
    if len(head) != 3:
        raise InfrastructureError(
            f"git object {name} is not in the mirror", "the copy is partial: fetch the repository anew"
        )
    size = int(head[2])
    content = stream.read(size)
    stream.read(1)
    return content


def _entry(line: bytes) -> Entry:
    meta, path = line.split(b"\t", 1)
    mode, _, name = meta.decode().split()
    return Entry(mode, name, path)


def parse_changes(raw: bytes) -> list[Change]:
    """What `git diff-tree -z --raw` printed."""
    fields = raw.split(b"\0")
    return [_change(meta, path) for meta, path in zip(fields[0:-1:2], fields[1::2], strict=False)]


def _change(meta: bytes, path: bytes) -> Change:
    old_mode, new_mode, old, new, _ = meta.decode().lstrip(":").split()
    return Change(path, old_mode, new_mode, old, new)


def select(changes: Sequence[Change], chosen: Callable[[str], bool]) -> tuple[list[Change], list[Change]]:
    """Split changes by their path: those chosen, and the rest."""
    yes = [change for change in changes if chosen(change.name)]
    return yes, [change for change in changes if not chosen(change.name)]
