"""What is read from a project's files: managers, builds, versions, runners, and that nothing of it is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.languages.python_project import Project, read_project, version_variables

POETRY = '[tool.poetry]\nname = "a"\nversion = "1"\n[build-system]\nrequires = ["poetry-core"]\n'
HATCH = '[project]\nname = "a"\n[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'


def project(tree: Path, files: dict[str, str]) -> Project:
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    return read_project(tree)


@pytest.mark.parametrize(
    ("files", "manager"),
    [
        ({"setup.py": "from setuptools import setup\nsetup(name='a')"}, "pip"),
        ({"pyproject.toml": HATCH}, "hatch"),
        ({"pyproject.toml": HATCH, "uv.lock": ""}, "uv"),
        ({"pyproject.toml": POETRY}, "poetry"),
        ({"pyproject.toml": HATCH, "poetry.lock": ""}, "poetry"),
        ({"Pipfile": '[dev-packages]\npytest = "*"\n'}, "pipenv"),
        ({"pyproject.toml": HATCH + "[tool.pdm]\n"}, "pdm"),
        ({"pyproject.toml": '[project]\nname = "a"\n[tool.uv]\n'}, "uv"),
    ],
)
def test_tells_the_package_manager(tmp_path: Path, files: dict[str, str], manager: str) -> None:
    assert project(tmp_path, files).manager == manager


@pytest.mark.parametrize(
    ("files", "tool", "variables"),
    [
        (
            {"pyproject.toml": HATCH.replace('["', '["hatch-vcs", "')},
            "hatch-vcs",
            {"SETUPTOOLS_SCM_PRETEND_VERSION_FOR_A"},
        ),
        ({"setup.py": "setup(name='a', use_scm_version=True)"}, "setuptools_scm", {"SETUPTOOLS_SCM_PRETEND_VERSION"}),
        ({"setup.py": "setup(setup_requires=['pbr'], pbr=True)"}, "pbr", {"PBR_VERSION"}),
        ({"pyproject.toml": HATCH + '[tool.pdm.version]\nsource = "scm"'}, "pdm-scm", {"PDM_BUILD_SCM_VERSION"}),
        (
            {"pyproject.toml": POETRY.replace("poetry-core", 'poetry-core", "poetry-dynamic-versioning')},
            "poetry-dynamic-versioning",
            {"POETRY_DYNAMIC_VERSIONING_BYPASS"},
        ),
        (
            {"pyproject.toml": HATCH.replace('["', '["uv-dynamic-versioning", "')},
            "uv-dynamic-versioning",
            {"UV_DYNAMIC_VERSIONING_BYPASS"},
        ),
        ({"setup.py": "setup(name='a')", "versioneer.py": ""}, "versioneer", set()),
        ({"setup.py": "setup(name='a', version='1')"}, None, set()),
    ],
)
def test_gives_the_version_to_tools_that_would_ask_git(
    tmp_path: Path, files: dict[str, str], tool: str | None, variables: set[str]
) -> None:
    found = project(tmp_path, files)
    assert found.dynamic_version == tool
    given = version_variables(found, "v2.3.4")
    assert variables <= set(given)
    assert bool(given) == bool(variables)
    assert set(given.values()) <= {"2.3.4"}


@pytest.mark.parametrize(
    ("hint", "version"), [("release-1.2", "1.2"), ("1.2.3rc1", "1.2.3rc1"), ("x", "0.0.1"), (None, "0.0.1")]
)
def test_makes_a_version_of_any_hint(tmp_path: Path, hint: str | None, version: str) -> None:
    found = project(tmp_path, {"setup.py": "setup(name='a-b.c', use_scm_version=True)"})
    assert version_variables(found, hint)["SETUPTOOLS_SCM_PRETEND_VERSION_FOR_A_B_C"] == version


def test_adds_what_a_backend_asks_for_only_while_building(tmp_path: Path) -> None:
    assert project(tmp_path, {"pyproject.toml": HATCH}).build_requires == ("hatchling", "editables")


def test_old_setup_files_get_setuptools_wheel_and_what_they_import(tmp_path: Path) -> None:
    text = "from Cython.Build import cythonize\nsetup(name='a', setup_requires=['six'], ext_modules=cythonize('a.pyx'))"
    found = project(tmp_path, {"setup.py": text})
    assert found.build_backend == "setuptools.build_meta:__legacy__"
    assert found.build_requires == ("setuptools>=40.8.0", "wheel", "six", "cython")
    assert found.compiled


def test_reads_setup_py_without_running_it(tmp_path: Path) -> None:
    text = (
        "import os, sys\nopen('ran', 'w').write('x')\nsys.exit(1)\n"
        "PYTHONS = '>=3.6'\nEXTRAS = {'tests': ['pytest'] + ['pytest-cov']}\nEXTRAS['dev'] = EXTRAS['tests']\n"
        "settings = dict()\nsettings.update(name='thing')\n"
        "setup(python_requires=PYTHONS, extras_require=EXTRAS, package_dir={'': 'lib'}, **settings)\n"
    )
    (tmp_path / "lib").mkdir()
    found = project(tmp_path, {"setup.py": text})
    assert (found.name, found.requires_python, found.source_roots) == ("thing", ">=3.6", ("lib",))
    assert found.plans[0].extras == ("tests",)
    assert found.uses_cov
    assert not (tmp_path / "ran").exists()
    assert not Path("ran").exists()


def test_a_folder_of_scripts_is_not_installed_but_gets_its_runtime_in_every_plan(tmp_path: Path) -> None:
    found = project(tmp_path, {"requirements.txt": "requests\n", "tool.py": "", "test_tool.py": "import pytest\n"})
    assert not found.installable
    assert found.runner == "pytest"
    assert found.test_paths == ("test_tool.py",)
    assert [plan.requirement_files for plan in found.plans] == [("requirements.txt",)] * len(found.plans)


@pytest.mark.parametrize("table", ["[tool.uv]\npackage = false\n", "[tool.poetry]\npackage-mode = false\n"])
def test_respects_a_project_that_says_it_is_no_package(tmp_path: Path, table: str) -> None:
    found = project(tmp_path, {"pyproject.toml": f'[project]\nname = "a"\ndependencies = ["attrs"]\n{table}'})
    assert not found.installable
    assert all("attrs" in plan.requirements for plan in found.plans)


@pytest.mark.parametrize(
    ("files", "runner"),
    [
        ({"tests/test_a.py": "import unittest\n"}, "unittest"),
        ({"tests/test_a.py": "import pytest\n"}, "pytest"),
        ({"tests/conftest.py": ""}, "pytest"),
        ({"tox.ini": "[testenv]\ndeps = nose\n"}, "pytest"),
        ({"setup.cfg": "[tool:pytest]\naddopts = -ra\n"}, "pytest"),
        ({".github/workflows/ci.yml": "jobs: {a: {steps: [{run: pytest -v}]}}"}, "pytest"),
        ({".github/workflows/ci.yml": "jobs: {a: {steps: [{run: python -m unittest}]}}"}, "unittest"),
    ],
)
def test_tells_the_runner(tmp_path: Path, files: dict[str, str], runner: str) -> None:
    assert project(tmp_path, files | {"setup.py": "setup(name='a')"}).runner == runner


def test_only_the_first_configuration_that_pytest_reads_counts(tmp_path: Path) -> None:
    files = {
        "pytest.ini": "[pytest]\naddopts = -ra --cov=a -n 2\ntestpaths = checks\n",
        "setup.cfg": "[tool:pytest]\naddopts = --timeout=5\n",
        "checks/test_a.py": "",
        "tests/test_b.py": "",
    }
    found = project(tmp_path, files | {"setup.py": "setup(name='a')"})
    assert (found.pytest_config, found.addopts) == ("pytest.ini", ("-ra", "--cov=a", "-n", "2"))
    assert found.test_paths == ("checks",)
    assert (found.uses_cov, found.uses_xdist, found.uses_timeout, found.uses_randomly) == (True, True, False, False)
    assert {"pytest-cov", "pytest-xdist"} <= set(found.plans[-1].requirements)


def test_reads_the_native_table_of_pytest_9(tmp_path: Path) -> None:
    text = '[tool.pytest]\naddopts = ["-m", "not slow"]\nasyncio_mode = "auto"\n'
    found = project(tmp_path, {"pyproject.toml": text})
    assert found.addopts == ("-m", "not slow")
    assert "pytest-asyncio" in found.plans[-1].requirements


def test_finds_the_topmost_test_folders_and_root_files(tmp_path: Path) -> None:
    names = ["tests/unit/test_a.py", "src/a/tests/test_b.py", "test_c.py", "src/a/test.py", "docs/test_d.py"]
    names += ["lib/test_e.py", "lib/sub/test_f.py"]
    assert project(tmp_path, dict.fromkeys(names, "")).test_paths == ("lib", "test_c.py", "tests", "src/a/tests")


def test_collects_the_pythons_that_a_project_names(tmp_path: Path) -> None:
    files = {
        "setup.py": "setup(classifiers=['Programming Language :: Python :: 3.7'])",
        "tox.ini": "[tox]\nenvlist = py{38,39}-{a,b}, py3{11-12}, pypy3, lint\n",
        "noxfile.py": "import nox\n@nox.session(python=['3.6', 'pypy3.9'])\ndef tests(session): pass\n",
        ".python-version": "3.13.1\n",
        ".github/workflows/a.yml": "jobs: {a: {strategy: {matrix: {python-version: [3.10, '3.14', 3.15-dev, 3.x]}}}}",
    }
    minors = ("3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
    assert project(tmp_path, files).minor_versions_named == minors


def test_poetry_pythons_become_one_range(tmp_path: Path) -> None:
    text = POETRY + '[tool.poetry.dependencies]\npython = "~2.7 || ^3.6"\n'
    assert project(tmp_path, {"pyproject.toml": text}).requires_python == ">=2.7,<4.0"


@pytest.mark.parametrize(
    "name",
    [
        "pyproject.toml",
        "setup.cfg",
        "setup.py",
        "tox.ini",
        "noxfile.py",
        "Pipfile",
        ".github/workflows/a.yml",
        "tox.toml",
    ],
)
def test_a_broken_file_is_a_note_and_the_rest_is_still_read(tmp_path: Path, name: str) -> None:
    broken = "key = [1\n  : {{{ 'print' \"\n]]]\n\tprint 'x'\n"
    found = project(tmp_path, {"requirements-test.txt": "pytest\n", name: broken})
    assert any(name in note for note in found.notes)
    assert found.plans[0].requirement_files == ("requirements-test.txt",)


def test_an_option_without_a_value_but_with_a_continuation_is_a_note(tmp_path: Path) -> None:
    found = project(tmp_path, {"tox.ini": "[testenv]\ndeps\n    pytest\n"})
    assert any("tox.ini" in note for note in found.notes)


def test_links_out_of_the_tree_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("private-package\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "requirements-test.txt").symlink_to("../secret.txt")
    assert "private-package" not in repr(read_project(tree))


def test_yaml_that_grows_by_aliases_ends_quickly(tmp_path: Path) -> None:
    rungs = "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
    found = project(tmp_path, {".github/workflows/a.yml": "a0: &a0 [x]\n" + rungs})
    assert found.runner == "unittest"


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_project(tmp_path / "none")


def test_reads_the_same_twice(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": HATCH,
        "tox.ini": "[testenv]\ndeps =\n  pytest\n  mock\n",
        "tests/test_a.py": "import yaml\n",
    }
    assert project(tmp_path, files) == read_project(tmp_path)
