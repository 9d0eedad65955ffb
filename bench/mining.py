"""How long mining a history takes, in seconds per 5,000 commits, and against git reading the same history.

    .venv/bin/python bench/mining.py REPOSITORY        # a local bare repository or clone with a long history

One side is stages/mine.py from start to end, on a mirror that is there already, with no limit: every commit is read,
every merged fix looked at, every candidate written. The other is `git log` with each main-line commit's message and
changed files, thrown away. REPOSITORY is not changed.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import click
from measure import PYTHON, machine, save, scratch_folder, spread, timed, told, variables, verdict

from redgreen import errors, git
from redgreen.errors import UsageError
from redgreen.mirrors import mirror_path

COMMITS = 5000
LIMIT_S = 5.0
SET = "bench-mining"


def prepare(repository: Path, scratch: Path) -> tuple[str, Path, int]:
    """(owner/name, mirror, commits): the mirror under an OUT of our own, as a first `mine` would leave it."""
    if not (repository / "objects").is_dir() and not (repository / ".git").exists():
        raise UsageError(f"{repository}: no repository here", "give the path of a bare repository or of a clone")
    name = re.sub(r"\W+", "-", (repository.parent if repository.name == "repo" else repository).name).strip("-")
    repo = f"bench/{name}"
    mirror = mirror_path(scratch / "out", repo)
    if not mirror.exists():
        git.run(["clone", "--quiet", "--mirror", str(repository.resolve()), str(mirror)])
    return repo, mirror, int(git.run(["--git-dir", str(mirror), "rev-list", "--count", "HEAD"]))


def run_mine(repo: str, repository: Path, scratch: Path) -> dict[str, float]:
    """Seconds of one `mine` that has nothing but the mirror, and how many candidates it found."""
    out = scratch / "out"
    shutil.rmtree(out / SET, ignore_errors=True)
    local = scratch / "mirrors" / f"{repo}.git"  # where MIRRORS makes mine look, in place of the network
    local.parent.mkdir(parents=True, exist_ok=True)
    if not local.is_symlink():
        local.symlink_to(repository.resolve())
    argv = [PYTHON, "stages/mine.py", "--set", SET, "--out", str(out), "--repo", repo]
    took = timed(argv, variables={**variables(scratch), "MIRRORS": str(scratch / "mirrors")})
    candidates = len((out / SET / "candidates.jsonl").read_text().splitlines())
    return {"wall_s": round(took.wall_s, 3), "cpu_s": round(took.cpu_s, 3), "candidates": candidates}


def run_git(mirror: Path) -> float:
    """Seconds that git takes to tell what the same commits say and change."""
    argv = ["git", "--git-dir", str(mirror), "log", "-m", "--first-parent", "--raw", "--format=%H%n%P%n%B", "HEAD"]
    return timed(argv, variables=git.environment()).wall_s


@click.command(help=(__doc__ or "").replace("\n\n", "\n\n\b\n"))
@click.argument("repository", type=click.Path(path_type=Path))
@click.option("--rounds", default=3, show_default=True, type=click.IntRange(min=1))
@click.option("--name", default="mining", show_default=True, help="Name of the result.")
@click.option("--scratch", type=click.Path(path_type=Path), help="A folder to work in, kept; default: a temporary one.")
def main(repository: Path, rounds: int, name: str, scratch: Path | None) -> None:
    with errors.reported(), scratch_folder(scratch) as work:
        where = machine()
        repo, mirror, commits = prepare(repository, work)
        run_mine(repo, repository, work)  # warms the bytecode and the disk's cache
        found: list[dict[str, Any]] = []
        for _ in range(rounds):
            found.append({**run_mine(repo, repository, work), "git_s": round(run_git(mirror), 3)})
        seconds = spread([one["wall_s"] for one in found])
        scaled = spread([one["wall_s"] * COMMITS / commits for one in found])
        ratio = spread([one["wall_s"] / one["git_s"] for one in found])
        print(
            f"{commits} commits of {repo.partition('/')[2]}, {found[0]['candidates']} candidates: {told(seconds, ' s')}"
        )
        print(f"against git log: {told(ratio)}")
        holds = verdict(f"seconds for {COMMITS} commits", scaled["median"], LIMIT_S, " s")
        judged = {**scaled, "limit_s": LIMIT_S, "holds": holds}
        findings = {
            "commits": commits,
            "rounds": found,
            "seconds": seconds,
            "ratio_to_git_log": ratio,
            "verdict": judged,
        }
        save(name, f"bench/mining.py --rounds {rounds} {repo.partition('/')[2]}", where, findings)


if __name__ == "__main__":
    main()
