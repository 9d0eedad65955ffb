"""The patch of a workspace, read from what a real sandbox's overlay kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from git_repository import File, Repository, executable, link

from redgreen.folder import write_tree
from redgreen.git import Store
from redgreen.sandbox import BOX, Command, Mount, Sandbox
from redgreen.workspace_patch import workspace_patch

BASE: dict[str, File] = {
    "a.py": b"a = 1\n",
    "run.sh": b"#!/bin/sh\n",
    "d/one.py": b"one\n",
    "d/two.py": b"two\n",
    "d/e/three.py": b"three\n",
    "d/way": link("e"),
    "to_d": link("d"),
    "to_a": link("a.py"),
    ".gitignore": b"*.log\n/build/\n!kept.log\n",
    "sub/.gitignore": b"*.tmp\n",
    "tracked.log": b"held by git though ignored\n",
    "vendor": ("160000", b"1" * 40),
}
LEAVES_BEHIND = ("*.cache", "kept.log")
LEFTOVER = "pkg.egg-info/PKG-INFO"


CASES: dict[str, tuple[str, dict[str, File | None]]] = {
    "nothing": ("ls >/dev/null", {}),
    "an edited file": ("echo 'a = 2' > a.py", {"a.py": b"a = 2\n"}),
    "new files": ("mkdir -p n/m; echo x > n/m/x.py; : > n/empty", {"n/m/x.py": b"x\n", "n/empty": b""}),
    "a deleted file": ("rm d/one.py", {"d/one.py": None}),
    "a deleted folder": ("rm -r d", {"d/one.py": None, "d/two.py": None, "d/e/three.py": None, "d/way": None}),
    "a renamed file": ("mv a.py b.py", {"a.py": None, "b.py": b"a = 1\n"}),
    "a renamed folder": (
        "mv d f",
        {"d/one.py": None, "d/two.py": None, "d/e/three.py": None, "d/way": None,
         "f/one.py": b"one\n", "f/two.py": b"two\n", "f/e/three.py": b"three\n", "f/way": link("e")},
    ),
    "executable": (
        "chmod +x run.sh; chmod 711 a.py",
        {"run.sh": executable(b"#!/bin/sh\n"), "a.py": executable(b"a = 1\n")},
    ),
    "a touched file": ("touch a.py; chmod 600 run.sh; chmod g+w d", {}),
    "binary": (r"printf '\000\001\377' > x.bin", {"x.bin": b"\0\1\xff"}),
    "a link": ("ln -s ../a.py d/new; ln -sfn e to_d", {"d/new": link("../a.py"), "to_d": link("e")}),
    "a file that becomes a link": ("rm a.py; ln -s run.sh a.py", {"a.py": link("run.sh")}),
    "a link that becomes a folder": (
        "rm to_d; mkdir to_d; echo x > to_d/one.py",
        {"to_d": None, "to_d/one.py": b"x\n"},
    ),
    "a file that becomes a folder": ("rm a.py; mkdir a.py; echo x > a.py/x", {"a.py": None, "a.py/x": b"x\n"}),
    "a file that becomes an empty folder": ("rm a.py; mkdir a.py", {"a.py": None}),
    "a folder that becomes a file": (
        "rm -r d; echo flat > d",
        {"d/one.py": None, "d/two.py": None, "d/e/three.py": None, "d/way": None, "d": b"flat\n"},
    ),
    "a folder that becomes a link": (
        "rm -r d; ln -s sub d",
        {"d/one.py": None, "d/two.py": None, "d/e/three.py": None, "d/way": None, "d": link("sub")},
    ),
    "a folder made anew": (
        "rm -r d; mkdir -p d/e; echo 1 > d/one.py; echo 4 > d/e/four.py",
        {"d/one.py": b"1\n", "d/two.py": None, "d/e/three.py": None, "d/way": None, "d/e/four.py": b"4\n"},
    ),
    "what the base ignores": (
        "mkdir -p build x/y; echo x | tee new.log build/x build/kept.log x/y/deep.log sub/x.tmp x.tmp kept.log",
        {"x.tmp": b"x\n", "kept.log": b"x\n"},
    ),
    "what tools leave behind": ("mkdir t; echo x | tee t/x.cache y.cache", {}),
    "ignored and held by git": ("echo new > tracked.log", {"tracked.log": b"new\n"}),
    "an ignore file of the agent's": (
        "echo '*.py' > .gitignore; echo x > x.py",
        {".gitignore": b"*.py\n", "x.py": b"x\n"},
    ),
    "what the install left": (f"echo more >> {LEFTOVER}; rm -r pkg.egg-info", {}),
    "a repository of the agent's": ("mkdir -p .git/objects; echo x > .git/HEAD; echo x > x.py", {"x.py": b"x\n"}),
    "a file that points to a repository": ("mkdir s; echo 'gitdir: x' > s/.git; echo x > s/x", {"s/x": b"x\n"}),
    "no file at all": ("mkfifo pipe; mkdir -p hollow/hollow", {}),
    "odd names": ("echo x > '-n'; echo x > ':(top)a'; echo x > 'a\tb \"c\".py'; echo x > \"$(printf 'n\\377')\"",
                  {"-n": b"x\n", ":(top)a": b"x\n", 'a\tb "c".py': b"x\n", "n\udcff": b"x\n"}),
    "a file in a submodule's folder": ("echo x > vendor/x", {"vendor": None, "vendor/x": b"x\n"}),
}  # fmt: skip


@dataclass(frozen=True)
class Left:
    """What the scripts of all cases left: one workspace each, in one sandbox."""

    repository: Repository
    store: Store
    base: str
    box: Path
    upper: Path

    def tree(self, what: str) -> str:
        """The tree that the patch of a case's workspace makes of the base."""
        name = str(list(CASES).index(what))
        patch = workspace_patch(
            self.store, self.base, box_tree=self.box / name, upper_tree=self.upper / name, leaves_behind=LEAVES_BEHIND
        )
        return self.store.apply(self.base, patch) if patch else self.base


@pytest.fixture(scope="module")
def left(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Left]:
    folder = tmp_path_factory.mktemp("workspaces")
    repository = Repository(folder / "repository.git")
    store = Store(repository.path, folder / "objects")
    found = Left(repository, store, repository.tree(BASE), folder / "box", folder / "upper")
    script = "set -eu\n"
    for number, (commands, _) in enumerate(CASES.values()):
        write_tree(store, found.base, found.box / str(number))
        (found.box / str(number) / LEFTOVER).parent.mkdir()
        (found.box / str(number) / LEFTOVER).write_text("made by the install\n")
        script += f"cd {BOX}/{number}\n{commands}\n"
    found.upper.mkdir()
    for place in (found.box, found.upper):
        sandbox.own(place)
    finished = sandbox.run(
        Command(["sh", "-c", script], [Mount(found.box, BOX, "overlay", found.upper)], {"PATH": "/usr/bin:/bin"})
    )
    assert finished.exit_status == 0, finished.stderr
    yield found
    for place in (found.box, found.upper, found.upper.with_name("upper.work")):
        sandbox.remove(place)


@pytest.mark.parametrize("what", CASES)
def test_the_patch_makes_of_the_base_what_the_agent_left(left: Left, what: str) -> None:
    _, change = CASES[what]
    wanted = {path: file for path, file in {**BASE, **change}.items() if file is not None}
    assert left.tree(what) == left.repository.tree(wanted)


def test_a_workspace_that_nobody_touched_gives_an_empty_patch(
    store: Store, repository: Repository, tmp_path: Path
) -> None:
    base = repository.tree(BASE)
    assert workspace_patch(store, base, box_tree=tmp_path / "box", upper_tree=tmp_path / "nowhere") == b""
