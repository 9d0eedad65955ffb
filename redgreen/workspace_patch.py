"""The patch of a workspace: the difference between the base tree and what an agent left, read from the overlay's upper
side.

Only what changed is looked at. Ignored by rule: what the base's own ignore files name and git does not hold, what the
language's tools leave behind, and what the install had put into the tree already (build leftovers). A `.git` that the
agent made is not part of the tree.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from redgreen.folder import write_entries
from redgreen.git import NOTHING, SUBMODULE, SYMLINK, Change, Entry, GitError, Store


def workspace_patch(
    store: Store, base_tree: str, *, box_tree: Path, upper_tree: Path, leaves_behind: Sequence[str] = ()
) -> bytes:
    """A diff from `base_tree` to the workspace whose changes lie in `upper_tree` (which need not exist).

    `leaves_behind`: lines of a .gitignore, which the base's own rules may overrule.
    """
    entries = store.entries(base_tree)
    held = {entry.path: (entry.mode, entry.object) for entry in entries if entry.mode != SUBMODULE}
    touched = dict(_upper_files(upper_tree, box_tree))
    new = [path for path in touched if path not in held]
    left_out = {path for path in new if touched[path] is None or _is_leftover(os.fsencode(box_tree), path)}
    left_out |= _ignored(store, entries, [path for path in new if path not in left_out], leaves_behind)
    changes: list[Change] = []
    for path, place in touched.items():
        if path in left_out:
            continue
        old_mode, old = held.get(path, ("000000", NOTHING))
        mode, new_object = ("000000", NOTHING) if place is None else _content(store, place)
        changes.append(Change(path, old_mode, mode, old, new_object))
    return store.diff(base_tree, store.mix(base_tree, changes))


def _upper_files(upper: Path, lower: Path) -> Iterator[tuple[bytes, bytes | None]]:
    """Each changed path with the place of its new content, or with None if it was deleted.

    What hides something of the lower side comes before what stands there now: of two words on one path the last counts.
    """
    top, below = os.fsencode(upper), os.fsencode(lower)
    for folder, folders, files in os.walk(top):
        folders[:] = sorted(name for name in folders if name.lower() != b".git")
        inner = os.path.relpath(folder, top)
        if _opaque(folder) or not _is_folder(os.path.join(below, inner)):
            yield from ((gone, None) for gone in _below(below, inner))
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in sorted([*files, *links]):
            if name.lower() == b".git":
                continue  # a file of this name points to a repository: a submodule's, or a worktree's
            path = os.path.normpath(os.path.join(inner, name))
            yield from ((gone, None) for gone in _below(below, path))
            place = os.path.join(folder, name)
            mode = os.lstat(place).st_mode
            yield path, place if stat.S_ISREG(mode) or stat.S_ISLNK(mode) else None


def _is_leftover(lower: bytes, path: bytes) -> bool:
    """Whether the install left a file or link of this name; what is only reached through a link is another name's."""
    parts = path.split(b"/")
    ways = [os.path.join(lower, *parts[:depth]) for depth in range(1, len(parts))]
    place = os.path.join(lower, path)
    return all(map(_is_folder, ways)) and os.path.lexists(place) and not _is_folder(place)


def _is_folder(place: bytes) -> bool:
    return os.path.isdir(place) and not os.path.islink(place)


def _opaque(folder: bytes) -> bool:
    """Whether the overlay shows nothing of the lower folder here."""
    for name in ("trusted.overlay.opaque", "user.overlay.opaque"):
        try:
            if os.getxattr(folder, name) == b"y":
                return True
        except OSError:
            continue
    return False


def _below(lower: bytes, inner: bytes) -> Iterator[bytes]:
    """All files and links of the lower side at a path, or below it."""
    start = os.path.join(lower, inner)
    if not _is_folder(start):
        if os.path.lexists(start):
            yield os.path.normpath(inner)
        return
    for folder, folders, files in os.walk(start):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in [*files, *links]:
            yield os.path.relpath(os.path.join(folder, name), lower)


def _content(store: Store, place: bytes) -> tuple[str, str]:
    """Mode and object of a file or link."""
    status = os.lstat(place)
    if stat.S_ISLNK(status.st_mode):
        return SYMLINK, store.add_blob(os.readlink(place))
    with open(place, "rb") as file:
        return ("100755" if status.st_mode & 0o100 else "100644"), store.add_blob(file.read())


def _ignored(
    store: Store, entries: Sequence[Entry], paths: Sequence[bytes], leaves_behind: Sequence[str]
) -> set[bytes]:
    """New paths that the base's own .gitignore files or the language leave out; the agent's edits of those files count
    for nothing."""
    rules = [entry for entry in entries if os.path.basename(entry.path) == b".gitignore" and entry.mode != SYMLINK]
    if not paths or not (rules or leaves_behind):
        return set()
    with tempfile.TemporaryDirectory(dir=store.objects.parent, prefix=".ignore-") as folder:
        tree, excludes = Path(folder, "tree").resolve(), Path(folder, "excludes").resolve()
        tree.mkdir()
        write_entries(store, rules, tree)
        excludes.write_text("".join(f"{line}\n" for line in leaves_behind))
        # a literal pathspec is more than check-ignore understands; `./` keeps a name from being read as a pattern
        extra = {"GIT_WORK_TREE": str(tree), "GIT_LITERAL_PATHSPECS": "0"}
        asked = b"".join(b"./" + path + b"\0" for path in paths)
        options = ("-c", f"core.excludesFile={excludes}")
        try:
            out = store.git(*options, "check-ignore", "-z", "--no-index", "--stdin", stdin=asked, extra=extra)
        except GitError as error:
            if error.stderr.strip():
                raise
            return set()  # exit status 1 and no word: none is ignored
    return {path.removeprefix(b"./") for path in out.split(b"\0") if path}
