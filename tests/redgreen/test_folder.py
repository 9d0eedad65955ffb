"""Trees as plain folders: byte for byte, and nothing outside, whatever a tree holds."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from git_repository import File, Repository, executable, link

from redgreen.errors import Rejected
from redgreen.folder import write_delta, write_tree
from redgreen.git import Store


def content(folder: Path) -> dict[bytes, tuple[str, bytes]]:
    """Every file and link below a folder: its mode as git names it, and its bytes or target."""
    found: dict[bytes, tuple[str, bytes]] = {}
    for path in sorted(folder.rglob("*")):
        name = os.fsencode(path.relative_to(folder))
        if path.is_symlink():
            found[name] = ("120000", os.fsencode(os.readlink(path)))  # noqa: PTH115 (a Path would tidy the target up)
        elif path.is_file():
            found[name] = ("100755" if path.stat().st_mode & 0o111 else "100644", path.read_bytes())
    return found


def test_a_tree_is_written_byte_for_byte_whatever_its_attributes_ask_for(
    repository: Repository, store: Store, tmp_path: Path
) -> None:
    files: dict[str, File] = {
        ".gitattributes": b"secret export-ignore\n*.txt export-subst eol=crlf ident\n*.bin filter=lfs\n",
        "secret": b"kept\n",
        "a.txt": b"$Format:%H$ $Id$\n",
        "dos.txt": b"one\r\ntwo\r\n",
        "big.bin": b"version https://git-lfs.github.com/spec/v1\n",
        "run": executable(b"#!/bin/sh\n"),
        "d/link": link("../a.txt"),
        "dangling": link("nowhere"),
        "\udcff": b"odd",
        "new\nline": b"",
        "vendor": ("160000", b"1" * 40),
    }
    write_tree(store, repository.tree(files), tmp_path / "out")
    wanted = {os.fsencode(path): file if isinstance(file, tuple) else ("100644", file) for path, file in files.items()}
    del wanted[b"vendor"]
    assert content(tmp_path / "out") == wanted
    assert list((tmp_path / "out" / "vendor").iterdir()) == []


def test_the_umask_and_the_place_decide_nothing(repository: Repository, store: Store, tmp_path: Path) -> None:
    tree = repository.tree({"run": executable(b""), "a": b""})
    before = os.umask(0o022)
    try:
        write_tree(store, tree, tmp_path / "with blank" / "\u00e4")
    finally:
        os.umask(before)
    assert {mode for mode, _ in content(tmp_path / "with blank" / "\u00e4").values()} == {"100644", "100755"}


Hostile = Callable[[Repository], str]


def _file(repository: Repository, name: bytes) -> str:
    return repository.raw_tree([("100644", name, repository.blob(b"evil\n"))])


def _below(repository: Repository, folder: bytes, name: bytes = b"x") -> str:
    return repository.raw_tree([("40000", folder, _file(repository, name))])


def _link(repository: Repository, target: bytes, folder: bytes | None = None) -> str:
    inner = repository.raw_tree([("120000", b"way", repository.blob(target))])
    return repository.raw_tree([("40000", folder, inner)]) if folder else inner


def _through_a_link(repository: Repository) -> str:
    """A link and a folder of one name: what is written into the folder must not follow the link."""
    inner = repository.raw_tree([("100644", b"x", repository.blob(b"evil\n"))])
    return repository.raw_tree([("120000", b"way", repository.blob(b"..")), ("40000", b"way", inner)])


HOSTILE: dict[str, Hostile] = {
    "..": lambda r: _file(r, b".."),
    "../x": lambda r: _below(r, b".."),
    "name with a slash": lambda r: _file(r, b"../outside"),
    "absolute name": lambda r: _file(r, b"/outside"),
    ".": lambda r: _file(r, b"."),
    "empty name": lambda r: _file(r, b""),
    ".git": lambda r: _file(r, b".git"),
    ".git/config": lambda r: _below(r, b".git", b"config"),
    ".GIT/hooks": lambda r: _below(r, b".GiT", b"hooks"),
    "d/.git": lambda r: _below(r, b"d", b".git"),
    "absolute link": lambda r: _link(r, b"/etc/passwd"),
    "link up": lambda r: _link(r, b".."),
    "link up from below": lambda r: _link(r, b"../../outside", b"d"),
    "link up in the middle": lambda r: _link(r, b"d/../../outside"),
    "link to nothing": lambda r: _link(r, b""),
    "link with a null byte": lambda r: _link(r, b"a\0b"),
    "link as long as a book": lambda r: _link(r, b"a/" * 9000),
    "link in place of a folder": _through_a_link,
    "the same file twice": lambda r: r.raw_tree([("100644", b"a", r.blob(b"1")), ("100644", b"a", r.blob(b"2"))]),
    "a file in place of a folder": lambda r: r.raw_tree(
        [("100644", b"a", r.blob(b"1")), ("40000", b"a", _file(r, b"x"))]
    ),
    "a name that no disk takes": lambda r: _file(r, b"n" * 300),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_tree_is_rejected_and_nothing_is_written_outside(
    repository: Repository, store: Store, tmp_path: Path, name: str
) -> None:
    tree = HOSTILE[name](repository)
    cage = tmp_path / "cage"
    cage.mkdir()
    with pytest.raises(Rejected) as caught:
        write_tree(store, tree, cage / "out")
    assert caught.value.reason == "unsupported"
    assert "\n" not in str(caught.value)
    assert set(cage.iterdir()) <= {cage / "out"}
    assert not Path("/outside").exists()


@pytest.mark.parametrize(
    "links",
    [
        {"d/up": "..", "way": "d/up/../outside"},
        {"a/b/c/up": "../../..", "way": "a/b/c/up/../../outside"},
        {"one": "d", "d/up": "..", "way": "one/up/../outside"},
    ],
)
def test_links_that_lead_out_only_together_are_rejected(
    repository: Repository, store: Store, tmp_path: Path, links: dict[str, str]
) -> None:
    """Each alone seems to stay inside; the way of the last one goes through the first."""
    tree = repository.tree({"d/file": b"", **{path: link(target) for path, target in links.items()}})
    with pytest.raises(Rejected, match="link out of itself"):
        write_tree(store, tree, tmp_path / "out")


@pytest.mark.parametrize(
    "links",
    [
        {"d/up": "..", "d/other": "up/d/file"},
        {"way": "d/../d/file", "self": ".", "d/e/deep": "../../d/./file"},
        {"round": "about", "about": "round"},
        {"d/root": ".."},
        {"way": "nowhere/../d"},
    ],
)
def test_links_that_stay_inside_are_written(
    repository: Repository, store: Store, tmp_path: Path, links: dict[str, str]
) -> None:
    tree = repository.tree({"d/file": b"", **{path: link(target) for path, target in links.items()}})
    write_tree(store, tree, tmp_path / "out")
    assert {
        os.fsdecode(path): os.fsdecode(target)
        for path, (mode, target) in content(tmp_path / "out").items()
        if mode == "120000"
    } == links


def test_an_existing_file_is_never_overwritten(repository: Repository, store: Store, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "elsewhere").write_text("mine\n")
    (tmp_path / "out" / "a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        write_tree(store, repository.tree({"a": b"theirs\n"}), tmp_path / "out")
    assert (tmp_path / "elsewhere").read_text() == "mine\n"


def test_a_delta_holds_new_files_and_the_names_of_what_has_to_go_first(
    repository: Repository, store: Store, tmp_path: Path
) -> None:
    old = repository.tree({"same": b"s", "changed": b"1", "gone": b"g", "kind": b"file", "\udcff": b"odd"})
    new = repository.tree({"same": b"s", "changed": b"2", "kind": link("same"), "added/run": executable(b"r")})
    write_delta(store, store.changes(old, new), tmp_path / "delta")
    assert content(tmp_path / "delta" / "files") == {
        b"changed": ("100644", b"2"),
        b"kind": ("120000", b"same"),
        b"added/run": ("100755", b"r"),
    }
    gone = (tmp_path / "delta" / "deleted").read_bytes().split(b"\0")
    assert sorted(gone) == [b"", b"changed", b"gone", b"kind", b"\xff"]
