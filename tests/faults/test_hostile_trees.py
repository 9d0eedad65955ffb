"""Repositories whose trees hold what no checkout may write: a rejection, and nothing outside OUT is touched."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import pytest
from pipeline import TASK, Checkout, keep_images

Tree = dict[str, "tuple[str, str] | Tree"]
"""Name -> mode and object, or a folder. Names are taken as they are: `..` too."""

LICENCE = "MIT License\n\nCopyright (c) 2026 the demo\n\n" + (
    "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated "
    'documentation files (the "Software"), to deal in the Software without restriction.\n'
)


class Hostile:
    """A bare repository of two commits, made object by object, as git itself would refuse to make it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", str(path)], check=True)

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        done = subprocess.run(["git", "-C", str(self.path), *arguments], input=stdin, capture_output=True, check=True)
        return done.stdout.decode().strip()

    def file(self, text: str) -> tuple[str, str]:
        return "100644", self.git("hash-object", "-w", "--stdin", stdin=text.encode())

    def link(self, target: str) -> tuple[str, str]:
        return "120000", self.file(target)[1]

    def tree(self, content: Tree) -> str:
        raw = b""
        for name, entry in sorted(content.items()):
            mode, name_of = ("40000", self.tree(entry)) if isinstance(entry, dict) else entry
            raw += f"{mode} {name}\0".encode() + bytes.fromhex(name_of)
        return self.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=raw)

    def commit(self, content: Tree, message: str, parent: str = "") -> str:
        when = "demo <demo@redgreen.invalid> 1767225600 +0000"
        head = f"tree {self.tree(content)}\n" + (f"parent {parent}\n" if parent else "")
        text = f"{head}author {when}\ncommitter {when}\n\n{message}\n"
        made = self.git("hash-object", "-w", "-t", "commit", "--literally", "--stdin", stdin=text.encode())
        self.git("update-ref", "refs/heads/main", made)
        return made


def project(repository: Hostile, *, fixed: bool) -> Tree:
    sign = "+" if fixed else "-"
    test = "from summing import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
    return {
        "LICENSE": repository.file(LICENCE),
        "summing.py": repository.file(f"def add(a, b):\n    return a {sign} b\n"),
        "test_summing.py": repository.file(test if fixed else "def test_nothing():\n    pass\n"),
    }


def traps(repository: Hostile, canary: Path) -> dict[str, Tree]:
    inner: Tree = {canary.name: {"owned": repository.file("touched\n")}}
    up: Tree = {"..": {"..": {"..": {"..": {"..": inner}}}}}
    return {
        "a folder called ..": up,
        "a folder called .git": {".git": {"config": repository.file("[core]\n\tfsmonitor = touch owned\n")}},
        "a folder called .GIT": {"sub": {".GIT": {"config": repository.file("")}}},
        "a name with a slash": {f"../../../../../{canary.name}/owned": repository.file("touched\n")},
        "an absolute link": {"data": repository.link(str(canary))},
        "a link out of the tree": {"sub": {"data": repository.link(f"../../../../../../{canary.name}")}},
        "a file behind a link": {"data": repository.link(str(canary)), "data/owned": repository.file("touched\n")},
    }


NAMES = [
    "a folder called ..",
    "a folder called .git",
    "a folder called .GIT",
    "a name with a slash",
    "an absolute link",
    "a link out of the tree",
    "a file behind a link",
]


def state(folder: Path) -> str:
    """Digest of every path below and its content."""
    lines = []
    for path in sorted(folder.rglob("*")):
        content = path.read_bytes() if path.is_file() else b""
        lines.append(f"{path.relative_to(folder)} {hashlib.sha256(content).hexdigest()}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@pytest.mark.parametrize("where", ["base", "fix"])
@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_tree_is_rejected_and_nothing_outside_of_out_is_touched(
    checkout: Checkout, undisturbed: Path, tmp_path: Path, name: str, where: str
) -> None:
    world = tmp_path / "w"
    canary, out = world / "canary", world / "a" / "o"
    canary.mkdir(parents=True)
    (canary / "kept").write_text("as it was\n")
    keep_images(undisturbed, out)
    repository = Hostile(world / "hostile.git")
    trap = traps(repository, canary)[name]
    base: Tree = {**project(repository, fixed=False), **(trap if where == "base" else {})}
    fix: Tree = {**project(repository, fixed=True), **trap}
    start = repository.commit(project(repository, fixed=False), "Start")
    parent = repository.commit(base, "Work on it", start)
    repository.commit(fix, "Fix the sum (#7)", parent)
    before = {path: state(path) for path in (canary, repository.path)}

    done = checkout.make("all", "SET=x", f"OUT={out}", f"REPO={repository.path}", "LIMIT=1")

    assert {path: state(path) for path in before} == before
    assert sorted(path.name for path in world.iterdir()) == ["a", "canary", "hostile.git"]
    assert sorted(path.name for path in (world / "a").iterdir()) == ["o"]
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr
    rejected = json.loads((out / "x" / "rejected.jsonl").read_text())
    assert rejected["rejection"]["reason"] == "unsupported"
    assert not list((out / "x" / "boxes").glob("*/base"))


def test_a_link_in_a_patch_that_leads_out_is_a_verdict_not_a_fault(checkout: Checkout, result: Path) -> None:
    spec = result / "spec.yaml"
    spec.write_text(
        "schema_version: 1\nagents:\n  - name: wanderer\n    kind: scripted\n"
        "    commands: {'*': ['ln -s /etc/passwd data']}\n"
    )
    folder = result / "demo" / "runs" / "x" / TASK / "wanderer-1"
    assert checkout.stage("run", folder, "--spec", spec).returncode == 0
    done = checkout.stage("score", folder)
    assert done.returncode == 0, done.stderr
    score = json.loads((folder / "score.json").read_text())
    assert score["resolved"] is False
    assert score["status"] in ("ok", "patch_apply_failed")
