"""The patch of a workspace: the difference between the base tree and what an agent left, read from the overlay's upper side.

Only what changed is looked at. Ignored by rule: what the base's own ignore files name and git does not hold, and what the
install had put into the tree already (build leftovers). A `.git` that the agent made is not part of the tree.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from redgreen.git import NOTHING, SUBMODULE, SYMLINK, Change, GitError, Store


def workspace_patch(store: Store, base_tree: str, *, base: Path, box_tree: Path, upper_tree: Path) -> bytes:
    """A diff from `base_tree` to the workspace whose changes lie in `upper_tree` (which need not exist)."""
    held = {entry.path: entry for entry in store.entries(base_tree)}
    kinds = {path: (entry.mode, entry.object) for path, entry in held.items() if entry.mode != SUBMODULE}
    changes: list[Change] = []
    for path, place in _upper_files(upper_tree, box_tree):
        old_mode, old = kinds.get(path, ("000000", NOTHING))
        if place is None:
            if path in kinds:
                changes.append(Change(path, old_mode, "000000", old, NOTHING))
            continue
        mode, content = _content(place)
        changes.append(Change(path, old_mode, mode, old, store.add_blob(content)))
    new = [change.path for change in changes if change.path not in kinds]
    left_out = _ignored(store, base, new) | {path for path in new if os.path.lexists(os.path.join(os.fsencode(box_tree), path))}
    kept = [change for change in changes if change.path not in left_out]
    return store.diff(base_tree, store.mix(base_tree, kept))


def _upper_files(upper: Path, lower: Path) -> Iterator[tuple[bytes, bytes | None]]:
    """Each changed path with the place of its new content, or with None if it was deleted."""
    top, below = os.fsencode(upper), os.fsencode(lower)
    if not os.path.isdir(top):
        return
    for folder, folders, files in os.walk(top):
        inner = os.path.relpath(folder, top)
        inner = b"" if inner == b"." else inner
        folders[:] = sorted(name for name in folders if name != b".git")
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        present = {*files, *folders}
        if _opaque(folder):
            for gone in _below(below, inner, present):
                yield gone, None
        for name in sorted([*files, *links]):
            path = os.path.join(inner, name)
            place = os.path.join(folder, name)
            mode = os.lstat(place).st_mode
            replaced = os.path.join(below, path)
            if os.path.isdir(replaced) and not os.path.islink(replaced):
                for gone in _below(below, path, set()):
                    yield gone, None
            if stat.S_ISCHR(mode):
                yield path, None
            elif stat.S_ISREG(mode) or stat.S_ISLNK(mode):
                yield path, place


def _opaque(folder: bytes) -> bool:
    """Whether the overlay shows nothing of the lower folder here."""
    for name in ("trusted.overlay.opaque", "user.overlay.opaque"):
        try:
            if os.getxattr(folder, name) == b"y":
                return True
        except OSError:
            continue
    return False


def _below(lower: bytes, inner: bytes, kept: set[bytes]) -> Iterator[bytes]:
    """All files of a lower folder that the upper side hides."""
    for folder, _, files in os.walk(os.path.join(lower, inner)):
        for name in files:
            path = os.path.relpath(os.path.join(folder, name), lower)
            if os.path.relpath(path, inner or b".").split(b"/")[0] not in kept:
                yield path


def _content(place: bytes) -> tuple[str, bytes]:
    status = os.lstat(place)
    if stat.S_ISLNK(status.st_mode):
        return SYMLINK, os.readlink(place)
    with open(place, "rb") as file:
        return ("100755" if status.st_mode & 0o100 else "100644"), file.read()


def _ignored(store: Store, base: Path, paths: list[bytes]) -> set[bytes]:
    """New paths that the base's own .gitignore files leave out; the agent's edits of those files count for nothing."""
    if not paths:
        return set()
    try:
        out = store.git(
            "check-ignore", "-z", "--no-index", "--stdin", stdin=b"\0".join(paths) + b"\0", extra={"GIT_WORK_TREE": str(base)}
        )
    except GitError:  # exit status 1: none is ignored
        return set()
    return set(filter(None, out.split(b"\0")))
