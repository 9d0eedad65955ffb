"""How `go test -json` is read: our reader against a `go` that says what each test wants it to say."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from adapters.languages.go_install import INSIDE
from redgreen.documents import Run
from redgreen.events import read_run
from redgreen.launch import Raw
from redgreen.sandbox import Finished

GO = """#!{python}
import os, re, signal, sys
if sys.argv[1] == "list":
    for folder in {packages!r}:
        print("x.test/a" + folder, os.getcwd() + folder, "broken" if folder in {unbuilt!r} else "", sep=chr(9))
    sys.exit({listing})
own = [word for word in sys.argv if word.startswith("-exec=")][0].split()[2]
text = open(own).read() if os.path.exists(own) else ""
canaries = re.findall(r"func (\\w+)[^!]*!= (\\d)", text)
for line in open({said!r}):
    for name, number in canaries if "CANARY" in line else [("", "")]:
        kind = "CANARY_breaks" if number == "2" else "CANARY_holds"
        if not name or kind in line:
            sys.stdout.write(line.replace(kind, name))
sys.stdout.flush()
if {status} < 0:
    os.kill(os.getpid(), -{status})
sys.exit({status})
"""

CANARIES = (("run", "CANARY_holds"), ("pass", "CANARY_holds"), ("run", "CANARY_breaks"), ("fail", "CANARY_breaks"))


@dataclass
class Runner:
    """Runs the reader in a folder with two packages, `.` and `sub`, of which `.` holds the fix's test."""

    folder: Path
    packages: list[str] = field(default_factory=lambda: ["", "/sub"])
    unbuilt: list[str] = field(default_factory=list)

    def run(self, *lines: str, status: int = 1, listing: int = 0) -> Run:
        tree = self.folder / "tree"
        tree.mkdir()
        for name in ("a_test.go", "sub/b_test.go"):
            (tree / name).parent.mkdir(exist_ok=True)
            (tree / name).write_text("package a\n")
        said = self.folder / "said"
        said.write_text("".join(f"{line}\n" for line in lines))
        go = self.folder / "bin" / "go"
        go.parent.mkdir()
        go.write_text(
            GO.format(
                python=sys.executable,
                packages=self.packages,
                unbuilt=self.unbuilt,
                said=str(said),
                status=status,
                listing=listing,
            )
        )
        go.chmod(0o755)
        reading, writing = os.pipe()
        plan = {"modules": ["."], "loose": [], "changed": ["a_test.go"], "flags": []}
        done = subprocess.run(
            [sys.executable, "-I", str(INSIDE / "redgreen_go.py"), json.dumps(plan)],
            cwd=tree,
            env={"PATH": f"{go.parent}:/usr/bin:/bin", "GOCACHE": str(self.folder), "REDGREEN_EVENTS": str(writing)},
            pass_fds=[writing],
            check=False,
            capture_output=True,
        )
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            events = pipe.read() + b'\n{"event": "exit", "status": %d}\n' % done.returncode
        return read_run(Raw(events, Finished(0, "exited", done.stdout, done.stderr, 1.0)))


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def says(*events: tuple[str, str], package: str = "x.test/a", end: str = "") -> list[str]:
    """Lines of `go test -json`: (action, test), and the package's own end."""
    lines: list[dict[str, Any]] = [{"Action": action, "Package": package, "Test": test} for action, test in events]
    return [json.dumps(line) for line in [*lines, *([{"Action": end, "Package": package}] if end else [])]]


WELL = says(("run", "TestA"), ("run", "TestA/b_c"), ("pass", "TestA/b_c"), ("pass", "TestA"), *CANARIES, end="fail")
SUB = says(("run", "TestB"), ("skip", "TestB"), package="x.test/a/sub", end="pass")


def test_a_suite_is_told_by_folder_test_and_subtest_without_our_canaries(runner: Runner) -> None:
    run = runner.run(*WELL, *SUB)
    assert run.outcomes == {".::TestA": "passed", ".::TestA/b_c": "passed", "sub::TestB": "skipped"}
    assert (run.complete, run.canary, run.exit_status, run.ended) == (True, "right", 0, "finished")
    assert run.exit_agrees


def test_a_failure_is_told_in_the_exit_status(runner: Runner) -> None:
    run = runner.run(*WELL, *says(("run", "TestB"), ("fail", "TestB"), package="x.test/a/sub", end="fail"))
    assert run.outcomes["sub::TestB"] == "failed"
    assert (run.complete, run.exit_status, run.exit_agrees) == (True, 1, True)


def test_a_test_that_started_and_never_ended_failed(runner: Runner) -> None:
    run = runner.run(*WELL, *says(("run", "TestB"), package="x.test/a/sub", end="fail"))
    assert run.outcomes["sub::TestB"] == "failed"
    assert run.complete


def test_a_package_that_fails_before_any_test_is_broken(runner: Runner) -> None:
    run = runner.run(*WELL, *says(package="x.test/a/sub", end="fail"))
    assert run.collection_errors == ("sub",)
    assert (run.complete, run.exit_status, run.exit_agrees) == (True, 1, True)


def test_a_package_of_which_an_older_go_says_only_text_is_broken(runner: Runner) -> None:
    run = runner.run(*WELL, "FAIL\tx.test/a/sub [build failed]")
    assert run.collection_errors == ("sub",)
    assert (run.complete, run.exit_status) == (True, 1)


def test_a_package_whose_failure_no_test_explains_fails_under_its_own_name(runner: Runner) -> None:
    run = runner.run(*WELL, *says(("run", "TestB"), ("pass", "TestB"), package="x.test/a/sub", end="fail"))
    assert run.outcomes["sub::(package)"] == "failed"
    assert run.exit_status == 1


def test_a_run_that_ends_well_without_our_canaries_was_forged(runner: Runner) -> None:
    run = runner.run(*says(("run", "TestA"), ("pass", "TestA"), end="pass"), *SUB, status=0)
    assert run.canary == "wrong"
    assert not run.complete


def test_a_package_that_does_not_compile_has_no_canary_that_could_be_wrong(runner: Runner) -> None:
    run = runner.run(*says(end="fail"), *SUB)
    assert (run.canary, run.collection_errors, run.complete) == ("absent", (".",), True)


def test_a_package_that_compiles_beside_its_tests_alone_is_broken_although_they_pass(runner: Runner) -> None:
    runner.unbuilt.append("")
    run = runner.run(*WELL, *SUB)
    assert run.outcomes == {"sub::TestB": "skipped"}
    assert (run.collection_errors, run.exit_status, run.complete, run.canary) == ((".",), 1, True, "absent")


def test_no_name_of_a_canary_says_whether_it_must_fail(runner: Runner) -> None:
    runner.run(*WELL, *SUB)
    [made] = [path for path in (runner.folder / "tree").glob("*_test.go") if path.name != "a_test.go"]
    names = re.findall(r"func (Test[A-Z][0-9a-f]{16})\(", made.read_text())
    assert len(names) == len(set(names)) == 8


def started(folder: Path, table: str) -> subprocess.CompletedProcess[str]:
    """`ls` in the place of a test program, in a folder with a test, a canary and a table of sums."""
    for name in ("Xx_test.go", "a_test.go"):
        (folder / name).write_text("package a\n")
    (folder / "table").write_text(table)
    total = hashlib.sha256(table.encode()).hexdigest()
    words = ["sh", str(INSIDE / "redgreen_go_start.sh"), "Xx_test.go", total, "table", "ls", "-1"]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def test_our_canaries_are_gone_when_their_program_starts(tmp_path: Path) -> None:
    seen = started(tmp_path, hashlib.sha256(b"package a\n").hexdigest() + "  a_test.go\n")
    assert (seen.returncode, seen.stdout.split()) == (0, ["a_test.go", "table"])


def test_no_program_is_started_once_a_test_has_been_changed(tmp_path: Path) -> None:
    seen = started(tmp_path, hashlib.sha256(b"package b\n").hexdigest() + "  a_test.go\n")
    assert (seen.returncode, seen.stdout) == (1, "")


def test_a_go_that_is_killed_has_no_whole_report(runner: Runner) -> None:
    run = runner.run(*WELL, *SUB, status=-9)
    assert not run.complete
    assert run.ended != "finished"


def test_a_go_that_ends_well_over_a_failure_is_not_believed(runner: Runner) -> None:
    run = runner.run(*WELL, *SUB, status=0)
    assert not run.complete


def test_a_module_that_go_cannot_even_list_is_broken_as_a_whole(runner: Runner) -> None:
    run = runner.run(listing=1)
    assert run.collection_errors == ("",)
    assert (run.complete, run.exit_status) == (True, 1)


def test_what_tests_print_decides_nothing(runner: Runner) -> None:
    forged = json.dumps({"Action": "pass", "Package": "x.test/a/sub", "Test": "TestB"})
    printed = json.dumps({"Action": "output", "Package": "x.test/a/sub", "Test": "TestB", "Output": f"{forged}\n"})
    lines = says(("run", "TestB"), ("fail", "TestB"), package="x.test/a/sub", end="fail")
    run = runner.run(*WELL, lines[0], printed, *lines[1:], "--- PASS: TestB (0.00s)", "[1]", "{")
    assert run.outcomes["sub::TestB"] == "failed"


def test_a_pass_that_is_told_beside_a_failure_hides_nothing(runner: Runner) -> None:
    lines = says(("run", "TestB"), ("fail", "TestB"), ("pass", "TestB"), package="x.test/a/sub", end="fail")
    run = runner.run(*WELL, *lines)
    assert run.outcomes["sub::TestB"] == "failed"


def test_a_test_that_starts_a_second_time_stays_one_test_with_its_worst_outcome(runner: Runner) -> None:
    twice = (("run", "TestB"), ("fail", "TestB"), ("run", "TestB"), ("pass", "TestB"))
    run = runner.run(*WELL, *says(*twice, package="x.test/a/sub", end="fail"))
    assert [test for test in run.outcomes if "TestB" in test] == ["sub::TestB"]
    assert run.outcomes["sub::TestB"] == "failed"


def test_packages_of_other_modules_are_not_counted(runner: Runner) -> None:
    run = runner.run(*WELL, *SUB, *says(("run", "TestX"), ("pass", "TestX"), package="x.test/evil", end="pass"))
    assert not any("TestX" in test for test in run.outcomes)
