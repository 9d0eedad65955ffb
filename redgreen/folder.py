"""Git trees as plain folders: byte for byte what git holds, and nothing outside the folder.

`git archive` and `git checkout` obey the .gitattributes of the tree that they write: export-ignore leaves files out,
export-subst, eol and filters change bytes. So the objects are written as they are.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence
from pathlib import Path

from redgreen.errors import Rejected
from redgreen.git import SUBMODULE, SYMLINK, Change, Entry, Store, shown

REFUSED_NAMES = {b"", b".", b"..", b".git"}


def check_path(path: bytes) -> None:
    """Refuse a name that would leave the folder, or make it a repository.

    Raises:
        Rejected: unsupported.
    """
    parts = path.split(b"/")
    if any(part.lower() in REFUSED_NAMES or b"\0" in part for part in parts):
        raise Rejected("unsupported", f"the tree holds a hostile path: {shown(path)}")


def check_link(path: bytes, target: bytes) -> None:
    """Refuse a link that leads out of the folder."""
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if target.startswith(b"/") or joined == b".." or joined.startswith(b"../"):
        raise Rejected("unsupported", f"the tree holds a link out of itself: {shown(path)} -> {shown(target)}")


def write_entries(store: Store, entries: Sequence[Entry], folder: Path) -> None:
    """Write files, links and (empty) submodule folders below `folder`, which must be new or ours alone.

    Files first, links last: no file is ever written through a link of the tree.
    """
    for entry in entries:
        check_path(entry.path)
    root = os.fsencode(folder)
    os.makedirs(root, exist_ok=True)  # noqa: PTH103 (bytes paths: names need not be UTF-8)
    files = [entry for entry in entries if entry.mode not in (SYMLINK, SUBMODULE)]
    links = [entry for entry in entries if entry.mode == SYMLINK]
    for entry in (entry for entry in entries if entry.mode == SUBMODULE):
        os.makedirs(root + b"/" + entry.path, exist_ok=True)  # noqa: PTH103
    for entry, content in zip(files, store.blobs([entry.object for entry in files]), strict=True):
        _write_file(root + b"/" + entry.path, content, executable=entry.mode == "100755")
    for entry, target in zip(links, store.blobs([entry.object for entry in links]), strict=True):
        check_link(entry.path, target)
        place = root + b"/" + entry.path
        os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120
        os.symlink(target, place)


def _write_file(place: bytes, content: bytes, *, executable: bool) -> None:
    os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(place, flags, 0o755 if executable else 0o644), "wb") as file:
        file.write(content)


def write_tree(store: Store, tree: str, folder: Path) -> None:
    """Write a whole tree into a new folder.

    Raises:
        Rejected: unsupported, if the tree holds a path or link that leads out of it.
    """
    write_entries(store, store.entries(tree), folder)


def write_delta(store: Store, changes: Sequence[Change], folder: Path) -> None:
    """Write what turns one tree into another: `files/` to lay over it, and `deleted`, names that end in a NUL byte.

    The supervisor inside the sandbox carries it out, where nothing of the host can be hit.
    """
    kept = [Entry(change.new_mode, change.new, change.path) for change in changes if not change.deleted]
    write_entries(store, kept, folder / "files")
    # a path whose kind changes (file to link, file to folder) has to go before the new one comes
    gone = [change.path for change in changes if change.old_mode != "000000"]
    (folder / "deleted").write_bytes(b"".join(path + b"\0" for path in gone))
