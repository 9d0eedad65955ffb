"""A store for who asks thousands of questions: a few git processes answer all of them, in place of one for each.

Starting git takes longer than nearly any answer: mining a history of 5,000 commits would start it 7,000 times.
"""

from __future__ import annotations

import heapq
import secrets
import subprocess
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import IO

from redgreen.errors import InfrastructureError
from redgreen.git import SAFETY, Change, Entry, Store, environment, parse_changes

END = f"redgreen {secrets.token_hex(16)}\n".encode()
"""`git diff-tree --stdin` repeats a line that is no object's name: it marks where an answer ends. As names of files may
hold any text, it is not to be guessed."""

OURS, THEIRS = 1, 2


class Process:
    """A git process that reads questions and writes answers, until it is closed."""

    def __init__(self, arguments: list[str], extra: Mapping[str, str]) -> None:
        self.name = arguments[0]
        self.process = subprocess.Popen(
            ["git", *SAFETY, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(extra)
        )
        assert self.process.stdin and self.process.stdout
        self.questions: IO[bytes] = self.process.stdin
        self.answers: IO[bytes] = self.process.stdout

    def ask(self, question: bytes) -> None:
        try:
            self.questions.write(question)
            self.questions.flush()
        except BrokenPipeError:
            raise self.broken() from None

    def until_end(self) -> bytes:
        lines = []
        while (line := self.answers.readline()) != END:
            if not line:
                raise self.broken()
            if line.endswith(END):  # with -z the last record has no newline
                lines.append(line[: -len(END)])
                break
            lines.append(line)
        return b"".join(lines)

    def broken(self) -> InfrastructureError:
        return InfrastructureError(f"git {self.name} ended too early", "the mirror may be damaged: remove it")

    def close(self) -> None:
        self.questions.close()
        self.answers.close()
        self.process.wait()


class ReadingStore(Store):
    """Answers as Store does. Close it when all has been asked."""

    def __init__(self, mirror: Path, objects: Path) -> None:
        super().__init__(mirror, objects)
        self._open: dict[str, Process] = {}

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].close()

    def _process(self, *arguments: str) -> Process:
        key = " ".join(arguments)
        if key not in self._open:
            self._open[key] = Process(list(arguments), self.extra)
        return self._open[key]

    def _object(self, name: str) -> tuple[str, bytes]:
        """(id, content) of one object, named in any way that git understands.

        Raises:
            InfrastructureError: it is not there.
        """
        process = self._process("cat-file", "--batch")
        process.ask(name.encode() + b"\n")
        head = process.answers.readline().split()
        if len(head) != 3 or head[-1] in (b"missing", b"ambiguous"):
            raise InfrastructureError(f"git object {name} is not in the mirror", "fetch the repository anew")
        content = process.answers.read(int(head[2]))
        process.answers.read(1)
        return head[0].decode(), content

    def commit(self, name: str) -> tuple[str, list[str]]:
        found, content = self._object(f"{name}^{{commit}}")
        head = content.partition(b"\n\n")[0].decode(errors="replace").splitlines()
        return found, [line.removeprefix("parent ") for line in head if line.startswith("parent ")]

    def top(self, commit: str) -> list[Entry]:
        name, content = self._object(f"{commit}^{{tree}}")
        return list(_tree_entries(content, len(name) // 2))

    def content(self, blob: str) -> bytes:
        return self._object(blob)[1]

    def _diff(self, form: str, old: str, new: str) -> bytes:
        process = self._process("diff-tree", "--stdin", "--always", "-r", "-z", form, "--no-renames", "--full-index")
        process.ask(f"{new} {old}\n".encode() + END)  # `new` as if `old` were its only parent
        name, _, answer = process.until_end().partition(b"\0")
        if name != new.encode():
            raise InfrastructureError(f"git commit {new} is not in the mirror", "fetch the repository anew")
        return answer

    def changes(self, old: str, new: str) -> list[Change]:
        return parse_changes(self._diff("--raw", old, new))

    def changed_lines(self, old: str, new: str) -> int:
        rows = self._diff("--numstat", old, new).split(b"\0")
        return sum(int(number) for row in rows for number in row.split(b"\t")[:2] if number.isdigit())

    @cached_property
    def _graph(self) -> dict[str, tuple[int, list[str]]]:
        """Commit -> its height above the roots, and its parents."""
        rows = self.git("rev-list", "--parents", "--topo-order", "--reverse", "--all").decode().splitlines()
        graph: dict[str, tuple[int, list[str]]] = {}
        for row in rows:
            commit, *parents = row.split()
            graph[commit] = (1 + max((graph[parent][0] for parent in parents if parent in graph), default=0), parents)
        return graph

    def merge_base(self, ours: str, theirs: str) -> str:
        found = _merge_bases(self._graph, ours, theirs)
        return found[0] if len(found) == 1 else super().merge_base(ours, theirs)


def _merge_bases(graph: Mapping[str, tuple[int, list[str]]], ours: str, theirs: str) -> list[str]:
    """The common ancestors that no other one has as its ancestor; [] if one of the two is not in the graph.

    Highest first, so that all children of a commit have been seen before it.
    """
    if ours not in graph or theirs not in graph:
        return []
    marks = {ours: OURS}
    marks[theirs] = marks.get(theirs, 0) | THEIRS
    below: set[str] = set()  # ancestors of a base
    queue = [(-graph[commit][0], commit) for commit in marks]
    heapq.heapify(queue)
    bases: list[str] = []
    interesting = len(queue)
    while interesting:
        _, commit = heapq.heappop(queue)
        common, stale = marks[commit] == OURS | THEIRS, commit in below
        interesting -= not stale
        if common and not stale:
            bases.append(commit)
        for parent in graph[commit][1]:
            known, was_stale = parent in marks, parent in below
            marks[parent] = marks.get(parent, 0) | marks[commit]
            if common or stale:
                below.add(parent)
                interesting -= known and not was_stale
            if not known:
                heapq.heappush(queue, (-graph[parent][0], parent))
                interesting += not (common or stale)
    return bases


def _tree_entries(content: bytes, width: int) -> list[Entry]:
    """A tree object: mode, a blank, the name, a zero byte and `width` bytes of id, again and again."""
    entries, place = [], 0
    while place < len(content):
        zero = content.index(b"\0", place)
        mode, _, path = content[place:zero].partition(b" ")
        entries.append(Entry(mode.decode().zfill(6), content[zero + 1 : zero + 1 + width].hex(), path))
        place = zero + 1 + width
    return entries
