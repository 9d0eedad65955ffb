"""What stages/doctor.py does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import adapters
from redgreen.errors import RedgreenError
from redgreen.language import Language
from redgreen.sandbox import Command, Sandbox

ANSWER = tuple[bool, str, str]
"""Whether it works, what was found, how to get it."""


def first_line(*command: str) -> str | None:
    """What a tool says of its version, or None if it is not there or fails."""
    if not shutil.which(command[0]):
        return None
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip().splitlines()[0] if done.returncode == 0 and done.stdout.strip() else None


def tool(package: str, *command: str) -> ANSWER:
    found = first_line(*command)
    return bool(found), found or "not found", f"apt-get install {package}"


def sandbox(name: str, out: Path) -> ANSWER:
    """Start something in it: what has not run does not work."""
    try:
        opened: Sandbox = adapters.sandbox(name, "python", out)
        finished = opened.run(Command(argv=["/usr/bin/python3", "-c", "print('ready')"]))
    except RedgreenError as error:
        return False, str(error), error.hint
    if finished.stdout.strip() != b"ready":
        return False, finished.stderr.decode(errors="replace").strip()[:200] or "no answer", "see docs/sandboxes.md"
    return True, opened.image or "works, without an image", ""


def runtimes(language: Language, out: Path) -> ANSWER:
    """Versions in the sandbox that would be used; an image that is not there yet is not built to find out."""
    try:
        if adapters.sandbox_name("auto") == "podman" and adapters.find_image(language.name) is None:
            return True, "its image is built when it is first needed, or by `make images`", ""
        found = language.runtimes(adapters.sandbox("auto", language.name, out))
    except RedgreenError as error:
        return False, str(error), error.hint
    return bool(found), ", ".join(found), language.runtimes_hint


def checks(out: Path) -> Iterator[tuple[str, Callable[[], ANSWER]]]:
    yield "git", lambda: tool("git", "git", "--version")
    yield "make", lambda: tool("make", "make", "--version")
    yield "podman", lambda: tool("podman", "podman", "--version")
    yield "podman sandbox", lambda: sandbox("podman", out)
    yield "process sandbox", lambda: sandbox("process", out)
    for language in adapters.all_languages():
        yield language.name, partial(runtimes, language, out)
    yield "space", lambda: space(out)
    yield "github token", token


def space(out: Path) -> ANSWER:
    free = shutil.disk_usage(out if out.exists() else Path.cwd()).free / 1e9
    return free > 10, f"{free:.0f} GB free", "a task takes about 0.1 GB, an image 0.6 GB"


def token() -> ANSWER:
    there = bool(os.environ.get("GITHUB_TOKEN"))
    return True, "set" if there else "not set: only needed for SOURCE=github", ""


def perform() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        works = {}
        for name, check in checks(Path(scratch)):
            works[name], found, hint = check()
            print(
                f"{'ok     ' if works[name] else 'MISSING'} {name:<16} {found}"
                + ("" if works[name] or not hint else f"  ({hint})")
            )
        sys.exit(not (works["podman sandbox"] or works["process sandbox"]))
