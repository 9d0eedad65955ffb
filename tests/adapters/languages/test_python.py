"""The Python language: what decides tests, how an install's failure is told, how a suite is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.languages import python_install
from adapters.languages.python import Python, _folders, _test_command
from adapters.languages.python_install import BUILD_MARK, _packages, project_install
from adapters.languages.steps import _explain, read_made
from redgreen.documents import EnvironmentFacts, Runtime
from redgreen.errors import InfrastructureError, Rejected
from redgreen.language import Workshop
from redgreen.sandbox import Finished

DAY = "2026-03-02T09:00:00Z"


def environment(day: str = DAY, version: str = "3.13.0", runner: str = "pytest", **settings: str) -> EnvironmentFacts:
    return EnvironmentFacts(
        runtime=Runtime(name="cpython", version=version),
        manager="pip",
        runner=runner,
        inputs=(),
        requirements=("pytest",),
        settings=settings,
        exclude_newer=day,
    )


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_a.py",
        "src/pkg/tests/data/x.json",
        "pkg/test_a.py",
        "a_test.py",
        "tests.py",
        "conftest.py",
        "src/pkg/conftest.py",
        "tests/__snapshots__/a.ambr",
        "testing/helpers.py",
    ],
)
def test_tests_and_what_they_read_are_tests(path: str) -> None:
    assert Python().is_test(path)
    assert Python().decides_tests(path)


@pytest.mark.parametrize(
    "path",
    [
        "pytest.ini",
        "tox.ini",
        "pyproject.toml",
        "setup.cfg",
        "noxfile.py",
        "sitecustomize.py",
        "src/usercustomize.py",
        "evil.pth",
        "pytest.py",
        "unittest/__init__.py",
        "_pytest/x.py",
        "pytest_cheat.py",
        "redgreen_pytest.py",
        "src/__pycache__/a.cpython-313.pyc",
    ],
)
def test_what_decides_how_tests_run_is_no_test_but_is_restored(path: str) -> None:
    assert not Python().is_test(path)
    assert Python().decides_tests(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/pkg/core.py",
        "pkg/latest.py",
        "attest/core.py",
        "src/pkg/testing/api.py",
        "setup.py",
        "contest_rules.py",
        "README.md",
    ],
)
def test_the_product_is_left_to_the_patch(path: str) -> None:
    assert not Python().decides_tests(path)


def test_a_canary_lies_beside_the_fixs_own_tests_or_at_the_root() -> None:
    assert _folders(["tests/unit/test_a.py", "tests/data/a.json", "tests/unit/test_b.py"]) == ["tests/unit", "."]
    assert _folders(["pyproject.toml"]) == ["."]


def test_the_suite_runs_in_one_process_and_one_order_whatever_is_installed() -> None:
    words = " ".join(_test_command(environment(plugins="pytest-cov,pytest-randomly,pytest-xdist")))
    for switch in ("--no-cov", "-n0", "-p no:randomly", "--maxfail=0", "--continue-on-collection-errors"):
        assert switch in words
    assert "--no-cov" not in " ".join(_test_command(environment()))


def test_a_project_without_pytest_runs_under_unittest_in_its_test_folders() -> None:
    words = _test_command(environment(runner="unittest", test_paths="tests,more"))
    assert words[-2:] == ["tests", "more"]
    assert words[1].endswith("redgreen_unittest.py")


def ended(stderr: str, status: int | None = 1, how: str = "exited") -> Finished:
    return Finished(status, how, b"", stderr.encode(), 1.0)  # type: ignore[arg-type]


def workshop(tmp_path: Path, *, offline: bool = False) -> Workshop:
    return Workshop(box=tmp_path, cache=tmp_path, offline=offline)


def test_requirements_that_do_not_resolve_are_the_projects_own_fault(tmp_path: Path) -> None:
    said = "redgreen-step venv\nredgreen-step resolve\n  × No solution found:\n  ╰─▶ Because nope was not found\n"
    with pytest.raises(Rejected, match="resolve: No solution found") as raised:
        _explain(ended(said), workshop(tmp_path), [], ["venv"])
    assert raised.value.reason == "install_failed"


def test_a_network_that_fails_is_nobodys_verdict(tmp_path: Path) -> None:
    said = "redgreen-step resolve\nerror: Failed to fetch: `https://x/simple`\n  Caused by: error sending request\n"
    with pytest.raises(InfrastructureError, match="install, resolve"):
        _explain(ended(said), workshop(tmp_path), [], ["venv"])


def test_a_build_that_asks_for_another_host_is_rejected_by_its_name(tmp_path: Path) -> None:
    said = "redgreen-step project\nerror sending request\n"
    with pytest.raises(Rejected, match=r"asks for evil\.example, which is no package registry"):
        _explain(ended(said), workshop(tmp_path), ["evil.example"], ["venv"])


def test_an_interpreter_that_does_not_start_is_nobodys_verdict(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match="could not start"):
        _explain(
            ended("redgreen-step venv\nerror: Failed to inspect Python interpreter\n"), workshop(tmp_path), [], ["venv"]
        )


def test_an_install_that_does_not_end_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(Rejected, match="ended by a limit: timeout"):
        _explain(ended("redgreen-step project\n", None, "timeout"), workshop(tmp_path), [], ["venv"])


def test_the_detail_of_a_failure_holds_no_address_and_no_path_of_ours(tmp_path: Path) -> None:
    said = "redgreen-step project\nerror: see https://x/y at /redgreen/box/tree/setup.py\n"
    with pytest.raises(Rejected) as raised:
        _explain(ended(said), workshop(tmp_path), [], ["venv"])
    assert str(raised.value) == "project: error: see <address> at <path>"


def test_a_lock_that_the_build_turned_into_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("host")
    (tmp_path / "lock.txt").symlink_to(tmp_path / "secret")
    with pytest.raises(Rejected, match=r"replaced lock\.txt"):
        read_made(tmp_path / "lock.txt")


def test_the_lock_says_what_the_tests_run_with_and_not_what_builds_the_project() -> None:
    lock = (
        f"pytest==9.0.2 \\\n    --hash=sha256:aa\ncolorama==0.4.6 ; sys_platform == 'win32'\n{BUILD_MARK}\nwheel==1.0\n"
    )
    assert [(one.name, one.version) for one in _packages(lock.encode())] == [("pytest", "9.0.2"), ("colorama", "0.4.6")]


def test_an_old_project_is_built_with_a_setuptools_that_knows_editable_installs() -> None:
    assert f"setuptools={python_install.EDITABLE_SETUPTOOLS}" in project_install(environment("2021-04-01T00:00:00Z"))
    assert "exclude-newer-package" not in project_install(environment())


def test_bytecode_is_compiled_only_where_uv_can() -> None:
    assert python_install._compiles_bytecode(environment(version="3.8.18"))
    assert not python_install._compiles_bytecode(environment(version="3.7.16"))


def test_the_registries_are_hosts_and_an_index_of_your_own_joins_them(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = python_install.registries()
    assert len(usual) == 2 and all("." in host and "/" not in host for host in usual)
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://index.example/simple")
    assert python_install.registries() == (*usual, "index.example")
