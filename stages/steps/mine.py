"""What stages/mine.py does."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import chain
from pathlib import Path

import adapters
from redgreen import pointers
from redgreen.candidates import Found, LeftOut, build
from redgreen.contract import ROOT, checked, dump, load_yaml, made_by, text_of, write_bytes, write_if_changed
from redgreen.documents import Candidate, SetSpec
from redgreen.errors import InfrastructureError, UsageError
from redgreen.fixes import Fix
from redgreen.reading_store import ReadingStore
from redgreen.sample import sampled

PROGRESS_S = 2.0


def find(spec: SetSpec, out: Path) -> Iterator[Found | LeftOut]:
    """Candidates of a set in their source's order, newest first, at most `limit` of each repository."""
    languages = adapters.all_languages()
    accepted: Counter[str] = Counter()
    seen: set[str] = set()
    with ExitStack() as opened:
        stores: dict[str, ReadingStore] = {}
        for fix in _fixes(spec, out, accepted):
            if fix.repo not in stores:
                store = ReadingStore(adapters.mirror(out, fix.repo, fix.url), out / "mirrors" / "objects")
                stores[fix.repo] = opened.enter_context(closing(store))
            found = build(stores[fix.repo], fix, spec, languages)
            if isinstance(found, Found):
                if found.facts.id in seen:
                    found = LeftOut("seen before")
                else:
                    seen.add(found.facts.id)
                    accepted[fix.repo] += 1
            yield found


def _fixes(spec: SetSpec, out: Path, accepted: Counter[str]) -> Iterator[Fix]:
    """All fixes of the source, repository by repository, each until its limit is reached."""
    source = adapters.source(spec.source)
    groups = [spec.model_copy(update={"repos": (repo,)}) for repo in spec.repos] or [spec]
    for group in groups:
        for fix in source.fixes(group, out):
            if spec.limit and accepted[fix.repo] >= spec.limit:
                break
            yield fix


def mine(specs: list[SetSpec], out: Path, name: str) -> tuple[list[Candidate], dict[str, str], Counter[str]]:
    """The candidates, their statements by id, and how many fixes were left out for which reason."""
    made = made_by("mine")
    candidates: list[Candidate] = []
    statements: dict[str, str] = {}
    left_out: Counter[str] = Counter()
    told = time.monotonic()
    for number, found in enumerate(chain.from_iterable(find(spec, out) for spec in specs), 1):
        if isinstance(found, LeftOut):
            left_out[found.why] += 1
        else:
            candidates.append(Candidate(id=found.facts.id, made_by=made, facts=found.facts, failure=found.failure))
            statements[found.facts.id] = found.statement
        if time.monotonic() - told > PROGRESS_S:
            told = time.monotonic()
            print(f"mine        {name}  {number} fixes read, {len(candidates)} candidates", file=sys.stderr, flush=True)
    return candidates, statements, left_out


def skipped_languages(languages: Iterable[str], choice: str) -> dict[str, str]:
    """Languages whose tasks cannot be run here -> how to get their toolchain. In podman, images bring it along."""
    if adapters.sandbox_name(choice) != "process":
        return {}
    box = adapters.process_sandbox()
    known = {name: adapters.language(name) for name in languages}
    return {name: language.runtimes_hint for name, language in known.items() if not language.runtimes(box)}


def write_set(folder: Path, candidates: list[Candidate], statements: dict[str, str], skipped: Container[str]) -> None:
    """Everything but candidates.jsonl first: when that is there, all is there."""
    lines = []
    for candidate in candidates:
        place, value = folder / "tasks" / candidate.id, checked(candidate)
        write_if_changed(place / "candidate.json", text_of(value).encode(), synced=False)
        write_if_changed(place / "statement.md", statements[candidate.id].encode(), synced=False)
        lines.append(text_of(value, indent=None))
    os.sync()
    known = {candidate.id for candidate in candidates}
    for stale in (folder / "tasks").glob("*") if (folder / "tasks").is_dir() else ():
        if stale.name not in known:
            shutil.rmtree(stale)
    here = [one for one in candidates if one.failure or one.facts.language not in skipped]
    listed = " \\\n  ".join(["IDS :=", *sorted(candidate.id for candidate in here)])
    languages = sorted({candidate.facts.language for candidate in here if candidate.failure is None})
    write_if_changed(folder / "tasks.mk", f"{listed}\nIMAGES := {' '.join(languages)}\n".encode())
    write_bytes(folder / "candidates.jsonl", "".join(lines).encode())


def read_spec(name: str, options: dict[str, object]) -> SetSpec:
    """tasks/<set>/set.yaml if it is there, with what the options add or replace.

    Raises:
        UsageError: neither a set of this name nor a repository.
    """
    path = ROOT / "tasks" / name / "set.yaml"
    given = {key: value for key, value in options.items() if value not in (None, (), "")}
    if path.is_file():
        return load_yaml(path, SetSpec).model_copy(update=given)
    if "repos" not in given:
        known = sorted(found.parent.name for found in (ROOT / "tasks").glob("*/set.yaml"))
        raise UsageError(
            f"{name}: no such set",
            f"one of: {', '.join(known)}; or name a repository: make all SET={name} REPO=<path or url>",
        )
    return SetSpec(source="mirror").model_copy(update=given)


def parse_pull(address: str) -> tuple[str, int]:
    """(repository, number) from the address of a pull request.

    Raises:
        UsageError: it is none.
    """
    head, _, number = address.rstrip("/").rpartition("/pull/")
    if not head or not number.isdigit():
        raise UsageError(
            f"{address}: not the address of a pull request", "give https://<host>/<owner>/<name>/pull/<number>"
        )
    return head, int(number)


def tell_skipped(name: str, candidates: list[Candidate], skipped: dict[str, str]) -> None:
    """Raises:
    InfrastructureError: nothing is left.
    """
    for language, hint in skipped.items():
        count = sum(one.facts.language == language and one.failure is None for one in candidates)
        told = f"{count} of {len(candidates)} candidates skipped: no {language} on this machine ({hint})"
        print(f"mine        {name}  {told}", file=sys.stderr)
    if all(one.facts.language in skipped or one.failure for one in candidates) and skipped:
        language, hint = next(iter(skipped.items()))
        raise InfrastructureError(f"{name}: no {language} on this machine", hint)


def perform(name: str, out: Path, pr: str | None, tasks: Sequence[str], sandbox: str, **options: object) -> None:
    started = time.monotonic()
    if pr:
        repo, number = parse_pull(pr)
        options.update(repos=(repo,), pulls=(number,))
    spec = read_spec(name, options)
    folder = out / name
    pinned = pointers.read(ROOT / "tasks" / name) if spec.source == "pointers" else {}
    if pinned:
        pinned = {task: pinned[task] for task in pinned if task in tasks} if tasks else pinned
        pinned = {task: pinned[task] for task in sampled(pinned, spec.sample, spec.seed)}
    described = dump(spec).encode()  # refuses what the options made of it before anything is fetched
    specs = pointers.as_mirror_specs(spec, pinned) if pinned else [spec]
    candidates, statements, left_out = mine(specs, out, name)
    if not pinned:
        keep = sampled((candidate.id for candidate in candidates), spec.sample, spec.seed)
        candidates = [candidate for candidate in candidates if candidate.id in keep]
    if not candidates:
        told = ", ".join(f"{count} {why}" for why, count in left_out.most_common()) or "no merged fix was found"
        raise UsageError(f"{name}: no candidate: {told}", "widen the filters: --since, --limit, --max-changed-lines")
    write_if_changed(folder / "set.json", described)
    pointers.lay_out(pinned, ROOT / "tasks" / name, folder / "tasks")
    skipped = skipped_languages(sorted({one.facts.language for one in candidates if one.failure is None}), sandbox)
    write_set(folder, candidates, statements, skipped)
    told = ", ".join(f"{count} {why}" for why, count in left_out.most_common())
    summary = f"{len(candidates)} candidates" + (f"; left out: {told}" if told else "")
    print(f"mine        {name}  {summary}  {time.monotonic() - started:.1f} s", file=sys.stderr)
    tell_skipped(name, candidates, skipped)
