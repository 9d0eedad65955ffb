"""The demo set: histories that are the same everywhere, and projects that really are what they are there to show."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
import yaml

from adapters.sources.demo import DEMO, DemoSource, Project, Tree
from redgreen.documents import SetSpec
from redgreen.errors import UsageError

SLUGLINE_FIX = "a56f1900c104f19ffa3ecc09ac215d987c10f31c"
MONEYBAG_MERGE = "30a98f0053c2e599345f6fbe8c60a9820093d26b"
SPEC = SetSpec.model_validate({"source": "demo"})
PROJECTS = {project.about.name: project for project in DemoSource().projects()}
IN_PYTHON = [name for name, project in PROJECTS.items() if any(path.endswith(".py") for path in project.trees["base"])]
"""Those of other languages need their own runners: the gate's runs show what they are."""
Suite = tuple[int, dict[str, str]]
"""Exit status, and outcome per test id."""

RUNNER = """
import json, os, sys
import pytest

class Recorder:
    def __init__(self):
        self.outcomes = {}

    def pytest_collectreport(self, report):
        if report.failed:
            self.outcomes[report.nodeid] = "error"

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.outcomes[report.nodeid] = "xfailed" if hasattr(report, "wasxfail") else report.outcome

for tree in sys.argv[1:]:
    if os.fork() == 0:
        os.chdir(tree)
        sys.path[:0] = [tree, os.path.join(tree, "src")]
        recorder = Recorder()
        options = ["-q", "-p", "no:cacheprovider", "--rootdir=.", *os.environ["FILES"].split()]
        status = pytest.main(options, plugins=[recorder])
        with open(tree + ".json", "w", encoding="utf-8") as stream:
            json.dump([status, recorder.outcomes], stream)
        os._exit(0)
    os.wait()
"""
"""One import of pytest serves all trees of a project: it costs more than the tests."""

HOSTILE_GIT_CONFIG = """
[core]
    autocrlf = true
    hooksPath = /nowhere
[init]
    defaultBranch = trunk
[commit]
    gpgsign = true
[user]
    name = somebody
    email = somebody@example.test
[i18n]
    commitEncoding = latin1
"""


def fixed(project: Project) -> str:
    """Key of the commit whose tree is the base with nothing but the fix: of a merge, the tip of the branch."""
    commit = next(commit for commit in project.about.commits if commit.key == project.about.fix)
    parents = project.parents(commit)
    return parents[1] if len(parents) > 1 else commit.key


def states(project: Project) -> dict[str, Tree]:
    """The base, the base with the fix's tests (red), and the fix (green)."""
    base, green = project.trees["base"], project.trees[fixed(project)]
    red = {path: content for path, content in base.items() if not path.startswith("tests/")}
    return {"base": base, "red": red | {p: c for p, c in green.items() if p.startswith("tests/")}, "green": green}


def write(tree: Tree, folder: Path) -> Path:
    for path, content in tree.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def variables(folder: Path, seed: int = 0) -> dict[str, str]:
    kept = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return kept | {"PYTHONPATH": os.pathsep.join((str(folder), str(folder / "src"))), "PYTHONHASHSEED": str(seed)}


def suites(name: str, place: Path, *files: str, seed: int = 0) -> dict[str, Suite]:
    """Run the tests of each state of a project (or only some files of them) in a copy `place/<state>`."""
    folders = [write(tree, place / state) for state, tree in states(PROJECTS[name]).items()]
    argv = [sys.executable, "-c", RUNNER, *map(str, folders)]
    done = subprocess.run(
        argv, env=variables(place, seed) | {"FILES": " ".join(files)}, capture_output=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr).decode()
    records = {folder.name: json.loads(folder.with_suffix(".json").read_text(encoding="utf-8")) for folder in folders}
    return {state: (status, outcomes) for state, (status, outcomes) in records.items()}


def passing(run: Suite) -> set[str]:
    return {name for name, outcome in run[1].items() if outcome == "passed"}


def names(verdict: str) -> list[str]:
    return [name for name in IN_PYTHON if PROJECTS[name].about.expect.verdict == verdict]


@pytest.mark.parametrize("name", names("accepted"))
def test_the_fix_turns_exactly_the_expected_tests_green(name: str, tmp_path: Path) -> None:
    runs = suites(name, tmp_path)
    expected = PROJECTS[name].about.expect.fail_to_pass
    assert passing(runs["green"]) - passing(runs["red"]) == set(expected)
    assert passing(runs["base"]) <= passing(runs["green"]) and len(passing(runs["base"])) >= 4
    assert name == "columnist" or [run[0] for run in runs.values()] == [0, 1, 0]


@pytest.mark.parametrize("name", [*names("licence"), *names("install_failed")])
def test_a_rejection_for_its_surroundings_would_else_be_accepted(name: str, tmp_path: Path) -> None:
    runs = suites(name, tmp_path)
    assert len(passing(runs["green"]) - passing(runs["red"])) == 2
    assert passing(runs["base"]) < passing(runs["green"]) == set(runs["green"][1])


def test_columnist_has_a_lasting_failure_an_expected_one_and_a_skip(tmp_path: Path) -> None:
    runs = suites("columnist", tmp_path)
    rest = {outcome: name for name, outcome in runs["green"][1].items() if outcome != "passed"}
    assert set(rest) == {"failed", "xfailed", "skipped"} and runs["green"][0] == runs["base"][0] == 1
    assert all(runs[state][1][name] == outcome for outcome, name in rest.items() for state in runs)


def test_daybook_writes_into_its_tree(tmp_path: Path) -> None:
    suites("daybook", tmp_path)
    assert [path.name for path in (tmp_path / "green" / "notes").iterdir()] == ["2026-02-28.txt"]


@pytest.mark.parametrize(("state", "status"), [("base", 0), ("red", 1), ("green", 0)])
def test_ringlog_needs_unittest_only(state: str, status: int, tmp_path: Path) -> None:
    folder = write(states(PROJECTS["ringlog"])[state], tmp_path / "tree")
    argv = [sys.executable, "-m", "unittest"]
    assert subprocess.run(argv, cwd=folder, env=variables(folder), capture_output=True).returncode == status
    assert not any(b"pytest" in path.read_bytes() for path in (DEMO / "ringlog").rglob("*") if path.suffix == ".py")


def test_the_tests_of_primestep_pass_before_the_fix(tmp_path: Path) -> None:
    runs = suites("primestep", tmp_path)
    assert passing(runs["red"]) == passing(runs["green"]) == set(runs["green"][1])
    assert passing(runs["red"]) > passing(runs["base"])


def test_the_tests_of_billsplit_fail_after_the_fix(tmp_path: Path) -> None:
    runs = suites("billsplit", tmp_path)
    added = set(runs["green"][1]) - set(runs["base"][1])
    assert [runs[state][1][name] for state in ("red", "green") for name in added] == ["failed"] * 8
    assert passing(runs["green"]) == passing(runs["base"]) == set(runs["base"][1])


def test_shelfmark_runs_no_tests_even_when_its_files_are_named(tmp_path: Path) -> None:
    assert set(map(repr, suites("shelfmark", tmp_path / "all").values())) == {"(5, {})"}
    named = suites("shelfmark", tmp_path / "named", "tests/test_shelfmark.py")
    assert set(map(repr, named.values())) == {"(5, {})"}


def test_tagcloud_is_red_for_every_seed_and_green_for_some(tmp_path: Path) -> None:
    runs = [suites("tagcloud", tmp_path / str(seed), seed=seed) for seed in (0, 1, 2)]
    new = "tests/test_once.py::test_each_tag_is_listed_once"
    assert [run["red"][1][new] for run in runs] == ["failed"] * 3
    assert [run["green"][1][new] for run in runs] == ["failed", "passed", "failed"]
    assert all(passing(run["base"]) == passing(run[state]) - {new} for run in runs for state in run)


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.11", "3.12", "3.13"])
def test_tagcloud_is_as_flaky_under_every_python(version: str, tmp_path: Path) -> None:
    folder = write(states(PROJECTS["tagcloud"])["green"], tmp_path / "tree")
    script = "from tests.test_once import *; test_each_tag_is_listed_once()"
    check = [python(version), "-c", script]
    runs = [subprocess.run(check, cwd=folder, env=variables(folder, seed), capture_output=True) for seed in (0, 1, 2)]
    assert [run.returncode for run in runs] == [1, 0, 1], runs[1].stderr.decode()
    assert b"AssertionError" in runs[0].stderr and b"AssertionError" in runs[2].stderr


def python(version: str) -> str:
    """An interpreter of this minor version, found on PATH or among pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    found = [*map(str, pyenv.glob(f"versions/{version}.*/bin/python")), shutil.which(f"python{version}")]
    for candidate in filter(None, found):
        if subprocess.run([candidate, "-c", ""], capture_output=True).returncode == 0:
            return candidate
    pytest.skip(f"no Python {version} on this machine")


def test_commit_ids_are_those_of_every_other_machine(tmp_path: Path) -> None:
    source = DemoSource()
    assert source.commits("demo:slugline", tmp_path)["fix"] == SLUGLINE_FIX
    assert source.commits("demo:moneybag", tmp_path)["merge"] == MONEYBAG_MERGE


def test_nothing_of_this_machine_enters_the_histories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = list(DemoSource().fixes(SPEC, tmp_path / "plain"))
    copy = shutil.copytree(DEMO, tmp_path / "copy" / "demo", copy_function=shutil.copyfile)
    for number, path in enumerate(sorted(copy.rglob("*.py"))):
        path.chmod(0o755 if number % 2 else 0o600)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".gitconfig").write_text(HOSTILE_GIT_CONFIG)
    hostile = {"HOME": str(tmp_path / "home"), "TZ": "DEMO-11", "LANG": "tr_TR.ISO-8859-9", "LC_ALL": "POSIX"}
    hostile |= {"GIT_AUTHOR_NAME": "somebody", "GIT_COMMITTER_DATE": "1 +0200", "GIT_DEFAULT_HASH": "sha256"}
    hostile |= {"GIT_DIR": str(tmp_path / "elsewhere"), "GIT_CONFIG_GLOBAL": str(tmp_path / "home" / ".gitconfig")}
    for name, value in hostile.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("GIT_CONFIG_NOSYSTEM", raising=False)
    mask = os.umask(0o077)
    try:
        assert list(DemoSource(copy).fixes(SPEC, tmp_path / "hostile")) == plain
    finally:
        os.umask(mask)
    assert not (tmp_path / "elsewhere").exists() and len(plain) == len(PROJECTS) == len(
        list(DEMO.glob("*/project.yaml"))
    )


def test_the_repository_holds_the_trees_of_the_folders(tmp_path: Path) -> None:
    repository = DemoSource().repository("demo:inikeep", tmp_path)
    listed = git(repository, "ls-tree", "-r", "--name-only", "main").splitlines()
    assert listed == sorted(PROJECTS["inikeep"].trees["fix"]) and "tests/data/sample.ini" not in listed
    assert {line.split()[0] for line in git(repository, "ls-tree", "-r", "main").splitlines()} == {"100644"}
    assert git(repository, "show", "main:inikeep/lines.py") == (DEMO / "inikeep/fix/inikeep/lines.py").read_text()
    assert git(repository, "symbolic-ref", "HEAD") == "refs/heads/main\n"
    git(repository, "fsck", "--strict")


def git(repository: Path, *arguments: str) -> str:
    argv = ["git", f"--git-dir={repository}", *arguments]
    return subprocess.run(argv, capture_output=True, check=True, encoding="utf-8").stdout


def test_moneybag_is_a_merge_of_two_commits_with_another_on_main_in_between(tmp_path: Path) -> None:
    repository = DemoSource().repository("demo:moneybag", tmp_path)
    commits = DemoSource().commits("demo:moneybag", tmp_path)
    assert git(repository, "rev-parse", "main^1", "main^2").split() == [commits["aside"], commits["fixed"]]
    assert git(repository, "merge-base", "main^1", "main^2").strip() == commits["base"]
    assert git(repository, "rev-list", "--count", f"{commits['base']}..main^2").strip() == "2"
    assert not git(repository, "diff", "--name-only", "main^2", "main", "--", "moneybag/amounts.py")


def test_other_projects_are_squash_commits_that_name_their_pull_request() -> None:
    for name in set(PROJECTS) - {"moneybag"}:
        about = PROJECTS[name].about
        commit = next(commit for commit in about.commits if commit.key == about.fix)
        assert commit.message.splitlines()[0].endswith(f"(#{about.pull})"), name
        assert f"#{about.issue.number}" in commit.message and len(PROJECTS[name].parents(commit)) == 1, name


@pytest.mark.parametrize("name", PROJECTS)
def test_the_issue_does_not_give_the_fix_away(name: str) -> None:
    project = PROJECTS[name]
    red, green = states(project)["red"], states(project)["green"]
    text = f"{project.about.issue.title}\n{project.about.issue.body}"
    before = {line.strip() for content in red.values() for line in content.decode().splitlines()}
    fix = {line.strip() for content in green.values() for line in content.decode().splitlines()} - before
    assert fix and not [line for line in fix if len(line) > 5 and line in text]
    assert not [line for line in before if line.startswith("def test_") and line[4:].split("(")[0] in text]
    assert f"#{project.about.pull}" not in text and "diff --git" not in text


def test_documents_will_hold_no_path_of_this_machine(tmp_path: Path) -> None:
    for fix in DemoSource().fixes(SPEC, tmp_path):
        assert fix.url == f"demo:{fix.repo.removeprefix('demo/')}"
        assert str(tmp_path) not in str(asdict(fix)) and str(DEMO) not in str(asdict(fix))


def test_fixes_come_newest_first_and_filtered(tmp_path: Path) -> None:
    def found(**wanted: object) -> list[str]:
        spec = SetSpec.model_validate({"source": "demo", **wanted})
        names = [fix.repo.removeprefix("demo/") for fix in DemoSource().fixes(spec, tmp_path)]
        return [name for name in names if name in IN_PYTHON]

    dates = [fix.merged_at or "" for fix in DemoSource().fixes(SPEC, tmp_path)]
    assert dates == sorted(dates, reverse=True) and "2026-01" <= dates[-1] < dates[0] < "2026-11"
    assert found(since="2026-05-22", until="2026-07-01") == ["shelfmark", "dotdash"]
    assert found(until="2026-01-26") == ["lapse", "slugline"]
    assert found(pulls=["18", "4"]) == ["moneybag", "slugline"]
    assert found(commits=[SLUGLINE_FIX[:7]]) == ["slugline"]
    assert found(repos=["demo:lapse", "demo/slugline", "daybook"]) == ["daybook", "lapse", "slugline"]


def test_two_sets_ask_this_source_for_every_project_once() -> None:
    files = [DEMO / "set.yaml", DEMO.parent / "packaging" / "set.yaml"]
    specs = [SetSpec.model_validate(yaml.safe_load(path.read_text())) for path in files]
    assert [spec.source for spec in specs] == ["demo", "demo"]
    assert sorted(repo for spec in specs for repo in spec.repos) == sorted(PROJECTS)


def test_a_repository_is_built_anew_only_when_its_files_change(tmp_path: Path) -> None:
    folder = shutil.copytree(DEMO, tmp_path / "demo")
    first = DemoSource(folder).repository("demo:lapse", tmp_path)
    inode, commits = first.stat().st_ino, DemoSource(folder).commits("demo:lapse", tmp_path)
    for leftover in ("__pycache__", ".pytest_cache", "lapse.egg-info"):
        (folder / "lapse" / "base" / leftover).mkdir()
        (folder / "lapse" / "base" / leftover / "file").write_bytes(b"left over by a run")
    assert DemoSource(folder).repository("demo:lapse", tmp_path).stat().st_ino == inode
    (folder / "lapse" / "fix" / "lapse.py").write_text("changed = True\n")
    changed = DemoSource(folder).commits("demo:lapse", tmp_path)
    assert changed["base"] == commits["base"] and changed["fix"] != commits["fix"]
    assert git(first, "show", "main:lapse.py") == "changed = True\n"


def test_many_processes_may_build_at_once_and_a_killed_one_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "demo-repos" / ".moneybag.git-killed" / "new").mkdir(parents=True)
    script = (
        "import sys, pathlib; from adapters.sources.demo import DemoSource;"
        "print(DemoSource().commits('demo:moneybag', pathlib.Path(sys.argv[1]))['merge'])"
    )
    argv = [sys.executable, "-c", script, str(tmp_path)]
    running = [subprocess.Popen(argv, stdout=subprocess.PIPE, cwd=DEMO.parents[1]) for _ in range(4)]
    assert [process.communicate()[0].decode().strip() for process in running] == [MONEYBAG_MERGE] * 4
    assert sorted(path.name for path in (tmp_path / "demo-repos").iterdir()) == [".moneybag.lock", "moneybag.git"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name: lapse", "name: relapse", "calls it relapse"),
        ("pull: 12", "pull: twelve", "pull: "),
        ("pull: 12", "", "pull: Field required"),
        ("fix: fix", "fix: gone", "no commit is called gone"),
        ("layer: fix", "layer: gone", "no files in layer gone"),
        ("layer: fix", "layer: fix\n    paths: [gone.py]", "no gone.py in layer fix"),
        ("layer: fix", "layer: fix\n    delete: [gone.py]", "no gone.py in layer fix"),
        ("layer: fix", "layer: fix\n    parents: [gone]", "comes before its parent gone"),
        ("date: 2026-01-26T", "date: 26 January ", "commits.1.date: "),
        ("issue:", "issue: [", "demo project lapse: "),
    ],
)
def test_a_faulty_description_is_one_clear_line(old: str, new: str, message: str, tmp_path: Path) -> None:
    shutil.copytree(DEMO / "lapse", tmp_path / "demo" / "lapse")
    description = tmp_path / "demo" / "lapse" / "project.yaml"
    description.write_text(description.read_text().replace(old, new))
    with pytest.raises(UsageError) as raised:
        list(DemoSource(tmp_path / "demo").fixes(SPEC, tmp_path))
    assert message in str(raised.value) and "\n" not in str(raised.value)


def test_unknown_projects_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no demo project atlantis"):
        DemoSource().repository("demo:atlantis", tmp_path)
    with pytest.raises(UsageError, match="no demo projects in"):
        list(DemoSource(tmp_path).fixes(SPEC, tmp_path))
