"""The Rust language: what decides tests, which toolchain a project gets, what its manifests and its lock say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adapters.languages import rust_install, rust_toolchains
from adapters.languages.rust import Rust, _tests_of
from adapters.languages.rust_manifest import CRATES_IO, lock_file, lock_lines, ways, workspace
from adapters.languages.rust_toolchains import Toolchain, Wanted, _version_of, choose, released, toolchain
from redgreen.errors import InfrastructureError, Rejected
from redgreen.sandbox import Command, Finished

DAY = "2026-04-20T09:00:00Z"
RUSTS = [Toolchain(version, f"/{version}") for version in ("1.85.0", "1.95.0", "1.96.0", "1.97.0-nightly")]


@pytest.mark.parametrize(
    "path",
    [
        "tests/a.rs",
        "crates/x/tests/data/in.txt",
        "src/parse/tests.rs",
        "src/parse/test.rs",
        "src/tests/mod.rs",
        "src/test_dates.rs",
        "src/date_test.rs",
        "test-suite/src/lib.rs",
        "crates/util-tests/src/lib.rs",
        "src/snapshots/a__b.snap",
        "proptest-regressions/a.txt",
        "tests",
        "src/date_test.rs/mod.rs",
    ],
)
def test_tests_and_what_they_read_are_tests(path: str) -> None:
    assert Rust().is_test(path)
    assert Rust().decides_tests(path)


@pytest.mark.parametrize(
    "path",
    [
        "Cargo.toml",
        "crates/x/Cargo.toml",
        "Cargo.lock",
        "build.rs",
        "crates/x/build.rs",
        "build/probe.rs",
        ".cargo/config.toml",
        "crates/x/.cargo/config",
        "rust-toolchain",
        "rust-toolchain.toml",
        ".config/nextest.toml",
        "benches/parse.rs",
        "target/debug/deps/a",
        "vendor/assert/src/lib.rs",
    ],
)
def test_what_decides_how_tests_run_is_no_source(path: str) -> None:
    assert Rust().decides_tests(path)
    assert not Rust().is_test(path)


@pytest.mark.parametrize(
    "path",
    ["src/lib.rs", "src/build/mod.rs", "src/attest.rs", "src/contest/lib.rs", "src/target/x.rs"],
)
def test_sources_are_scored_as_the_patch_has_them(path: str) -> None:
    assert Rust().is_source(path)
    assert not Rust().decides_tests(path)


def told(text: str) -> list[str]:
    return [word for pattern, word in Rust().suspicious.items() if re.search(pattern, text, re.MULTILINE)]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("    std::process::exit(0);", "ends the process"),
        ("    std::process::exit(code);", "ends the process"),
        ("fn main() {\n    std::process::exit(0);\n}", "ends the process"),
        ("use std::process::{self as p, exit as done};", "ends the process"),
        ('extern "C" {\n    fn _exit(status: i32) -> !;\n}', "ends the process"),
        ('#[link_section = ".init_array"]', "before main"),
        ("#[no_mangle]", "symbol"),
        ("    if cfg!(not(test)) {", "whether a test"),
        ("#[cfg(not(test))]", "whether a test"),
        ("    std::env::current_exe()", "whether a test"),
        ("    fn eq(&self, _: &Self) -> bool {\n        true\n    }", "comparison"),
        ("    fn cmp(&self, _: &Self) -> Ordering {\n        Ordering::Equal\n    }", "comparison"),
        ("macro_rules! assert_eq {", "assertion"),
        ("pub use fine as assert_ne;", "assertion"),
        ("pub struct Ok(pub u32);", "prelude"),
        ("static CALLS: AtomicU32 = AtomicU32::new(0);", "counts"),
        ("    std::panic::Location::caller()", "caller"),
        ('    std::fs::read_to_string("tests/a.rs")', "test file"),
        ("    std::process::Command::new(name)", "another program"),
        ("    std::panic::set_hook(Box::new(|_| {}));", "panics"),
        ('    std::fs::write(format!("/proc/{process}/fd/3"), text)', "descriptor"),
    ],
)
def test_code_that_takes_hold_of_its_tests_is_told(text: str, word: str) -> None:
    assert any(word in said for said in told(text))


@pytest.mark.parametrize(
    "text",
    [
        "fn main() {\n    let all = std::env::args().count();\n    std::process::exit(run(all));\n}",
        "#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(1, 1);",
        "    fn eq(&self, other: &Self) -> bool {\n        self.at == other.at\n    }",
        "macro_rules! assert_close {\n    () => {};\n}\n\npub type Result<T> = std::result::Result<T, Error>;",
        'static WORDS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"a").unwrap());',
        '    let app = clap::Command::new("app").arg("test");',
        "#[track_caller]\npub fn at(&self) {}",
    ],
)
def test_honest_code_is_not_suspected(text: str) -> None:
    assert told(text) == []


def test_a_manifest_says_nothing_about_which_package_is_tested() -> None:
    assert _tests_of(["Cargo.toml", "a/Cargo.toml", "a/tests/x.rs"]) == ["a/tests/x.rs"]


@pytest.mark.parametrize(
    ("wanted", "version"),
    [
        (Wanted(), "1.95.0"),  # 1.96 came out in May 2026
        (Wanted("stable"), "1.95.0"),
        (Wanted("1.85"), "1.85.0"),
        (Wanted("1.70.0"), "1.85.0"),  # the next newer one that is here
        (Wanted(oldest="1.96"), "1.96.0"),
        (Wanted("nightly"), "1.97.0-nightly"),
    ],
)
def test_a_project_gets_the_rust_of_its_day_or_the_one_that_it_pins(wanted: Wanted, version: str) -> None:
    assert choose(wanted, DAY, RUSTS).version == version


def test_before_every_toolchain_s_day_the_oldest_is_the_closest() -> None:
    assert choose(Wanted(oldest="1.31"), "2019-01-01T00:00:00Z", RUSTS).version == "1.85.0"


@pytest.mark.parametrize("wanted", [Wanted("1.98.0"), Wanted(oldest="2.0")])
def test_a_rust_that_is_not_here_is_this_machine_s_fault(wanted: Wanted) -> None:
    with pytest.raises(InfrastructureError, match="or newer is needed"):
        choose(wanted, DAY, RUSTS)


def test_nightly_is_never_taken_for_stable() -> None:
    with pytest.raises(InfrastructureError):
        choose(Wanted(), DAY, RUSTS[-1:])


def test_releases_come_every_six_weeks() -> None:
    assert abs((released("1.85.0") - released("1.85.0").replace(2025, 2, 20)).days) <= 2


def test_a_toolchain_tells_its_version_by_its_own_files(tmp_path: Path) -> None:
    listing = tmp_path / "lib" / "rustlib" / "multirust-channel-manifest.toml"
    listing.parent.mkdir(parents=True)
    assert _version_of(tmp_path) is None
    (tmp_path / "lib" / "libLLVM.so.18.1-rust-1.80.1-stable").touch()
    assert _version_of(tmp_path) == "1.80.1"
    listing.write_text('[pkg.rustc]\nversion = "1.81.0-nightly (506052d49 2024-06-16)"\n')
    assert _version_of(tmp_path) == "1.81.0-nightly"


class Nothing:
    """A sandbox without a Rust of its own."""

    name = "nothing"
    image = None

    def run(self, command: Command) -> Finished:
        return Finished(127, "exited", b"", b"", 0.0)

    def own(self, folder: Path) -> None: ...

    def remove(self, folder: Path) -> None: ...


def test_a_missing_toolchain_is_named_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RUSTUP_HOME", str(tmp_path))
    monkeypatch.setattr(rust_toolchains, "_ASKED", {})
    assert Rust().runtimes(Nothing()) == ()
    with pytest.raises(InfrastructureError) as told:
        toolchain("1.95.0", Nothing())
    assert "rustup toolchain install 1.95.0" in str(told.value.hint)


def project(tree: Path, **files: str) -> Path:
    for name, text in {"Cargo.toml": '[package]\nname = "x"\n', **files}.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    return tree


def first_way(tree: Path) -> dict[str, str]:
    return ways(tree, DAY, lambda wanted: choose(wanted, DAY, RUSTS))[0].settings


def test_all_features_are_tried_first_where_ci_tests_with_them(tmp_path: Path) -> None:
    assert len(ways(project(tmp_path), DAY, lambda _: RUSTS[1])) == 1
    project(tmp_path, **{".github/workflows/ci.yml": "- run: cargo clippy --all-features\n- run: cargo test\n"})
    assert len(ways(tmp_path, DAY, lambda _: RUSTS[1])) == 1
    project(tmp_path, **{".github/workflows/ci.yml": "- run: cargo test --workspace --all-features\n"})
    found = ways(tmp_path, DAY, lambda _: RUSTS[1])
    assert [way.settings.get("features") for way in found] == ["all", None]


def test_the_toolchain_file_is_asked_in_both_of_its_forms(tmp_path: Path) -> None:
    asked: list[Wanted] = []

    def note(wanted: Wanted) -> Toolchain:
        asked.append(wanted)
        return RUSTS[0]

    ways(project(tmp_path, **{"rust-toolchain": "1.70.0\n"}), DAY, note)
    ways(project(tmp_path, **{"rust-toolchain": '[toolchain]\nchannel = "1.71"\n'}), DAY, note)
    ways(project(tmp_path, **{"rust-toolchain.toml": '[toolchain]\nchannel = "nightly"\n'}), DAY, note)
    assert [wanted.channel for wanted in asked] == ["1.70.0", "1.71", "nightly"]


def test_warnings_of_a_newer_compiler_are_capped_where_they_would_fail_the_build(tmp_path: Path) -> None:
    assert "cap_lints" not in first_way(project(tmp_path))
    settings = first_way(project(tmp_path, **{"src/lib.rs": "#![cfg_attr(test, deny(warnings))]\n"}))
    assert settings["cap_lints"] == "yes"


def test_nextest_s_file_gives_each_test_a_process(tmp_path: Path) -> None:
    way = ways(project(tmp_path, **{".config/nextest.toml": ""}), DAY, lambda _: RUSTS[1])[0]
    assert (way.runner, way.settings["isolation"]) == ("nextest", "process")


def test_examples_are_run_where_they_are_few(tmp_path: Path) -> None:
    example = "/// ```\n/// assert!(true);\n/// ```\nfn f() {}\n"
    project(tmp_path, **{"src/lib.rs": example, "b/Cargo.toml": "", "b/src/lib.rs": example * 61})
    assert first_way(tmp_path)["doctests"] == "."


def test_a_manifest_below_the_root_is_found_unless_there_are_several(tmp_path: Path) -> None:
    project(tmp_path / "rust", **{"inner/Cargo.toml": ""})
    assert workspace(tmp_path) == tmp_path / "rust"
    project(tmp_path / "other")
    with pytest.raises(Rejected, match="2 below it"):
        workspace(tmp_path)


def test_a_manifest_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(Rejected, match=r"Cargo\.toml cannot be read"):
        first_way(project(tmp_path, **{"Cargo.toml": "[package"}))


def entry(name: str, version: str, source: str = CRATES_IO, **more: str) -> str:
    lines = {"name": name, "version": version, "source": source, **more}
    return "[[package]]\n" + "".join(f'{key} = "{value}"\n' for key, value in lines.items() if value) + "\n"


def test_a_lock_holds_what_comes_from_the_registry_with_its_hash(tmp_path: Path) -> None:
    text = entry("b", "1.0.0", checksum="b" * 64) + entry("own", "0.1.0", "") + entry("a", "2.0.0", checksum="a" * 64)
    lines = lock_lines(text.encode())
    assert lines == [f"a 2.0.0 sha256:{'a' * 64}", f"b 1.0.0 sha256:{'b' * 64}"]
    assert lock_lines(lock_file(lines).encode()) == lines


def test_the_first_lock_format_keeps_hashes_apart() -> None:
    text = entry("a", "2.0.0") + f'[metadata]\n"checksum a 2.0.0 ({CRATES_IO})" = "{"c" * 64}"\n'
    assert lock_lines(text.encode()) == [f"a 2.0.0 sha256:{'c' * 64}"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (entry("a", "1.0.0", "git+https://git.invalid/a#123"), "a git repository"),
        (entry("a", "1.0.0", "registry+https://else.invalid/index", checksum="a" * 64), "another registry"),
        (entry("a", "1.0.0"), "another registry"),  # without a hash
        ("[[package", "cannot be read"),
    ],
)
def test_what_cannot_be_locked_is_unsupported(text: str, told: str) -> None:
    with pytest.raises(Rejected, match=told) as refused:
        lock_lines(text.encode())
    assert refused.value.reason == "unsupported"


def test_a_mirror_of_the_registry_is_asked_as_cargo_is_told_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    public = rust_install.registries()
    monkeypatch.setenv("CARGO_REGISTRY_DEFAULT", "our-mirror")
    monkeypatch.setenv("CARGO_REGISTRIES_OUR_MIRROR_INDEX", "sparse+https://crates.example.invalid/index/")
    assert rust_install.registries() == (*public, "crates.example.invalid")
    assert 'registry = "sparse+https://crates.example.invalid/index/"' in rust_install._mirror()
