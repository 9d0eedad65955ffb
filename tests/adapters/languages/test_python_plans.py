"""Where test requirements come from, what is left out, and in which order ways to install are tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.languages.python_project import Plan, read_project

SETUP = {"setup.py": "setup(name='mine')", "tests/test_a.py": "import pytest\n"}
PROJECT = '[project]\nname = "mine"\n[build-system]\nrequires = ["flit_core"]\nbuild-backend = "flit_core.buildapi"\n'


def plans(tree: Path, files: dict[str, str]) -> tuple[Plan, ...]:
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    return read_project(tree).plans


def notes(tree: Path) -> str:
    return "\n".join(read_project(tree).notes)


def test_groups_follow_their_includes_and_leave_other_groups_out(tmp_path: Path) -> None:
    text = PROJECT + (
        '[dependency-groups]\nbase = ["mock"]\nTests = [{include-group = "BASE"}, "pytest>=8"]\n'
        'lint = ["ruff"]\ntests-random = ["pytest-randomly"]\ndev = ["tox"]\n'
    )
    first = plans(tmp_path, {"pyproject.toml": text})[0]
    assert first.requirements == ("mock", "pytest>=8")
    assert first.inputs == ("group Tests",)


def test_a_group_that_includes_itself_is_a_note(tmp_path: Path) -> None:
    text = PROJECT + '[dependency-groups]\ntest = [{include-group = "a"}, "pytest"]\na = [{include-group = "test"}]\n'
    assert plans(tmp_path, {"pyproject.toml": text})[0].requirements == ("pytest",)
    assert "includes itself" in notes(tmp_path)


def test_extras_named_for_tests_stay_extras(tmp_path: Path) -> None:
    cfg = "[metadata]\nname = mine\n[options.extras_require]\ntesting =\n    pytest\n    mock\ndocs = sphinx\n"
    first = plans(tmp_path, {"setup.cfg": cfg, "setup.py": "setup()"})[0]
    assert first.extras == ("testing",)


def test_the_project_itself_in_an_extra_becomes_extras(tmp_path: Path) -> None:
    text = (
        PROJECT
        + '[project.optional-dependencies]\nfast = ["ujson"]\n[dependency-groups]\ntest = ["Mine[fast]", "pytest"]\n'
    )
    first = plans(tmp_path, {"pyproject.toml": text})[0]
    assert (first.requirements, first.extras) == (("pytest",), ("fast",))


@pytest.mark.parametrize(
    "path",
    [
        "requirements-test.txt",
        "test-requirements.txt",
        "requirements_tests.txt",
        "requirements/tests.txt",
        "requirements/test.in",
        "requirements/requirements-tests.txt",
        "requirements/pytest.txt",
        "tests/requirements.txt",
        "dev-requirements.txt",
        "requirements-dev.txt",
        "requirements/development.txt",
    ],
)
def test_finds_requirements_files_by_their_names(tmp_path: Path, path: str) -> None:
    assert plans(tmp_path, SETUP | {path: "pytest\n"})[0].requirement_files == (path,)


def test_locked_files_are_given_whole_and_their_sources_are_the_next_way(tmp_path: Path) -> None:
    files = {
        "requirements/tests.txt": "pytest==7.1.2 \\\n    --hash=sha256:00  # via -r tests.in\n-c limits.txt\n",
        "requirements/limits.txt": "attrs<30\n",
        "requirements/tests.in": "pytest\n",
    }
    found = plans(tmp_path, SETUP | files)
    assert [plan.requirement_files for plan in found[:2]] == [("requirements/tests.txt",), ("requirements/tests.in",)]


@pytest.mark.parametrize(
    "line",
    ["-e .", "mine==1.0", "--index-url https://example.org", "git+https://example.org/x", "./other", "x @ file:///x"],
)
def test_a_requirements_file_that_no_resolver_may_get_is_taken_apart(tmp_path: Path, line: str) -> None:
    first = plans(
        tmp_path, SETUP | {"requirements-test.txt": f"-r more.txt\n{line}\n", "more.txt": "mock<4\npytest\n"}
    )[0]
    assert first.requirement_files == ()
    assert first.requirements == ("mock<4", "pytest")
    assert "requirements-test.txt" in notes(tmp_path)


def test_a_linters_group_is_never_taken_where_tests_have_their_own(tmp_path: Path) -> None:
    found = plans(tmp_path, SETUP | {"requirements-dev.txt": "flake8\ntox\n", "requirements-test.txt": "pytest\n"})
    assert all("requirements-dev.txt" not in plan.requirement_files for plan in found)
    assert all("flake8" not in plan.requirements for plan in found)


def test_what_tests_import_is_taken_from_where_it_is_named(tmp_path: Path) -> None:
    text = PROJECT + '[dependency-groups]\ntest = ["pytest>=7"]\ndev = ["trio>=0.20", "ruff", "PyYAML<7"]\n'
    imports = "import pytest, yaml\ntry:\n    import trio\nexcept ImportError:\n    pass\nfrom mine import x\n"
    first, second = plans(tmp_path, {"pyproject.toml": text, "tests/test_a.py": imports, "mine.py": ""})[:2]
    assert first.requirements == ("pytest>=7", "trio>=0.20", "PyYAML<7")
    assert second.requirements == ("pytest>=7",)


def test_old_projects_name_test_requirements_only_in_tox(tmp_path: Path) -> None:
    tox = (
        "[tox]\nenvlist = py{27,36}-crypto, py36-plain\n[base]\ndeps = simplejson\n"
        "[testenv]\ndeps =\n  {[base]deps}\n  pytest  # runner\n  -r{toxinidir}/more.txt\n  py27: mock\n"
        "  crypto: cryptography\n  plain: pycrypto\n  !plain: ecdsa\nextras = fast\n[testenv:lint]\ndeps = flake8\n"
    )
    files = {"tox.ini": tox, "more.txt": "pretend\n", "setup.py": "setup(name='mine', extras_require={'fast': ['x']})"}
    first = plans(tmp_path, files)[0]
    assert first.requirements == ("simplejson", "pytest", 'mock; python_version == "2.7"', "cryptography", "ecdsa")
    assert (first.requirement_files, first.extras) == (("more.txt",), ("fast",))


def test_a_tox_dependency_on_the_project_becomes_extras(tmp_path: Path) -> None:
    files = {
        "tox.ini": "[testenv]\ndeps =\n  .[doc]\n  pytest\n",
        "setup.py": "setup(extras_require={'doc': ['tornado']})",
    }
    assert plans(tmp_path, files)[0].extras == ("doc",)


def test_of_versioned_factors_the_newest_is_taken(tmp_path: Path) -> None:
    tox = "[tox]\nenvlist = py{38,39}-django{22,30,42}\n"
    tox += "[testenv]\ndeps =\n  django22: Django<3\n  django42: Django<5\n  pytest\n"
    assert plans(tmp_path, SETUP | {"tox.ini": tox})[0].requirements == ("Django<5", "pytest")


def test_reads_tox_toml_with_its_groups(tmp_path: Path) -> None:
    text = PROJECT + (
        '[dependency-groups]\nchecks = ["pytest", "mock"]\n[tool.tox]\nenv_list = ["py3.12"]\n'
        '[tool.tox.env_run_base]\ndependency_groups = ["checks"]\ndeps = ["coverage", { replace = "posargs" }]\n'
    )
    assert plans(tmp_path, {"pyproject.toml": text})[0].requirements == ("coverage", "pytest", "mock")


def test_reads_what_the_test_session_of_nox_installs(tmp_path: Path) -> None:
    text = (
        "import nox\nTOOLS = ['pretend', 'pytest']\n"
        "@nox.session\ndef lint(session):\n    session.install('flake8')\n"
        "@nox.session(python=['3.9'])\ndef tests(session):\n"
        "    session.install(*nox.project.dependency_groups(PYPROJECT, 'checks'))\n"
        "    session.install('-e', '.[fast]', *TOOLS)\n    session.run('pytest', 'mock')\n"
    )
    toml = PROJECT + '[project.optional-dependencies]\nfast = ["x"]\n[dependency-groups]\nchecks = ["hypothesis"]\n'
    first = plans(tmp_path, {"noxfile.py": text, "pyproject.toml": toml})[0]
    assert first.requirements == ("pretend", "pytest", "hypothesis")
    assert first.extras == ("fast",)


def test_hatch_environments_for_tests_inherit_the_default_one(tmp_path: Path) -> None:
    text = PROJECT + (
        '[tool.hatch.envs.default]\ndependencies = ["pytest"]\n[tool.hatch.envs.hatch-test]\n'
        'extra-dependencies = ["mock"]\nfeatures = ["fast"]\n[tool.hatch.envs.lint]\ndependencies = ["ruff"]\n'
        '[project.optional-dependencies]\nfast = ["x"]\n'
    )
    first = plans(tmp_path, {"pyproject.toml": text})[0]
    assert (first.requirements, first.extras) == (("pytest", "mock"), ("fast",))


def test_poetry_groups_become_pep_508(tmp_path: Path) -> None:
    text = (
        '[tool.poetry]\nname = "mine"\nversion = "1"\n[tool.poetry.group.test.dependencies]\npytest = "^7.2"\n'
        'tomli = [{version = "~1.2", python = "<3.7"}, {version = "*", python = ">=3.7"}]\n'
        'secret = {git = "https://example.org/x"}\ncoverage = {version = "^6", extras = ["toml"]}\n'
    )
    assert plans(tmp_path, {"pyproject.toml": text})[0].requirements == (
        "pytest<8.0,>=7.2",
        'tomli<1.3,>=1.2; python_version < "3.7"',
        'tomli; python_version >= "3.7"',
        "coverage[toml]<7.0,>=6",
    )
    assert "secret" in notes(tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", PROJECT + '[tool.pdm.dev-dependencies]\ntest = ["pytest", "mock"]\n'),
        ("pyproject.toml", PROJECT + '[tool.uv]\ndev-dependencies = ["pytest", "mock"]\n'),
        ("Pipfile", '[dev-packages]\npytest = "*"\nmock = "*"\n'),
        ("setup.py", "setup(name='mine', tests_require=['pytest', 'mock'])"),
    ],
)
def test_reads_the_older_places_of_other_tools(tmp_path: Path, name: str, text: str) -> None:
    assert plans(tmp_path, {name: text})[0].requirements == ("pytest", "mock")


def test_ci_is_asked_only_where_nothing_else_answers(tmp_path: Path) -> None:
    steps = "pip install -U pip tox 'mock<5' $EXTRA\n          pip install -e .\n          pytest"
    workflow = {".github/workflows/ci.yml": f"jobs:\n  a:\n    steps:\n      - run: |\n          {steps}\n"}
    assert plans(tmp_path, SETUP | workflow)[0].requirements == ("mock<5", "pytest")
    assert plans(tmp_path, SETUP | workflow | {"requirements-test.txt": "pytest\n"})[0].requirements == ()


def test_the_order_goes_from_rich_to_the_runner_alone(tmp_path: Path) -> None:
    files = {"requirements-test.txt": "pytest==3.1\ncodecov==2\n", "tox.ini": "[testenv]\ndeps = mock<2\n"}
    found = plans(tmp_path, SETUP | files)
    assert [(plan.requirement_files, plan.requirements) for plan in found] == [
        (("requirements-test.txt",), ("mock<2",)),
        ((), ("pytest==3.1", "mock<2")),
        (("requirements-test.txt",), ()),
        ((), ("mock<2", "pytest")),
        ((), ("pytest", "mock")),
        ((), ("pytest",)),
    ]


def test_a_package_that_no_index_has_cannot_spoil_every_plan(tmp_path: Path) -> None:
    files = {"setup.py": "setup(extras_require={'tests': ['pytest<3', 'freezegun', 'gone']})"}
    assert [plan.requirements for plan in plans(tmp_path, files)] == [("pytest",), ("freezegun", "pytest"), ("pytest",)]


def test_development_requirements_come_whole_and_then_without_tools(tmp_path: Path) -> None:
    found = plans(tmp_path, SETUP | {"requirements-dev.txt": "pytest<8\nsphinx\nblack==18.6b4\n"})
    assert [plan.requirement_files for plan in found] == [("requirements-dev.txt",), (), ()]
    assert [plan.requirements for plan in found[1:]] == [("pytest<8",), ("pytest",)]
