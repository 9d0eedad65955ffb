"""Git trees as plain folders: byte for byte what git holds, and nothing outside the folder.

`git archive` and `git checkout` obey the .gitattributes of the tree that they write: export-ignore leaves files out,
export-subst, eol and filters change bytes. So the objects are written as they are.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from redgreen.errors import Rejected
from redgreen.git import SUBMODULE, SYMLINK, Change, Entry, GitError, Store, shown

REFUSED_NAMES = {b"", b".", b"..", b".git"}
LONGEST_NAME, LONGEST_PATH = 255, 3500
MOST_HOPS = 40
"""Links on the way of one name: the kernel follows no more either."""


def check_path(path: bytes) -> None:
    """Refuse a name that would leave the folder, make it a repository, or fit on no disk.

    Raises:
        Rejected: unsupported.
    """
    parts = path.split(b"/")
    if any(part.lower() in REFUSED_NAMES or b"\0" in part for part in parts):
        raise Rejected("unsupported", f"the tree holds a hostile path: {shown(path)}")
    if len(path) > LONGEST_PATH or any(len(part) > LONGEST_NAME for part in parts):
        raise Rejected("unsupported", f"the tree holds a name that is too long: {shown(path[:60])}…")


def check_link(path: bytes, target: bytes, links: Mapping[bytes, bytes]) -> None:
    """Refuse a link that leads out of the folder, be it on a way through other links of the tree.

    Raises:
        Rejected: unsupported.
    """
    if not target or b"\0" in target or len(target) > LONGEST_PATH:
        raise Rejected("unsupported", f"the tree holds a link that no disk takes: {shown(path)}")
    place = path.split(b"/")[:-1]
    todo, hops = _steps(path, target), 0
    while todo and hops <= MOST_HOPS:
        step = todo.pop(0)
        if step == b"..":
            if not place:
                raise _leads_out(path)
            place.pop()
            continue
        onward = links.get(b"/".join([*place, step]))
        if onward is None:
            place.append(step)
        else:
            todo, hops = _steps(path, onward) + todo, hops + 1


def _steps(path: bytes, target: bytes) -> list[bytes]:
    if target.startswith(b"/"):
        raise _leads_out(path)
    return [step for step in target.split(b"/") if step not in (b"", b".")]


def _leads_out(path: bytes) -> Rejected:
    return Rejected("unsupported", f"the tree holds a link out of itself: {shown(path)}")


def check_entries(store: Store, entries: Sequence[Entry]) -> None:
    """Refuse entries that could not be written safely, before any of them is.

    Raises:
        Rejected: unsupported.
    """
    paths = {entry.path for entry in entries}
    for path in paths:
        check_path(path)
    folders = {path[:place] for path in paths for place in range(len(path)) if path[place : place + 1] == b"/"}
    if len(paths) < len(entries) or paths & folders:
        twice = min(paths & folders) if paths & folders else b"a file"
        raise Rejected("unsupported", f"the tree holds twice: {shown(twice)}")
    names = [entry for entry in entries if entry.mode == SYMLINK]
    targets = store.blobs([entry.object for entry in names])
    links = {entry.path: target for entry, target in zip(names, targets, strict=True)}
    for path, target in links.items():
        check_link(path, target, links)


def check_tree(store: Store, tree: str) -> None:
    """Refuse a tree that could not be written safely, before anything of it is.

    Raises:
        Rejected: unsupported.
    """
    check_entries(store, _entries(store, tree))


def _entries(store: Store, tree: str) -> list[Entry]:
    try:
        return store.entries(tree)
    except GitError as error:
        if "in tree entry" in error.stderr or "too-short tree" in error.stderr:
            raise Rejected("unsupported", f"git cannot read the tree: {error}") from None
        raise


def write_entries(store: Store, entries: Sequence[Entry], folder: Path) -> None:
    """Write files, links and (empty) submodule folders below `folder`, which must be new or ours alone.

    Files first, links last: no file is ever written through a link of the tree.
    """
    check_entries(store, entries)
    root = os.fsencode(folder)
    os.makedirs(root, exist_ok=True)
    files = [entry for entry in entries if entry.mode not in (SYMLINK, SUBMODULE)]
    links = [entry for entry in entries if entry.mode == SYMLINK]
    for entry in (entry for entry in entries if entry.mode == SUBMODULE):
        os.makedirs(root + b"/" + entry.path, exist_ok=True)
    for entry, content in zip(files, store.blobs([entry.object for entry in files]), strict=True):
        _write_file(root + b"/" + entry.path, content, executable=entry.mode == "100755")
    for entry, target in zip(links, store.blobs([entry.object for entry in links]), strict=True):
        place = root + b"/" + entry.path
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.symlink(target, place)


def _write_file(place: bytes, content: bytes, *, executable: bool) -> None:
    os.makedirs(os.path.dirname(place), exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(place, flags, 0o755 if executable else 0o644), "wb") as file:
        file.write(content)


def write_tree(store: Store, tree: str, folder: Path) -> None:
    """Write a whole tree into a new folder.

    Raises:
        Rejected: unsupported, if the tree holds a path or link that leads out of it.
    """
    write_entries(store, _entries(store, tree), folder)


def write_delta(store: Store, changes: Sequence[Change], folder: Path) -> None:
    """Write what turns one tree into another: `files/` to lay over it, and `deleted`, names that end in a NUL byte.

    The supervisor inside the sandbox carries it out, where nothing of the host can be hit.
    """
    kept = [Entry(change.new_mode, change.new, change.path) for change in changes if not change.deleted]
    write_entries(store, kept, folder / "files")
    # a path whose kind changes (file to link, file to folder) has to go before the new one comes
    gone = [change.path for change in changes if change.old_mode != "000000"]
    (folder / "deleted").write_bytes(b"".join(path + b"\0" for path in gone))
