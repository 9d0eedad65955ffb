"""Go, for real: a little project of two modules is installed and its tests are run, in whatever sandbox is here."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from conftest import missing

import adapters
from adapters.languages import go as adapter
from adapters.languages.go import Go
from redgreen.documents import Run
from redgreen.errors import InfrastructureError, Rejected
from redgreen.language import Installed, Trial, Workshop
from redgreen.launch import Raw
from redgreen.sandbox import Sandbox

GO_MOD = "module x.test/sums\n\ngo 1.22\n\ntoolchain go1.26.8\n\nrequire github.com/google/go-cmp v0.6.0\n"
GO_SUM = """github.com/google/go-cmp v0.6.0 h1:ofyhxvXcZhMsU5ulbFiLKl/XBFqE1GSq7atu8tAmTRI=
github.com/google/go-cmp v0.6.0/go.mod h1:17dUlkBOakJ0+DkrSSNjCkIjxS6bF9zb3elmeNGIjoY=
"""
SUMS = "package sums\n\nfunc Sum(a, b int) int { return a + b }\n"
SUMS_TEST = """package sums

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSum(t *testing.T) {
	for _, name := range []string{"one and one", "two"} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(2, Sum(1, 1)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestLater(t *testing.T) { t.Skip("later") }

func ExampleSum() {
	fmt.Println(Sum(1, 2))
	// Output: 3
}

func FuzzSum(f *testing.F) {
	f.Add(1, 2)
	f.Fuzz(func(t *testing.T, a, b int) {
		if Sum(a, b) != Sum(b, a) {
			t.Fail()
		}
	})
}
"""
WORDS_TEST = """package words

import "testing"

func TestWords(t *testing.T) {}
"""
TREE = {
    "go.mod": GO_MOD,
    "go.sum": GO_SUM,
    "sums.go": SUMS,
    "sums_test.go": SUMS_TEST,
    "words/words.go": "package words\n",
    "words/words_test.go": WORDS_TEST,
    "tools/go.mod": "module x.test/sums/tools\n\ngo 1.22\n",
    "tools/tools_test.go": 'package tools\n\nimport "testing"\n\nfunc TestTools(t *testing.T) {}\n',
}
WHOLE = {
    ".::ExampleSum": "passed",
    ".::FuzzSum": "passed",
    ".::FuzzSum/seed#0": "passed",
    ".::TestLater": "skipped",
    ".::TestSum": "passed",
    ".::TestSum/one_and_one": "passed",
    ".::TestSum/two": "passed",
    "words::TestWords": "passed",
}


def lay(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@dataclass(frozen=True)
class Project:
    """`box` is installed; `cache` holds what that took."""

    box: Path
    cache: Path
    base: Path
    installed: Installed
    sandbox: Sandbox

    def raw(self, changes: dict[str, str] | None = None, files: tuple[str, ...] = ("sums_test.go",)) -> Raw:
        delta = None
        if changes:
            delta = self.base.parent / "delta"
            shutil.rmtree(delta, ignore_errors=True)
            lay(delta / "files", changes)
            (delta / "deleted").write_bytes(b"")
        trial = Trial(self.box, delta, files, 0, self.cache)
        return Go().run_tests(self.installed.environment, trial, self.sandbox)

    def run(self, changes: dict[str, str] | None = None, files: tuple[str, ...] = ("sums_test.go",)) -> Run:
        return Go().parse_results(self.installed.environment, self.raw(changes, files))


@pytest.fixture(scope="session")
def go_sandbox(out: Path) -> Sandbox:
    told = []
    for choice in ("auto", "process"):
        try:
            found = adapters.sandbox(choice, "go", out)
            if Go().runtimes(found):
                return found
            told.append(f"{found.name}: no Go")
        except InfrastructureError as error:
            told.append(str(error))
    return missing("; ".join(told))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, go_sandbox: Sandbox) -> Project:
    folder = tmp_path_factory.mktemp("sums")
    lay(folder / "base", TREE)
    box, cache = folder / "box", folder / "cache"
    shutil.copytree(folder / "base", box / "tree")
    (way,) = Go().detect_environment(folder / "base", "2026-10-01T00:00:00Z", None, go_sandbox)
    try:
        installed = Go().install(way, Workshop(box, cache), go_sandbox)
    except InfrastructureError as error:
        missing(str(error))
    return Project(box, cache, folder / "base", installed, go_sandbox)


def test_install_leaves_the_tree_as_it_was_and_locks_every_module_with_its_hash(project: Project) -> None:
    for name, text in TREE.items():
        assert (project.box / "tree" / name).read_text() == text
    assert len([path for path in (project.box / "tree").rglob("*") if path.is_file()]) == len(TREE)
    names = [line.split()[0] for line in project.installed.lock.decode().splitlines()]
    assert names == ["github.com/google/go-cmp", "golang.org/toolchain"]
    assert f"{GO_SUM.splitlines()[0]}\n" in project.installed.lock.decode()
    assert "h1:ZOmGe1OnfREDMIdb1Qi4G9JSuDPBLGExZMQ4nis1RXM=" in project.installed.lock.decode()


def test_a_suite_reports_subtests_examples_fuzz_seeds_and_skips(project: Project) -> None:
    run = project.run()
    assert run.outcomes == WHOLE
    assert (run.complete, run.canary, run.exit_status, run.ended) == (True, "right", 0, "finished")


def test_only_the_module_of_the_fixs_tests_is_run(project: Project) -> None:
    run = project.run(files=("tools/tools_test.go",))
    assert run.outcomes == {"tools::TestTools": "passed"}
    assert run.canary == "right"


def test_a_fault_of_the_product_is_a_failed_test(project: Project) -> None:
    run = project.run({"sums.go": SUMS.replace("a + b", "a - b")})
    assert run.outcomes[".::TestSum/two"] == run.outcomes[".::ExampleSum"] == "failed"
    assert run.outcomes["words::TestWords"] == "passed"
    assert (run.complete, run.exit_status) == (True, 1)


def test_a_package_that_does_not_compile_is_broken_and_the_others_report(project: Project) -> None:
    run = project.run({"sums.go": "package sums\n\nfunc Sum() {\n"})
    assert run.collection_errors == (".",)
    assert run.outcomes == {"words::TestWords": "passed"}
    assert (run.complete, run.canary, run.exit_status) == (True, "absent", 1)


def test_a_module_that_cannot_be_read_is_broken_as_a_whole(project: Project) -> None:
    run = project.run({"go.mod": "module\n"})
    assert run.collection_errors == ("",)
    assert (run.complete, run.exit_status) == (True, 1)


def test_a_panic_fails_its_test_and_the_rest_did_not_run(project: Project) -> None:
    run = project.run({"sums.go": SUMS.replace("return a + b", 'panic("no")')})
    assert run.outcomes[".::TestSum/one_and_one"] == "failed"
    assert ".::ExampleSum" not in run.outcomes
    assert run.exit_status == 1


EXIT = 'package sums\n\nimport "os"\n\nfunc init() { os.Exit(0) }\n\nfunc Sum(a, b int) int { return 0 }\n'


def test_a_product_that_ends_the_tests_with_0_is_found_out_by_our_canary(project: Project) -> None:
    run = project.run({"sums.go": EXIT})
    assert run.canary == "wrong"
    assert not run.complete


FORGE = r"""package sums

import "fmt"

func Sum(a, b int) int {
	fmt.Println("\n--- PASS: TestSum (0.00s)\n    --- PASS: TestSum/two (0.00s)")
	fmt.Printf("\x16=== RUN   TestSum/two\n\x16--- PASS: TestSum/two (0.00s)\n")
	fmt.Println(`{"Action":"pass","Package":"x.test/sums","Test":"TestSum/two"}`)
	return 0
}
"""


def test_results_that_the_product_prints_hide_no_failure(project: Project) -> None:
    run = project.run({"sums.go": FORGE})
    assert run.outcomes[".::TestSum"] == run.outcomes[".::TestSum/two"] == "failed"


TEST_MAIN = """package words

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	m.Run()
	os.Exit(1)
}

func TestWords(t *testing.T) {}
"""


def test_a_package_that_fails_though_no_test_did_is_a_failure(project: Project) -> None:
    run = project.run({"words/words_test.go": TEST_MAIN})
    assert run.outcomes["words::TestWords"] == "passed"
    assert run.outcomes["words::(package)"] == "failed"
    assert (run.complete, run.exit_status) == (True, 1)


def test_a_hang_ends_its_package_alone(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "PACKAGE_TIMEOUT_S", 2)
    run = project.run({"sums.go": SUMS.replace("return a + b", "select {}")})
    assert run.outcomes[".::TestSum"] == "failed"
    assert run.outcomes["words::TestWords"] == "passed"
    assert run.ended == "finished"


DIAL = """package words

import (
	"net"
	"testing"
)

func TestWords(t *testing.T) {
	own, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	own.Close()
	if _, err := net.Dial("tcp", "192.0.2.1:443"); err == nil {
		t.Fatal("a way out")
	}
	if _, err := net.LookupHost("proxy.golang.org"); err == nil {
		t.Fatal("names can be looked up")
	}
}
"""


def test_tests_have_a_loopback_and_no_network(project: Project) -> None:
    assert project.run({"words/words_test.go": DIAL}).outcomes["words::TestWords"] == "passed"


def test_a_project_without_a_whole_go_sum_gets_none_and_runs_with_what_was_installed(
    project: Project, tmp_path: Path
) -> None:
    box = tmp_path / "box"
    lay(box / "tree", {name: text for name, text in TREE.items() if name != "go.sum"})
    installed = Go().install(project.installed.environment, Workshop(box, project.cache), project.sandbox)
    try:
        assert not (box / "tree" / "go.sum").exists()
        assert (box / "tree" / "go.mod").read_text() == GO_MOD
        assert installed.lock == project.installed.lock
        assert installed.environment.settings["loose"] == "."
        assert replace(project, box=box, installed=installed).run().outcomes == WHOLE
    finally:
        project.sandbox.remove(box)


def test_a_library_that_go_mod_does_not_name_is_not_looked_for(project: Project, tmp_path: Path) -> None:
    box = tmp_path / "box"
    lay(box / "tree", {**TREE, "go.mod": GO_MOD.partition("require")[0]})
    with pytest.raises(Rejected, match=r"go\.mod does not name github\.com/google/go-cmp"):
        Go().install(project.installed.environment, Workshop(box, project.cache), project.sandbox)
    project.sandbox.remove(box)


def again(project: Project, tmp_path: Path, change: Callable[[Workshop], Workshop]) -> Installed:
    box = tmp_path / "box"
    shutil.copytree(project.base, box / "tree")
    workshop = change(Workshop(box, project.cache, offline=True))
    try:
        return Go().install(project.installed.environment, workshop, project.sandbox)
    finally:
        project.sandbox.remove(box)


def test_the_lock_and_the_cache_give_the_same_without_a_network(project: Project, tmp_path: Path) -> None:
    made = again(project, tmp_path, lambda workshop: replace(workshop, lock=project.installed.lock))
    assert made == replace(project.installed, log=made.log)


def test_another_hash_than_the_locks_is_refused(project: Project, tmp_path: Path) -> None:
    other = project.installed.lock.replace(b"h1:ofyhxvXc", b"h1:AAAAAAAA")
    with pytest.raises(Rejected, match="lock: what was installed is not what the lock names") as raised:
        again(project, tmp_path, lambda workshop: replace(workshop, lock=other))
    assert raised.value.reason == "install_failed"


def test_what_the_cache_lacks_cannot_be_had_without_a_network(project: Project, tmp_path: Path) -> None:
    with pytest.raises(Rejected, match="modules:"):
        again(project, tmp_path, lambda workshop: replace(workshop, cache=empty_but_for_the_toolchain(project)))


def empty_but_for_the_toolchain(project: Project) -> Path:
    """A cache of its own, without the library."""
    cache = project.cache.with_name("other-cache")
    kept = project.cache / "download" / "golang.org"
    if kept.is_dir():
        shutil.copytree(kept, cache / "download" / "golang.org")
    return cache
