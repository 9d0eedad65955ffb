"""The verdict: which tree is tested, whatever a patch did to the tests, and what a run of it is worth."""

from __future__ import annotations

from typing import Any

import pytest
from git_repository import File, Repository, executable, link

from adapters.languages.python import Python
from redgreen.documents import Run, Verified
from redgreen.git import GitError, Store
from redgreen.verdict import apply_patch, judge, normal_patch, scored_tree

LANGUAGE = Python()
BASE: dict[str, File] = {
    "src/core.py": b"def double(n):\n    return n\n\n\ndef name():\n    return 'core'\n",
    "src/dos.py": b"one\r\ntwo\r\nthree\r\n",
    "src/no_newline.txt": b"last line",
    "data/logo.bin": bytes(range(256)),
    "run.sh": b"#!/bin/sh\n",
    "tests/test_core.py": b"def test_double():\n    assert True\n",
    "tests/test_name.py": b"def test_name():\n    assert True\n",
    "pytest.ini": b"[pytest]\n",
}
FIX = {
    **BASE,
    "src/core.py": b"def double(n):\n    return 2 * n\n\n\ndef name():\n    return 'core'\n",
    "tests/test_core.py": b"def test_double():\n    assert double(2) == 4\n",
    "tests/test_more.py": b"def test_more():\n    assert double(3) == 6\n",
}


class Scene:
    """The base and the fix in a repository, and what becomes of a patch that leaves `files`."""

    def __init__(self, repository: Repository, store: Store) -> None:
        self.repository, self.store = repository, store
        self.base, self.fix = repository.tree(BASE), repository.tree(FIX)

    def patch_to(self, files: dict[str, File]) -> bytes:
        return self.store.diff(self.base, self.repository.tree(files))

    def score(self, patch: bytes) -> Any:
        return scored_tree(self.store, self.base, self.fix, patch, LANGUAGE)

    def listing(self, tree: str) -> dict[str, tuple[str, bytes]]:
        entries = self.store.entries(tree)
        contents = self.store.blobs([entry.object for entry in entries])
        return {entry.path.decode(): (entry.mode, content) for entry, content in zip(entries, contents, strict=True)}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    folder = tmp_path_factory.mktemp("verdict")
    repository = Repository(folder / "repository.git")
    return Scene(repository, Store(repository.path, folder / "objects"))


FIXED_SOURCE: dict[str, File] = {"src/core.py": FIX["src/core.py"]}


@pytest.mark.parametrize(
    ("name", "change", "tampered"),
    [
        ("an edited test", {"tests/test_core.py": b"def test_double(): pass\n"}, ("tests/test_core.py",)),
        (
            "a test that the fix leaves alone",
            {"tests/test_name.py": b"def test_name(): pass\n"},
            ("tests/test_name.py",),
        ),
        ("an added conftest.py", {"conftest.py": b"import os; os._exit(0)\n"}, ("conftest.py",)),
        ("a conftest.py below", {"src/conftest.py": b"x = 1\n"}, ("src/conftest.py",)),
        ("a deleted test", {"tests/test_name.py": None}, ("tests/test_name.py",)),
        (
            "a renamed test",
            {"tests/test_name.py": None, "tests/test_other.py": b"def test_name(): pass\n"},
            ("tests/test_name.py", "tests/test_other.py"),
        ),
        ("runner configuration", {"pytest.ini": b"[pytest]\naddopts = -k nothing\n"}, ("pytest.ini",)),
        (
            "another configuration",
            {"tox.ini": b"[pytest]\n", "setup.cfg": b"[tool:pytest]\n"},
            ("setup.cfg", "tox.ini"),
        ),
        ("a startup file", {"sitecustomize.py": b"print(1)\n"}, ("sitecustomize.py",)),
        ("a shadow of the runner", {"pytest.py": b"raise SystemExit(0)\n"}, ("pytest.py",)),
        (
            "the mode of a test",
            {"tests/test_core.py": executable(b"def test_double():\n    assert True\n")},
            ("tests/test_core.py",),
        ),
        (
            "the fix's own new test, weakened",
            {"tests/test_more.py": b"def test_more(): pass\n"},
            ("tests/test_more.py",),
        ),
        ("a test as a link", {"tests/test_core.py": link("../src/core.py")}, ("tests/test_core.py",)),
    ],
)
def test_what_decides_tests_comes_from_the_fix_whatever_a_patch_did_to_it(
    scene: Scene, name: str, change: dict[str, File | None], tampered: tuple[str, ...]
) -> None:
    files = {path: file for path, file in {**BASE, **FIXED_SOURCE, **change}.items() if file is not None}
    applied = scene.score(scene.patch_to(files))
    assert applied.tampered == tampered
    assert applied.tree == scene.fix, "the source is the fix's, so that the whole tree has to be"


def test_a_folder_of_tests_that_became_a_link_is_a_folder_again(scene: Scene) -> None:
    files = {path: file for path, file in BASE.items() if not path.startswith("tests/")}
    files |= {"tests": link("easy"), "easy/test_core.py": b"def test_double(): pass\n"}
    applied = scene.score(scene.patch_to(files))
    listing = scene.listing(applied.tree)
    assert "tests" not in listing
    assert {path for path in listing if path.startswith("tests/")} == {
        "tests/test_core.py",
        "tests/test_more.py",
        "tests/test_name.py",
    }
    assert listing["tests/test_core.py"][1] == FIX["tests/test_core.py"]
    assert "easy/test_core.py" not in listing


def test_a_test_changed_exactly_as_in_the_fix_is_not_called_tampered(scene: Scene) -> None:
    applied = scene.score(scene.patch_to(dict(FIX)))
    assert (applied.tree, applied.how, applied.tampered) == (scene.fix, "strict", ())


def test_an_empty_patch_is_scored_on_the_base_with_the_hidden_tests(scene: Scene) -> None:
    applied = scene.score(b" \n\t\n")
    assert applied.how == "empty"
    assert applied.tree == scene.repository.tree({**FIX, "src/core.py": BASE["src/core.py"]})


def test_a_link_that_a_patch_adds_is_marked_as_suspicious(scene: Scene) -> None:
    applied = scene.score(scene.patch_to({**BASE, "src/way": link("core.py")}))
    assert applied.suspicious == ("src/way: adds a link",)


CHANGES: dict[str, dict[str, File | None]] = {
    "text": {**FIXED_SOURCE},
    "a file without a final newline": {"src/no_newline.txt": b"another last line"},
    "CRLF inside a file": {"src/dos.py": b"one\r\ntwo and a half\r\nthree\r\n"},
    "binary": {"data/logo.bin": bytes(reversed(range(256))), "data/new.bin": b"\0\1\2"},
    "a rename": {"src/core.py": None, "src/kernel.py": BASE["src/core.py"]},
    "a mode": {"run.sh": executable(b"#!/bin/sh\n")},
    "a name that git quotes": {'src/sch\u00f6n "q"\t.py': b"x = 1\n"},
    "a name that is not UTF-8": {"src/\udcff.py": b"x = 1\n"},
    "a file that becomes a folder": {"run.sh": None, "run.sh/main": b"#!/bin/sh\n"},
    "a folder that becomes a file": {"data/logo.bin": None, "data": b"flat\n"},
    "a file that becomes a link": {"run.sh": link("src/core.py")},
    "an emptied file": {"run.sh": b""},
    "a text that holds a fence": {"README.md": b"```\ndiff --git a/x b/x\n```\n"},
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_patch_made_by_us_applies_strictly_and_exactly(scene: Scene, what: str) -> None:
    wanted = scene.repository.tree({p: f for p, f in {**BASE, **CHANGES[what]}.items() if f is not None})
    assert apply_patch(scene.store, scene.base, scene.store.diff(scene.base, wanted)) == (wanted, "strict")


@pytest.mark.parametrize("what", ["a rename", "a mode"])
def test_a_patch_with_git_s_own_renames_applies(scene: Scene, what: str) -> None:
    wanted = scene.repository.tree({p: f for p, f in {**BASE, **CHANGES[what]}.items() if f is not None})
    patch = scene.store.git("diff", "--find-renames", scene.base, wanted)
    assert (b"rename from" in patch) == (what == "a rename")
    assert apply_patch(scene.store, scene.base, patch) == (wanted, "strict")


@pytest.fixture
def patch(scene: Scene) -> bytes:
    return scene.patch_to({**BASE, **FIXED_SOURCE})


@pytest.mark.parametrize(
    ("how", "damage"),
    [
        ("strict", lambda text: b"Here is the fix:\n\n```diff\n" + text + b"```\nIt doubles.\n"),
        ("strict", lambda text: b"```\n" + text.rstrip(b"\n") + b"\n```"),
        ("strict", lambda text: text.rstrip(b"\n")),
        ("strict", lambda text: b"I changed the file.\n\n" + text),
        ("fuzzy", lambda text: text.replace(b"@@ -1,5 +1,5 @@", b"@@ -1,9 +1,2 @@")),
        (
            "fuzzy",
            lambda text: text.replace(b"@@ -1,5 +1,5 @@", b"@@ -1,5 +1,5 @@ ").replace(b" def name", b" def nom"),
        ),
        ("fuzzy", lambda text: text.replace(b"    return n\n", b"\treturn n\n")),
        ("fuzzy", lambda text: text.replace(b"\n", b"\r\n")),
    ],
    ids=[
        "fenced in prose",
        "fenced",
        "no final newline",
        "prose before",
        "wrong counts",
        "wrong context",
        "blanks",
        "CRLF",
    ],
)
def test_a_patch_that_a_model_writes_carelessly_still_counts(scene: Scene, patch: bytes, how: str, damage: Any) -> None:
    damaged = damage(patch)
    assert damaged != patch
    tree, found = apply_patch(scene.store, scene.base, damaged)
    assert found == how
    assert tree == scene.repository.tree({**BASE, **FIXED_SOURCE})


NEW_FILE = b"diff --git a/%(p)s b/%(p)s\nnew file mode %(m)s\n--- /dev/null\n+++ b/%(p)s\n@@ -0,0 +1 @@\n+x\n"


def new_file(path: bytes, mode: bytes = b"100644") -> bytes:
    return NEW_FILE % {b"p": path, b"m": mode}


@pytest.mark.parametrize(
    "hostile",
    [
        new_file(b"../outside.py"),
        new_file(b"src/../../outside.py"),
        new_file(b".git/hooks/pre-commit", b"100755"),
        new_file(b"sub/.git/config"),
        new_file(b".GIT/config"),
        new_file(b"/etc/outside.py"),
        new_file(b"way", b"120000").replace(b"+x\n", b"+src\n\\ No newline at end of file\n") + new_file(b"way/x.py"),
        new_file(b"../x").replace(b"a/../x", b'"a/\\056\\056/x"').replace(b"b/../x", b'"b/\\056\\056/x"'),
        b"no diff at all\n",
        b"```\nnothing but a fence\n```\n",
        b"diff --git a/src/core.py b/src/core.py\n--- a/src/core.py\n+++ b/src/core.py\n@@ -1,2 +1,2 @@\n-gone\n+new\n",
        b"\0\1\2\3",
    ],
    ids=[
        "up", "up from within", "a hook", "a repository below", "upper case", "absolute",
        "through its own link", "octal", "prose", "empty fence", "other lines", "bytes",
    ],
)  # fmt: skip
def test_a_hostile_or_foreign_patch_is_refused_as_a_whole(scene: Scene, patch: bytes, hostile: bytes) -> None:
    for text in (hostile, patch + hostile, hostile + patch) if hostile.startswith(b"diff") else (hostile,):
        with pytest.raises(GitError):
            scene.score(text)


def test_an_absolute_name_lands_below_the_tree_or_nowhere(scene: Scene) -> None:
    """git strips the first folder of a name, whatever it is: `/tmp/x` is `tmp/x` of the tree."""
    applied = scene.score(b"--- /dev/null\n+++ /tmp/outside.py\n@@ -0,0 +1 @@\n+x\n")
    assert set(scene.listing(applied.tree)) - set(FIX) == {"tmp/outside.py"}


def test_octal_quoted_names_mean_their_bytes(scene: Scene) -> None:
    name = b'"b/src/\\303\\244.py"'
    text = b'diff --git "a/src/\\303\\244.py" ' + name + b"\nnew file mode 100644\n--- /dev/null\n+++ " + name
    tree, how = apply_patch(scene.store, scene.base, text + b"\n@@ -0,0 +1 @@\n+x\n")
    assert how == "strict"
    assert tree == scene.repository.tree({**BASE, "src/\u00e4.py": b"x\n"})


def test_a_patch_of_which_one_part_does_not_apply_changes_nothing(scene: Scene, patch: bytes) -> None:
    bad = b"diff --git a/run.sh b/run.sh\n--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-other\n+new\n"
    with pytest.raises(GitError):
        apply_patch(scene.store, scene.base, patch + bad)
    with pytest.raises(GitError):
        apply_patch(scene.store, scene.base, bad + patch)
    assert scene.store.tree(scene.base) == scene.base


def test_a_hidden_file_named_in_quotes_cannot_pass_for_another(scene: Scene) -> None:
    """What decides tests is asked of the tree, not of the patch's text: quoting hides nothing."""
    text = (
        new_file(b"conftest.py")
        .replace(b"b/conftest.py", b'"b/\\143onftest.py"')
        .replace(b"a/conftest.py", b'"a/\\143onftest.py"')
    )
    applied = scene.score(text)
    assert applied.tampered == ("conftest.py",)
    assert "conftest.py" not in scene.listing(applied.tree)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        (b"", b""),
        (b"x", b"x\n"),
        (b"x\n", b"x\n"),
        (b"```diff\n--- a\n+++ b\n```\n", b"--- a\n+++ b\n"),
        (b"```\r\n--- a\r\n+++ b\r\n```\r\n", b"--- a\r\n+++ b\r\n"),
        (b"+```\n+--- a\n+```\n", b"+```\n+--- a\n+```\n"),
    ],
)
def test_only_a_fence_and_the_last_newline_are_normalized(text: bytes, normal: bytes) -> None:
    assert normal_patch(text) == normal


NEW, OLD = "tests/test_core.py::test_double", "tests/test_name.py::test_name"
TASK = Verified(fail_to_pass=(NEW,), pass_to_pass=(OLD,), gold_exit_statuses=(0,), exit_agrees=True, canary="right")
PASSED: dict[str, Any] = {NEW: "passed", OLD: "passed"}


def run(outcomes: dict[str, Any] = PASSED, **facts: Any) -> Run:
    common = {"ended": "finished", "exit_status": 0, "complete": True, "canary": "right"}
    return Run(outcomes=outcomes, **{**common, **facts})


def test_only_a_whole_and_agreeing_report_with_all_required_passes_is_fixed() -> None:
    verdict = judge(run(), TASK)
    assert (verdict.status, verdict.resolved, verdict.why) == ("ok", True, "every required test passed")
    assert verdict.fail_to_pass == {NEW: "passed"}
    assert verdict.pass_to_pass_missed == {}


@pytest.mark.parametrize("outcome", ["failed", "error", "skipped", "xfailed", "xpassed", None])
@pytest.mark.parametrize("test", [NEW, OLD])
def test_anything_but_a_genuine_pass_of_a_required_test_is_not_fixed(test: str, outcome: str | None) -> None:
    outcomes = {name: value for name, value in {**PASSED, test: outcome}.items() if value}
    verdict = judge(run(outcomes, exit_status=int(outcome in ("failed", "error"))), TASK)
    assert (verdict.status, verdict.resolved) == ("ok", False)
    assert f"{outcome or 'missing'}: {test}" in verdict.why
    assert verdict.pass_to_pass_missed == ({OLD: outcome or "missing"} if test == OLD else {})


@pytest.mark.parametrize(
    ("facts", "status", "word"),
    [
        ({"canary": "wrong"}, "ok", "forged"),
        ({"canary": "absent"}, "ok", "forged"),
        ({"complete": False}, "ok", "incomplete"),
        ({"exit_status": 1, "collection_errors": ("tests/test_b.py",)}, "ok", "cannot be loaded"),
        ({"exit_status": 1}, "ok", "exit status 1"),
        ({"exit_status": None}, "ok", "exit status None"),
        ({"ended": "timeout", "exit_status": None, "complete": False}, "timeout", "timeout"),
        ({"ended": "crashed", "exit_status": 139}, "ok", "crashed"),
        ({"ended": "no_report"}, "ok", "no report"),
        ({"ended": "out_of_memory", "exit_status": None}, "ok", "out of memory"),
    ],
)
def test_a_report_that_cannot_be_believed_is_not_fixed_though_every_test_passed(
    facts: dict[str, Any], status: str, word: str
) -> None:
    verdict = judge(run(**facts), TASK)
    assert (verdict.status, verdict.resolved) == (status, False)
    assert word in verdict.why


def test_a_failing_test_that_nobody_requires_may_fail_if_the_exit_status_says_so() -> None:
    outcomes = {**PASSED, "tests/test_flaky.py::test_x": "failed"}
    assert judge(run(outcomes, exit_status=1), TASK).resolved
    assert not judge(run(outcomes, exit_status=0), TASK).resolved


def test_an_exit_status_that_disagreed_with_the_gold_run_too_must_be_one_of_its_own() -> None:
    odd = TASK.model_copy(update={"exit_agrees": False, "gold_exit_statuses": (2,)})
    assert judge(run(exit_status=2), odd).resolved
    assert not judge(run(exit_status=3), odd).resolved
    assert not judge(run(exit_status=0), odd).resolved


def test_a_suite_without_canaries_is_judged_without_them() -> None:
    bare = TASK.model_copy(update={"canary": "absent"})
    assert judge(run(canary="absent"), bare).resolved
    assert not judge(run(canary="wrong"), bare).resolved


def test_a_second_missing_test_is_counted_in_the_reason() -> None:
    two = TASK.model_copy(update={"fail_to_pass": (NEW, "tests/test_more.py::test_more")})
    assert judge(run({OLD: "passed"}), two).why == f"fail_to_pass: missing: {NEW} and 1 more"


def test_a_file_that_could_not_be_loaded_with_the_human_fix_either_may_stay_so() -> None:
    task = TASK.model_copy(update={"broken": ("tests/test_b.py",)})
    assert judge(run(exit_status=1, collection_errors=("tests/test_b.py",)), task).resolved
