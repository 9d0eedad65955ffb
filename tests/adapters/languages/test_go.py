"""The Go language: what decides tests, which modules run, which Go, and what a lock says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adapters.languages import go_install
from adapters.languages.go import Go, _facts, _flags, modules_of
from adapters.languages.go_install import _difference, _packages, registries
from adapters.languages.go_project import Project, directive, read_project
from adapters.languages.go_versions import RELEASES, Choice, choose, full, newest, parse
from redgreen.errors import Rejected

DAY = "2025-01-01T00:00:00Z"


@pytest.mark.parametrize(
    "path",
    [
        "parse_test.go",
        "cmd/tool/main_test.go",
        "export_test.go",
        "testdata/a.json",
        "internal/x/testdata/fuzz/FuzzParse/1",
        "render/golden/a.txt",
        "a.golden",
        "internal/testutil/files.go",
        "internal/assert/assert.go",
        "pkg/testhelpers/db.go",
        "test/integration/main.go",
        "e2e/run.go",
        "parse_test.go/parse.go",
        "testdata",
    ],
)
def test_tests_and_what_they_read_are_tests(path: str) -> None:
    assert Go().is_test(path)
    assert Go().decides_tests(path)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "go.mod",
            "go.sum",
            "go.work",
            "go.work.sum",
            "sub/go.mod",
            "vendor/modules.txt",
            "vendor/x.test/a/assert.go",
        ),
        *("parse/evil.syso", "lib/a.a", "lib/a.o"),
    ],
)
def test_what_decides_which_code_is_meant_is_no_test_but_is_restored(path: str) -> None:
    assert not Go().is_test(path)
    assert Go().decides_tests(path)


@pytest.mark.parametrize(
    "path",
    [
        *("parse.go", "testing.go", "latest.go", "hooks/test/test.go", "httptest/server.go", "assert/assertions.go"),
        *("contest/rules.go", "vendors/list.go", "Makefile", "README.md", "mod.go"),
    ],
)
def test_the_product_is_left_to_the_patch(path: str) -> None:
    assert not Go().decides_tests(path)


def told(text: str) -> list[str]:
    table = Go().suspicious
    return [word for pattern, word in table.items() if re.search(pattern, text, re.MULTILINE)]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("\tos.Exit(0)", "ends the process"),
        ("\tos.Exit(code)", "ends the process"),
        ("package main\n\nfunc main() {\n\tos.Exit(0)\n}", "ends the process"),
        ("\tsyscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)", "ends the process"),
        ('\tif strings.HasSuffix(name, ".test") {', "whether a test"),
        ('\tif flag.Lookup("test.v") != nil {', "whether a test"),
        ("//go:linkname run testing.tRunner", "linkname"),
        ('// #cgo LDFLAGS: -s\nimport "C"', "cgo"),
        ("TEXT ·answer(SB), NOSPLIT, $0-8", "assembly"),
        ("func (e fault) Is(error) bool { return true }", "comparison"),
        ("func (m Metres) Compare(o Metres) int {\n\treturn 0\n}", "comparison"),
        ("const true = false", "predeclared"),
        ("func len(any) int { return 1 }", "predeclared"),
        ("var calls int", "counts"),
        ("var (\n\tname = 1\n\tcalls atomic.Int64\n)", "counts"),
        ("\t_, file, _, _ := runtime.Caller(1)", "caller"),
        ('\tos.ReadFile("parse_test.go")', "test file"),
        ('\t"os/exec"', "another program"),
        ("//go:embed *", "embeds"),
        ("//go:embed a.txt all:. b.txt", "embeds"),
        ('\tos.Open("/proc/self/fd/3")', "descriptor"),
    ],
)
def test_code_that_takes_hold_of_its_tests_is_told(text: str, word: str) -> None:
    assert any(word in said for said in told(text))


@pytest.mark.parametrize(
    "text",
    [
        "package main\n\nfunc main() {\n\tos.Exit(run(os.Args))\n}",
        "func (e *Fault) Is(target error) bool { return target == ErrText }",
        "func (a Set) Equal(b Set) bool {\n\treturn len(a) == len(b)\n}",
        'var ErrText = errors.New("no")\n\nvar names = map[string]int{"a": 1}',
        "\tlen := 3\n\tok = true\n\tvar calls int\n\tcalls++\n\terr = nil",
        'const host = "example.test"\n\nfunc max(a, b int) int { return a }',
        "//go:embed pages/*.html all:static a.txt *.sql",
        "type Reader struct {\n\tcalls int\n}",
    ],
)
def test_honest_code_is_not_suspected(text: str) -> None:
    assert told(text) == []


def test_the_modules_that_hold_the_fixs_tests_are_run_and_the_choice_hangs_on_nothing_else() -> None:
    modules = [".", "api", "api/v2", "tools"]
    assert modules_of(modules, ["api/v2/a_test.go"]) == ["api/v2"]
    assert modules_of(modules, ["a_test.go", "tools/testdata/x"]) == [".", "tools"]
    assert modules_of(modules, ["apis/a_test.go"]) == ["."]
    assert modules_of(["api", "tools"], ["a_test.go"]) == ["api", "tools"]
    assert modules_of(modules, ["go.mod", "api/a_test.go"]) == ["api"]


# ---- versions --------------------------------------------------------------------------------------------------------
def test_the_newest_go_of_the_day_runs_a_project_that_names_none() -> None:
    assert choose("2024-03-01T00:00:00Z", least=["1.13"], exact=[], named=[]) == Choice(("1.22.12",))


def test_a_project_of_before_structured_results_has_the_oldest_go_that_tells_them_and_no_vet_of_later_years() -> None:
    for named in ([], ["1.12", "1.14"]):
        choice = choose("2020-01-01T00:00:00Z", least=["1.12"], exact=[], named=named)
        assert choice == Choice(("1.21.13",), stands_in=True)
    way = _facts(Project((".",), (), (), (), ()), "1.21.13", DAY, stands_in=True)
    assert "-vet=off" in _flags(way)
    assert not any("vet" in flag for flag in _flags(way.model_copy(update={"settings": {"modules": "."}})))


def test_the_newest_that_continuous_integration_names_counts_if_it_was_out() -> None:
    day = "2024-05-01T00:00:00Z"
    assert choose(day, least=["1.15"], exact=[], named=["1.20", "1.21", "1.19.x"]) == Choice(("1.21.13",))
    assert choose(day, least=["1.15"], exact=[], named=["1.21", "1.23"]) == Choice(("1.21.13",))
    for newest_of_all in ("stable", "1.x", "^1.18", ">=1.17.0", "1"):
        assert choose(day, least=["1.15"], exact=[], named=["1.21", newest_of_all]) == Choice(("1.22.12",))
    assert choose(day, least=["1.15"], exact=[], named=["tip", "oldstable"]) == Choice(("1.22.12",))


def test_a_go_line_is_the_least() -> None:
    assert choose(DAY, least=["1.22", "1.23.4"], exact=[], named=["1.21"]) == Choice(("1.23.12",))
    assert choose("2026-11-01T00:00:00Z", least=["1.27.9"], exact=[], named=["1.21"]) == Choice(("1.27.9", "1.27.4"))


def test_a_toolchain_line_is_taken_at_its_word_and_the_last_patch_release_stands_in_for_one_that_is_gone() -> None:
    assert choose(DAY, least=["1.22"], exact=["go1.23.1"], named=["1.22"]) == Choice(("1.23.1", "1.23.12"))
    assert choose(DAY, least=["1.22"], exact=["default"], named=["1.22"]) == Choice(("1.22.12",))


def test_releases_are_called_as_go_calls_them() -> None:
    assert full((1, 21, 0)) == "1.21.0"
    assert full((1, 99)) == "1.27.4"
    assert parse("1.20") == (1, 20)
    assert parse("${{ matrix.go }}") is None
    assert newest("2024-02-06T00:00:00Z") == (1, 22)
    assert sorted(day for day, _ in RELEASES.values()) == [day for day, _ in RELEASES.values()]


# ---- a project's files -----------------------------------------------------------------------------------------------
def write(tree: Path, **files: str) -> Path:
    for name, text in files.items():
        path = tree / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tree


def test_modules_are_found_where_the_go_command_would_look(tmp_path: Path) -> None:
    tree = write(
        tmp_path, go_mod="module x.test/a\n\ngo 1.21\n", api__go_mod="module x.test/a/api\ntoolchain go1.22.3\n"
    )
    for hidden in ("vendor/b", "testdata/c", "_examples/d", ".github/e", "api/testdata/f"):
        (tree / hidden).mkdir(parents=True)
        (tree / hidden / "go.mod").write_text("module x.test/hidden\ngo 1.99\n")
    project = read_project(tree)
    assert project.modules == (".", "api")
    assert project.least == ("1.21",)
    assert project.exact == ("go1.22.3",)
    assert project.inputs == ("go.mod", "api/go.mod")


def test_a_project_from_before_modules_is_refused_with_a_reason(tmp_path: Path) -> None:
    with pytest.raises(Rejected, match=r"no go\.mod") as raised:
        read_project(write(tmp_path, a_go="package a\n"))
    assert raised.value.reason == "unsupported"


WORKFLOW = """
on: push
jobs:
  test:
    container: golang:1.18
    strategy:
      matrix:
        go: [1.19, '1.20']
    steps:
      - uses: actions/setup-go@v4
        with:
          go-version: ${{ matrix.go }}
      - uses: actions/setup-go@v4
        with: {go-version: stable}
"""


def test_versions_are_read_from_continuous_integration_as_text(tmp_path: Path) -> None:
    (tmp_path / ".github/workflows").mkdir(parents=True)
    (tmp_path / ".github/workflows/test.yml").write_text(WORKFLOW)
    (tmp_path / ".github/workflows/odd.yml").write_text("a: [\n")
    (tmp_path / ".travis.yml").write_text("language: go\ngo:\n  - 1.10\n  - tip\n")
    project = read_project(write(tmp_path, go_mod="module x.test/a\n"))
    assert sorted(project.named) == ["1.10", "1.18", "1.19", "1.20", "stable", "tip"]
    assert project.inputs == ("go.mod", ".github/workflows/test.yml: go", ".travis.yml: go")


def test_a_file_that_repeats_itself_without_end_says_nothing_and_takes_no_time(tmp_path: Path) -> None:
    bomb = "a0: &a0 [go, go]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
    write(tmp_path, go_mod="module x.test/a\n")
    (tmp_path / ".travis.yml").write_text(bomb)
    assert read_project(tmp_path).named == ()


def test_a_link_that_leaves_the_tree_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("go 1.11\n")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/go.mod").symlink_to(tmp_path / "secret")
    assert read_project(tmp_path / "tree").least == ()


def test_directives_are_those_at_the_start_of_a_line() -> None:
    text = "module x.test/a\n\ngo 1.21.0 // least\n\nrequire (\n\tx.test/go 1.5\n)\ntoolchain go1.22.3\n"
    assert directive(text, "go") == ["1.21.0"]
    assert directive(text, "toolchain") == ["go1.22.3"]


# ---- lock and registries ---------------------------------------------------------------------------------------------
LOCK = b"golang.org/toolchain v0.0.1-go1.26.8.linux-amd64 h1:aaa=\nx.test/a v1.0.0 h1:bbb=\n"


def test_every_line_of_a_lock_is_a_package() -> None:
    assert [(one.name, one.version) for one in _packages(LOCK)] == [
        ("golang.org/toolchain", "v0.0.1-go1.26.8.linux-amd64"),
        ("x.test/a", "v1.0.0"),
    ]


def test_a_lock_that_is_not_met_is_told_by_its_first_line() -> None:
    other = LOCK.replace(b"h1:bbb=", b"h1:ccc=")
    assert "x.test/a v1.0.0 h1:bbb=" in _difference(LOCK, other)


def test_only_gos_own_registries_are_asked_and_a_proxy_of_your_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOPROXY", raising=False)
    public = registries()
    assert len(public) == 2
    monkeypatch.setenv("GOPROXY", "off,direct")
    assert registries() == public
    monkeypatch.setenv("GOPROXY", "https://goproxy.example.test/go/|https://other.example.test,direct")
    assert registries() == (public[0], "goproxy.example.test", public[1])
    assert go_install.proxy() == "https://goproxy.example.test/go"
