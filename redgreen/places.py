"""Where things lie under OUT. Documents hold none of these paths, so that a result reads the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from redgreen.errors import UsageError


@dataclass(frozen=True)
class TaskPlace:
    """The folder of one candidate, `OUT/<set>/tasks/<id>`: documents in it, bulk in `OUT/<set>/boxes/<id>`."""

    folder: Path

    @property
    def id(self) -> str:
        return self.folder.name

    @property
    def set_folder(self) -> Path:
        return self.folder.parents[1]

    @property
    def out(self) -> Path:
        return self.folder.parents[2]

    @property
    def bulk(self) -> Path:
        return self.set_folder / "boxes" / self.id

    @property
    def base(self) -> Path:
        """The base commit as a plain folder; never written after materialize."""
        return self.bulk / "base"

    @property
    def box(self) -> Path:
        """The installed base: `tree/` and `env/`; every run starts from an overlay over it."""
        return self.bulk / "box"

    @property
    def objects(self) -> Path:
        return self.bulk / "objects"

    def cache(self, language: str, repo: str) -> Path:
        """The package manager's cache, one for each repository: what its builds leave there can only hurt itself."""
        return self.out / "cache" / language / repo.replace("/", "__")

    def document(self, name: str) -> Path:
        return self.folder / f"{name}.json"


def task_place(folder: Path) -> TaskPlace:
    """Raises:
    UsageError: the folder is not of the form OUT/<set>/tasks/<id>.
    """
    folder = folder.resolve()
    if folder.parent.name != "tasks" or len(folder.parents) < 3:
        raise UsageError(f"{folder}: not a task's folder", "give OUT/<set>/tasks/<id>, for example out/demo/tasks/<id>")
    return TaskPlace(folder)


def attempt_task(folder: Path) -> TaskPlace:
    """The task that an attempt, `OUT/<set>/runs/<run>/<id>/<agent>-<n>`, is about.

    Raises:
        UsageError: the folder is not of this form.
    """
    folder = folder.resolve()
    if len(folder.parents) < 5 or folder.parents[2].name != "runs":
        raise UsageError(f"{folder}: not an attempt's folder", "give OUT/<set>/runs/<run>/<id>/<agent>-<n>")
    return task_place(folder.parents[3] / "tasks" / folder.parent.name)
