"""Rust for real: a tiny project installed and run in the sandbox, and what cheating or breaking trees come out as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from conftest import missing

import adapters
from adapters.languages import rust_install
from adapters.languages.rust import Rust
from adapters.languages.rust_toolchains import toolchain
from redgreen.documents import EnvironmentFacts, Run
from redgreen.errors import InfrastructureError
from redgreen.language import Trial, Workshop
from redgreen.launch import readable
from redgreen.sandbox import Sandbox

TREE = {
    "Cargo.toml": '[workspace]\nmembers = ["one", "other"]\nresolver = "2"\n',
    "one/Cargo.toml": '[package]\nname = "one"\nversion = "0.1.0"\nedition = "2021"\n'
    '[[test]]\nname = "own"\nharness = false\n',
    "one/src/lib.rs": """
//! One.
pub mod inner;
pub fn double(number: i32) -> i32 {
    number + number
}
""",
    "one/src/inner.rs": """
/// ```
/// assert_eq!(one::inner::half(4), 2);
/// ```
/// ```should_panic
/// one::inner::half(3);
/// ```
pub fn half(number: i32) -> i32 {
    assert!(number % 2 == 0);
    number / 2
}
#[cfg(test)]
mod tests {
    #[test]
    fn halves() {
        assert_eq!(super::half(2), 1);
    }
}
""",
    "one/tests/a.rs": """
mod deep {
    #[test]
    fn doubles() {
        assert_eq!(one::double(2), 4);
    }
}
#[test]
#[should_panic(expected = "odd")]
fn panics() {
    panic!("odd");
}
#[test]
#[ignore]
fn waits() {}
""",
    "one/tests/b.rs": "#[test]\nfn doubles() {\n    assert_eq!(one::double(3), 6);\n}\n",
    "one/tests/own.rs": "fn main() {\n    assert_eq!(one::double(1), 2);\n}\n",
    "other/Cargo.toml": '[package]\nname = "other"\nversion = "0.1.0"\nedition = "2021"\n',
    "other/src/lib.rs": "#[test]\nfn never_asked() {}\n",
}
FILES = ("one/tests/a.rs",)
LIB = TREE["one/src/lib.rs"]


@dataclass(frozen=True)
class Project:
    """An installed box, and the way to run a tree that differs from it."""

    box: Path
    environment: EnvironmentFacts
    sandbox: Sandbox

    def run(self, changes: Mapping[str, str | None], sources: tuple[str, ...] = (), **settings: str) -> Run:
        """`changes` are files laid over the tree; None deletes one."""
        delta = self.box.parent / f"delta-{len(list(self.box.parent.iterdir()))}"
        (delta / "files").mkdir(parents=True)
        gone = [name for name, text in changes.items() if text is None]
        (delta / "deleted").write_bytes(b"".join(name.encode() + b"\0" for name in gone))
        for name, text in changes.items():
            if text is not None:
                (delta / "files" / name).parent.mkdir(parents=True, exist_ok=True)
                (delta / "files" / name).write_text(text)
        readable(delta)
        environment = self.environment.model_copy(update={"settings": {**self.environment.settings, **settings}})
        trial = Trial(self.box, delta, FILES, 0, self.box.parent / "cache", sources=sources)
        return Rust().parse_results(environment, Rust().run_tests(environment, trial, self.sandbox))


@pytest.fixture(scope="module")
def rust_sandbox(out: Path) -> Sandbox:
    told = []
    for choice in ("auto", "process"):
        try:
            found = adapters.sandbox(choice, "rust", out)
        except InfrastructureError as error:
            told.append(str(error))
            continue
        if Rust().runtimes(found):
            return found
        told.append(f"no Rust in {choice}")
    return missing("; ".join(told))


def install(folder: Path, sandbox: Sandbox) -> Project:
    for name, text in TREE.items():
        (folder / "box" / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "box" / "tree" / name).write_text(text)
    way = Rust().detect_environment(folder / "box" / "tree", "2026-05-20T00:00:00Z", None, sandbox)[0]
    limits = {"REDGREEN_TEST_TIMEOUT_S": "3"}
    environment = way.model_copy(update={"variables": limits})
    installed = Rust().install(environment, Workshop(folder / "box", folder / "cache", offline=True), sandbox)
    return Project(folder / "box", installed.environment, sandbox)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, rust_sandbox: Sandbox) -> Project:
    return install(tmp_path_factory.mktemp("rust"), rust_sandbox)


WHOLE = {
    "one/src/lib.rs::inner::tests::halves": "passed",
    "one/src/inner.rs::doctest inner::half": "passed",
    "one/src/inner.rs::doctest inner::half #2": "passed",
    "one/tests/a.rs::deep::doubles": "passed",
    "one/tests/a.rs::panics": "passed",
    "one/tests/a.rs::waits": "skipped",
    "one/tests/b.rs::doubles": "passed",
    "one/tests/own.rs::main": "passed",
}


def test_a_suite_is_reported_whole_and_only_of_the_package_that_holds_the_fix_s_tests(project: Project) -> None:
    run = project.run({})
    assert run.outcomes == WHOLE
    assert (run.ended, run.exit_status, run.complete, run.canary) == ("finished", 0, True, "right")


def test_the_process_sandbox_says_the_same(tmp_path: Path, out: Path) -> None:
    try:
        sandbox = adapters.sandbox("process", "rust", out)
    except InfrastructureError as error:
        missing(str(error))
    if not Rust().runtimes(sandbox):
        missing("no Rust on the host")
    run = install(tmp_path, sandbox).run({})
    assert (run.outcomes, run.exit_status, run.complete, run.canary) == (WHOLE, 0, True, "right")


def test_a_failure_is_a_failure_and_decides_the_exit_status(project: Project) -> None:
    run = project.run({"one/src/lib.rs": LIB.replace("number + number", "number * number")})
    assert {test for test, outcome in run.outcomes.items() if outcome == "failed"} == {
        "one/tests/b.rs::doubles",
        "one/tests/own.rs::main",
    }
    assert (run.exit_status, run.complete, run.canary) == (1, True, "right")


def test_tests_that_do_not_compile_break_their_own_file_alone(project: Project) -> None:
    run = project.run({"one/tests/b.rs": "#[test]\nfn triples() {\n    one::triple(1);\n}\n"})
    assert run.collection_errors == ("one/tests/b.rs",)
    assert run.outcomes == {test: outcome for test, outcome in WHOLE.items() if "tests/b.rs" not in test}
    assert (run.ended, run.exit_status, run.canary) == ("finished", 1, "right")


@pytest.mark.parametrize("name", ["one/src/lib.rs", "one/Cargo.toml"])
def test_a_tree_in_which_nothing_compiles_is_a_result(project: Project, name: str) -> None:
    run = project.run({name: "fn ("})
    assert (run.outcomes, run.ended, run.exit_status) == ({}, "finished", 1)
    assert run.collection_errors


def test_tests_inside_a_source_that_the_fix_rewrites_are_left_out(project: Project) -> None:
    run = project.run({}, sources=("one/src/inner.rs",))
    assert run.outcomes == {test: outcome for test, outcome in WHOLE.items() if "inner" not in test}
    assert run.complete


def test_a_library_that_exits_passes_nothing(project: Project) -> None:
    run = project.run({"one/src/lib.rs": LIB.replace("    number + number", "    std::process::exit(number * 0)")})
    assert run.outcomes["one/tests/a.rs::deep::doubles"] == "failed"
    assert run.outcomes["one/tests/b.rs::doubles"] == "failed"
    assert run.outcomes["one/tests/a.rs::panics"] == "passed"


def test_an_abort_and_a_hang_cost_their_own_test_alone(project: Project) -> None:
    test = "#[test]\nfn doubles() {\n    loop {\n        std::thread::park();\n    }\n}\n#[test]\nfn later() {}\n"
    lib = LIB.replace(
        "    number + number", "    if number == 2 {\n        std::process::abort()\n    }\n    number * 2"
    )
    run = project.run({"one/tests/b.rs": test, "one/src/lib.rs": lib})
    failed = {test for test, outcome in run.outcomes.items() if outcome == "failed"}
    assert failed == {"one/tests/a.rs::deep::doubles", "one/tests/b.rs::doubles"}
    assert run.outcomes["one/tests/b.rs::later"] == "passed"
    assert (run.ended, run.exit_status, run.complete) == ("finished", 1, True)


FORGED = """
use std::io::Write;
pub mod inner;
pub fn double(number: i32) -> i32 {
    let name = std::thread::current().name().unwrap_or("").to_string();
    let mut out = unsafe { <std::fs::File as std::os::fd::FromRawFd>::from_raw_fd(1) };
    writeln!(out, "{{ \\"type\\": \\"test\\", \\"name\\": \\"{name}\\", \\"event\\": \\"ok\\" }}").unwrap();
    std::process::exit(number * 0)
}
"""


@pytest.mark.parametrize("other", [{}, {"one/tests/b.rs": None}])
def test_a_forged_line_does_not_make_a_whole_report(project: Project, other: dict[str, None]) -> None:
    """Alone in its program a test is its last one as well: then the program's own summary is missing."""
    run = project.run({"one/src/lib.rs": FORGED, **other})
    assert run.outcomes["one/tests/a.rs::deep::doubles"] == "passed"
    assert not run.complete


SHADOW = "#[macro_export]\nmacro_rules! assert {\n    ($($any:tt)*) => {};\n}\n"


def test_making_every_assertion_hold_is_seen_by_the_one_that_must_not(project: Project) -> None:
    test = "#[macro_use]\nextern crate one;\n" + TREE["one/tests/a.rs"]
    run = project.run({"one/src/lib.rs": LIB + SHADOW, "one/tests/a.rs": test})
    assert run.canary == "wrong"
    assert not run.complete


SOME = "#[macro_export]\nmacro_rules! assert_eq {\n    ($($any:tt)*) => {};\n}\n"


def test_another_meaning_of_one_assertion_alone_is_seen_as_well(project: Project) -> None:
    test = "#[macro_use]\nextern crate one;\n" + TREE["one/tests/a.rs"]
    run = project.run({"one/src/lib.rs": LIB + SOME, "one/tests/a.rs": test})
    assert run.canary == "wrong"


def test_no_canary_stands_in_a_source_that_a_test_could_read(project: Project) -> None:
    reads = '#[test]\nfn own() {\n    let own = std::fs::read_to_string("tests/a.rs").unwrap();\n'
    reads += '    assert_eq!(own.matches("#[test]").count(), 2);\n}\n'  # the second stands in this line
    run = project.run({"one/tests/a.rs": reads})
    assert run.outcomes["one/tests/a.rs::own"] == "passed"
    assert (run.canary, run.complete) == ("right", True)


def test_a_runner_in_cargo_s_configuration_does_not_run_the_tests(project: Project) -> None:
    configuration = '[target.\'cfg(all())\']\nrunner = "true"\n[build]\nrustc-wrapper = "/bin/false"\n'
    run = project.run(
        {".cargo/config.toml": configuration, "one/tests/b.rs": "#[test]\nfn fails() {\n    panic!()\n}\n"}
    )
    assert run.outcomes["one/tests/b.rs::fails"] == "failed"
    assert run.outcomes["one/tests/a.rs::deep::doubles"] == "passed"


@pytest.mark.parametrize("place", ['"tests/a.rs"', 'concat!(env!("CARGO_HOME"), "/config.toml")'])
def test_a_build_that_rewrites_the_tests_or_cargo_s_configuration_runs_none(project: Project, place: str) -> None:
    script = f'fn main() {{\n    std::fs::write({place}, "#[test]\\nfn easy() {{}}\\n").unwrap();\n}}\n'
    run = project.run({"one/build.rs": script})
    assert (run.outcomes, run.collection_errors) == ({}, ("",))


def test_what_a_build_leaves_running_is_ended_before_the_tests(project: Project) -> None:
    script = """
use std::process::{Command, Stdio};
fn main() {
    Command::new("sleep").arg("12345").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
}
"""
    look = """
#[test]
fn nobody_sleeps() {
    let lines = std::fs::read_dir("/proc").unwrap().flatten();
    let texts = lines.filter_map(|entry| std::fs::read_to_string(entry.path().join("cmdline")).ok());
    assert_eq!(texts.filter(|text| text.starts_with("sleep")).count(), 0);
}
"""
    run = project.run({"one/build.rs": script, "one/tests/b.rs": look})
    assert run.outcomes["one/tests/b.rs::nobody_sleeps"] == "passed"


def test_a_test_program_that_another_one_rewrote_is_not_started(project: Project) -> None:
    vandal = """
#[test]
fn first() {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with("b-") && !name.contains('.') {
            std::fs::remove_file(entry.path()).unwrap();
            std::fs::write(entry.path(), "#!/bin/sh\\n").unwrap();
        }
    }
}
"""
    run = project.run({"one/tests/a.rs": vandal})
    assert run.collection_errors == ("one/tests/b.rs",)
    assert run.outcomes["one/tests/a.rs::first"] == "passed"


def test_under_nextest_s_file_each_test_has_a_process_and_a_canary_pair(project: Project) -> None:
    alone = """
static SEEN: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
#[test]
fn one() {
    assert_eq!(SEEN.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
}
#[test]
fn two() {
    assert_eq!(SEEN.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
}
"""
    shared = project.run({"one/tests/a.rs": alone})
    apart = project.run({"one/tests/a.rs": alone}, isolation="process")
    told = [run.outcomes[f"one/tests/a.rs::{name}"] for run in (shared, apart) for name in ("one", "two")]
    assert told == ["passed", "failed", "passed", "passed"]
    assert (apart.canary, apart.complete, apart.exit_status) == ("right", True, 0)


def test_a_toolchain_that_is_another_than_was_asked_for_is_no_install(project: Project, tmp_path: Path) -> None:
    real = toolchain(project.environment.runtime.version, project.sandbox)
    workshop = Workshop(tmp_path / "box", tmp_path / "cache", offline=True)
    (tmp_path / "box" / "tree").mkdir(parents=True)
    (tmp_path / "box" / "tree" / "Cargo.toml").write_text(TREE["Cargo.toml"])
    with pytest.raises(InfrastructureError, match="install could not start"):
        rust_install.install(project.environment, replace(real, version="1.2.3"), workshop, project.sandbox)
