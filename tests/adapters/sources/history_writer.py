"""Writes small git histories in one go: `git fast-import` with a fixed clock, so that ids are the same everywhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from redgreen import git

START = 1_700_000_000
"""2023-11-14T22:13:20Z. Every commit comes an hour after the one before."""


@dataclass
class History:
    """Commits are known by the number that `commit` returned."""

    stream: list[bytes] = field(default_factory=list)
    count: int = 0

    def commit(
        self,
        message: str | bytes,
        *parents: int,
        author: str = "dev",
        at: int | None = None,
        authored: int | None = None,
        encoding: str = "",
    ) -> int:
        """Add a commit that changes the one file. `at` and `authored`: hours after START, one a commit by default."""
        self.count += 1
        text = message if isinstance(message, bytes) else message.encode()
        hour = self.count if at is None else at
        made, committed = START + 3600 * (hour if authored is None else authored), START + 3600 * hour
        lines = [] if parents else ["reset refs/heads/last", ""]
        lines += ["commit refs/heads/last", f"mark :{self.count}"]
        lines += [
            f"author {author} <{author}@example.org> {made} +0200",
            f"committer ci <ci@example.org> {committed} -0500",
        ]
        lines += [f"encoding {encoding}"] if encoding else []
        self.stream.append("\n".join([*lines, f"data {len(text)}\n"]).encode() + text + b"\n")
        places = [f"{'merge' if place else 'from'} :{parent}" for place, parent in enumerate(parents)]
        content = str(self.count)
        places += ["M 100644 inline count.txt", f"data {len(content)}", content, ""]
        self.stream.append("\n".join(places).encode() + b"\n")
        return self.count

    def line(self, *messages: str, on: int | None = None) -> int:
        """Commits one after the other; the number of the last."""
        last = on
        for message in messages:
            last = self.commit(message, *([] if last is None else [last]))
        assert last is not None
        return last

    def write(self, folder: Path, head: int) -> Path:
        """A bare repository whose `main` is `head`; `last` is what was committed last."""
        git.run(["init", "--quiet", "--bare", "--initial-branch=main", str(folder)])
        stream = b"".join(self.stream) + f"reset refs/heads/main\nfrom :{head}\n\n".encode()
        git.run(
            ["--git-dir", str(folder), "fast-import", "--quiet", "--force", f"--export-marks={folder}/marks"],
            stdin=stream,
        )
        return folder


def commit_id(folder: Path, number: int) -> str:
    marks = dict(line.split() for line in (folder / "marks").read_text().splitlines())
    return marks[f":{number}"]
