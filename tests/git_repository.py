"""Real git repositories for tests, built from objects: no work tree, no clock, hostile trees included."""

from __future__ import annotations

import hashlib
import os
import subprocess
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

File = bytes | tuple[str, bytes]
"""The content of an ordinary file, or a mode (100755, 120000, 160000) with the content, target or commit."""

IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "test"), ("EMAIL", "test@example.invalid"), ("DATE", "2026-02-01T10:00:00Z"))
}


def link(target: str) -> File:
    return "120000", target.encode()


def executable(content: bytes) -> File:
    return "100755", content


class Repository:
    """A bare repository."""

    def __init__(self, path: Path) -> None:
        self.path = path
        subprocess.run(["git", "init", "--quiet", "--bare", "--template=", str(path)], check=True)

    def git(self, *arguments: str, stdin: bytes = b"", index: str | None = None) -> str:
        variables = {**os.environ, **IDENTITY, "GIT_DIR": str(self.path), "GIT_CONFIG_GLOBAL": os.devnull}
        if index:
            variables["GIT_INDEX_FILE"] = index
        done = subprocess.run(["git", *arguments], input=stdin, capture_output=True, env=variables, check=True)
        return done.stdout.decode(errors="surrogateescape").strip()

    def write(self, kind: str, content: bytes) -> str:
        """A loose object, unchecked; written here because a process for each would take most of the tests' time."""
        whole = f"{kind} {len(content)}\0".encode() + content
        name = hashlib.sha1(whole).hexdigest()
        place = self.path / "objects" / name[:2] / name[2:]
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(zlib.compress(whole, 1))
        return name

    def blob(self, content: bytes) -> str:
        return self.write("blob", content)

    def tree(self, files: Mapping[str, File]) -> str:
        """A tree from paths; bytes that are not UTF-8 stand in a path as surrogates."""
        lines = []
        for path, file in files.items():
            mode, content = file if isinstance(file, tuple) else ("100644", file)
            name = content.decode() if mode == "160000" else self.blob(content)
            lines.append(f"{mode} {name}\t".encode() + os.fsencode(path) + b"\0")
        index = self.path / "index-of-tests"
        index.unlink(missing_ok=True)
        self.git("update-index", "-z", "--index-info", stdin=b"".join(lines), index=str(index))
        return self.git("write-tree", "--missing-ok", index=str(index))

    def raw_tree(self, entries: Sequence[tuple[str, bytes, str]]) -> str:
        """One tree object of (mode, name, object), unchecked: names that git itself would refuse to write."""
        content = b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(found) for mode, name, found in entries)
        return self.write("tree", content)

    def commit(self, tree: str, *parents: str, message: str = "change") -> str:
        named = [word for parent in parents for word in ("-p", parent)]
        made = self.git("commit-tree", tree, *named, stdin=message.encode())
        self.git("update-ref", "refs/heads/main", made)
        return made
