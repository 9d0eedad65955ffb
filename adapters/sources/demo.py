"""The bundled sets: little projects of our own, each turned into the same git history on every machine.

`tasks/demo/<name>/project.yaml` describes a `Project`; the folders beside it are layers of files. `earlier` and `base`
are whole trees, every other layer is laid over the tree of its commit's first parent: `diff -r base fix` shows the fix.
The histories become bare repositories `OUT/demo-repos/<name>.git`. Documents name them `demo:<name>`, so that they hold
no path of any machine. A project of another bundled set is called `<set>/<name>`. Needs no network.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, ValidationError

from redgreen import git
from redgreen.contract import sha256
from redgreen.documents import Day, Reason, Record, SetSpec
from redgreen.errors import InfrastructureError, UsageError
from redgreen.fixes import Fix
from redgreen.mirrors import locked

DEMO = Path(__file__).parents[2] / "tasks" / "demo"
URL_PREFIX = "demo:"

_FORMAT = "1"
"""Part of every repository's digest: raise it when the same files shall give other commits."""
_WHOLE_TREES = ("earlier", "base")
_LEFTOVERS = ("__pycache__", ".*_cache", "*.egg-info")
_IDENTITY = "redgreen demo <demo@redgreen.invalid>"
_FACTS = "redgreen-demo.json"

Tree = dict[str, bytes]
"""Path with forward slashes -> content. Every file has mode 100644."""


class Issue(Record):
    number: int
    title: str
    body: str


class Commit(Record):
    key: str
    layer: str = Field(description="folder beside project.yaml")
    message: str
    date: Day = Field(description="of author and committer")
    parents: tuple[str, ...] | None = Field(None, description="keys; absent: the commit listed before")
    paths: tuple[str, ...] = Field((), description="only these files of the layer; empty: all")
    delete: tuple[str, ...] = ()


class Expectation(Record):
    """What the gate should find. Ids are those of the language's runner."""

    verdict: Literal["accepted"] | Reason
    fail_to_pass: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()


class Description(Record):
    """`project.yaml`."""

    name: str
    kind: str = Field(description="what sets this project apart")
    licence: str = Field(description="SPDX id")
    expect: Expectation
    issue: Issue
    pull: int
    fix: str = Field(description="key of the commit that arrived on main with the fix")
    commits: tuple[Commit, ...] = Field(min_length=2, description="parents first; the last one is main")


class Project:
    """One demo project: its description, and the tree of each of its commits.

    Raises:
        UsageError: project.yaml is not one, or names a layer, file or commit that is not there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.about = _read_description(folder / "project.yaml")
        if self.about.name != folder.name:
            raise UsageError(f"demo project {folder.name}: its project.yaml calls it {self.about.name}")
        if self.about.fix not in {commit.key for commit in self.about.commits}:
            raise self._fault(f"no commit is called {self.about.fix}")

    @property
    def repo(self) -> str:
        """`<set>/<name>`."""
        return f"{self.folder.parent.name}/{self.about.name}"

    @property
    def url(self) -> str:
        return URL_PREFIX + self.repo.removeprefix(f"{DEMO.name}/")

    @cached_property
    def digest(self) -> str:
        """sha256 over every file of the project, and over how histories are made."""
        files = {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in _files(self.folder)}
        lines = [f"{sha256(content)} {path}\n" for path, content in files.items()]
        return sha256("".join([_FORMAT, _IDENTITY, *lines]).encode())

    def parents(self, commit: Commit) -> tuple[str, ...]:
        """Keys of the commits before it; of the first one, none."""
        if commit.parents is not None:
            return commit.parents
        before = [other.key for other in self.about.commits[: self.about.commits.index(commit)]]
        return tuple(before[-1:])

    @cached_property
    def trees(self) -> dict[str, Tree]:
        """Key of a commit -> its tree, in the order of the commits."""
        trees: dict[str, Tree] = {}
        for commit in self.about.commits:
            unknown = [key for key in self.parents(commit) if key not in trees]
            if unknown:
                raise self._fault(f"commit {commit.key} comes before its parent {unknown[0]}")
            below = trees[self.parents(commit)[0]] if self.parents(commit) else {}
            trees[commit.key] = self._tree(commit, {} if commit.layer in _WHOLE_TREES else below)
        return trees

    def _tree(self, commit: Commit, below: Tree) -> Tree:
        root = self.folder / commit.layer
        layer = {path.relative_to(root).as_posix(): path.read_bytes() for path in _files(root)}
        missing = [path for path in commit.paths if path not in layer] + [p for p in commit.delete if p not in below]
        if not layer or missing:
            raise self._fault(f"commit {commit.key}: no {missing[0] if missing else 'files'} in layer {commit.layer}")
        chosen = {path: layer[path] for path in commit.paths} if commit.paths else layer
        return {path: content for path, content in sorted({**below, **chosen}.items()) if path not in commit.delete}

    def _fault(self, what: str) -> UsageError:
        return UsageError(f"demo project {self.about.name}: {what}", "mend its project.yaml")

    def history(self) -> bytes:
        """The whole history as input for `git fast-import`. The mark of a commit is its place, from 1."""
        marks = {commit.key: number for number, commit in enumerate(self.about.commits, start=1)}
        stream = bytearray(b"feature done\n")
        for commit in self.about.commits:
            when = f"{int(datetime.fromisoformat(commit.date).timestamp())} +0000"
            head = f"commit refs/heads/main\nmark :{marks[commit.key]}\n"
            stream += f"{head}author {_IDENTITY} {when}\ncommitter {_IDENTITY} {when}\n".encode()
            stream += _data(commit.message.rstrip("\n").encode() + b"\n")
            for verb, key in zip(("from", "merge"), self.parents(commit), strict=False):
                stream += f"{verb} :{marks[key]}\n".encode()
            stream += b"deleteall\n"
            for path, content in self.trees[commit.key].items():
                stream += f"M 100644 inline {path}\n".encode() + _data(content)
        return bytes(stream) + b"done\n"


class DemoSource:
    """A `redgreen.fixes.Source`. A set's `repos` may name some projects: `demo:<name>`, `demo/<name>` or `<name>`;
    those of another set by `<set>/<name>`, or all of them by `<set>/*`."""

    def __init__(self, folder: Path = DEMO) -> None:
        self.folder = folder

    def projects(self, bundle: str = "") -> tuple[Project, ...]:
        """All projects of a set, by name."""
        folder = self.folder.with_name(bundle) if bundle else self.folder
        found = sorted(folder.glob("*/project.yaml"))
        if not found:
            raise UsageError(f"no demo projects in {folder}", "run redgreen from a full clone")
        return tuple(Project(path.parent) for path in found)

    def fixes(self, spec: SetSpec, out: Path) -> Iterator[Fix]:
        """Newest first: one fix for each project that the set asks for. Builds their repositories below `out`."""
        chosen = self._chosen(spec.repos)
        for project in sorted(chosen, key=lambda project: (_merged_at(project), project.about.name), reverse=True):
            about, day = project.about, _merged_at(project)[:10]
            if (spec.since and day < spec.since) or (spec.until and day > spec.until):
                continue
            if spec.pulls and about.pull not in spec.pulls:
                continue
            commit = _commits(_build(project, out))[about.fix]
            if spec.commits and not commit.startswith(spec.commits):
                continue
            yield Fix(
                repo=project.repo,
                url=project.url,
                commit=commit,
                title=about.issue.title,
                body=about.issue.body,
                statement_source="issue",
                pull=about.pull,
                issues=(about.issue.number,),
                merged_at=_merged_at(project),
            )

    def repository(self, url: str, out: Path) -> Path:
        """The bare repository that `demo:<name>` stands for; built below `out` unless it is there and up to date.

        Raises:
            UsageError: no such project.
            InfrastructureError: git is missing or failed.
        """
        return _build(self._chosen((url,))[0], out)

    def commits(self, url: str, out: Path) -> Mapping[str, str]:
        """Key of each commit in project.yaml -> its id."""
        return _commits(self.repository(url, out))

    def _chosen(self, repos: tuple[str, ...]) -> list[Project]:
        names = [repo.removeprefix(URL_PREFIX).removeprefix(f"{DEMO.name}/") for repo in repos]
        chosen = [project for name in names for project in self._named(name)] if names else self.projects()
        return list({project.repo: project for project in chosen}.values())

    def _named(self, name: str) -> tuple[Project, ...]:
        bundle, _, own = name.rpartition("/")
        if own == "*":
            return self.projects(bundle)
        folder = (self.folder.with_name(bundle) if bundle else self.folder) / own
        if not re.fullmatch(r"[a-z0-9-]*", bundle + own) or not (folder / "project.yaml").is_file():
            known = ", ".join(project.about.name for project in self.projects(bundle))
            raise UsageError(f"no demo project {name}", f"there are: {known}")
        return (Project(folder),)


def _merged_at(project: Project) -> str:
    return next(commit.date for commit in project.about.commits if commit.key == project.about.fix)


def _read_description(path: Path) -> Description:
    try:
        # BaseLoader leaves every scalar a string: no dates, no `yes` that becomes True
        return Description.model_validate(yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"demo project {path.parent.name}: {place}: {first['msg']}", "mend its project.yaml") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"demo project {path.parent.name}: {' '.join(str(error).split())}") from None


def _files(folder: Path) -> list[Path]:
    """Every file below, sorted by path; not what running the tests there leaves behind."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    kept = [path for path in found if not any(map(_left_over, path.relative_to(folder).parts))]
    return sorted(kept, key=lambda path: path.relative_to(folder).as_posix())


def _left_over(part: str) -> bool:
    return any(fnmatchcase(part, pattern) for pattern in _LEFTOVERS)


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def _commits(repository: Path) -> dict[str, str]:
    commits: dict[str, str] = json.loads((repository / _FACTS).read_text())["commits"]
    return commits


def _up_to_date(repository: Path, project: Project) -> bool:
    try:
        facts = json.loads((repository / _FACTS).read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return False
    return bool(facts.get("digest") == project.digest)


def _build(project: Project, out: Path) -> Path:
    """Return `out/demo-repos/<name>.git`, after building it if it is missing or was built from other files."""
    home = out / "demo-repos"
    repository = home / f"{project.url.removeprefix(URL_PREFIX).replace('/', '__')}.git"
    if _up_to_date(repository, project):
        return repository
    home.mkdir(parents=True, exist_ok=True)
    with locked(home / f".{repository.stem}.lock"):
        if not _up_to_date(repository, project):
            for dead in home.glob(f".{repository.name}-*"):
                shutil.rmtree(dead)
            scratch = Path(tempfile.mkdtemp(prefix=f".{repository.name}-", dir=home))
            _import(project, scratch / "new")
            if repository.exists():
                repository.rename(scratch / "old")
            (scratch / "new").rename(repository)
            shutil.rmtree(scratch)
    return repository


def _import(project: Project, target: Path) -> None:
    marks = target / "marks"
    try:
        git.run(
            ["init", "--quiet", "--bare", "--object-format=sha1", "--initial-branch=main", "--template=", str(target)]
        )
        # packed: a loose object each would be thirty files a project
        options = ["-c", "fastimport.unpackLimit=1", f"--git-dir={target}"]
        git.run([*options, "fast-import", "--quiet", f"--export-marks={marks}"], stdin=project.history())
    except git.GitError as error:
        raise InfrastructureError(f"demo project {project.about.name}: {error}", "needs git 2.29 or newer") from None
    ids = dict(line.split() for line in marks.read_text().splitlines())
    commits = {commit.key: ids[f":{number}"] for number, commit in enumerate(project.about.commits, start=1)}
    marks.unlink()
    (target / _FACTS).write_text(json.dumps({"digest": project.digest, "commits": commits}, indent=1) + "\n")
