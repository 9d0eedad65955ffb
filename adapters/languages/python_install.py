"""Install a Python project by uv inside the sandbox: resolve as of the fix's date, lock with hashes, build the project.

What is resolved is written to one lock file: what the tests run with, then, after a line of its own, what the project
is built with. Installing from that lock asks a registry for files by their hashes and for nothing else.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from adapters.languages.python_interpreters import Interpreter
from adapters.languages.python_locks import constraints
from adapters.languages.python_versions import look_until
from adapters.languages.steps import CACHE, Step, perform, read_made
from redgreen.documents import EnvironmentFacts, Package
from redgreen.language import Installed, Workshop
from redgreen.launch import TOOLS
from redgreen.sandbox import BOX, Mount, Sandbox

PYTHON = f"{BOX}/env/bin/python"
BUILD_MARK = "# build requirements"
EDITABLE_SETUPTOOLS = "2022-12-01T00:00:00Z"
UV_COMPILE = ["uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--generate-hashes", "--no-sources"]
UV_COMPILE += ["--python", PYTHON]

PYTEST_SWITCHES = {
    "pytest-cov": ("--no-cov",),
    "pytest-xdist": ("-n0",),
    "pytest-randomly": ("-p", "no:randomly"),
    "pytest-rerunfailures": ("--reruns=0",),
    "pytest-sugar": ("-p", "no:sugar"),
}
"""Installed plugin -> what makes runs alike: no coverage, one process, one order, no second chances."""


def install(environment: EnvironmentFacts, runtime: Interpreter, workshop: Workshop, sandbox: Sandbox) -> Installed:
    """Install into `workshop.box`: `env/` beside the `tree/` that is there.

    Raises:
        Rejected: install_failed.
        InfrastructureError: the network, the interpreter or the sandbox failed.
    """
    if workshop.lock is not None:
        (workshop.box / "lock.txt").write_bytes(workshop.lock)
    else:
        (workshop.box / "requirements.in").write_text("\n".join(_runtime_requirements(environment)) + "\n")
        (workshop.box / "build.in").write_text("\n".join(environment.build_requirements) + "\n")
        if name := environment.settings.get("lock_file"):
            (workshop.box / "constraints.txt").write_text("\n".join(constraints(workshop.box / "tree", name)) + "\n")
    variables = {**base_variables(environment), **uv_variables()}
    if workshop.offline:
        variables["UV_OFFLINE"] = "1"
    # uv looks for another virtual environment if this one is named before it exists
    del variables["VIRTUAL_ENV"]
    log = perform(
        _install_steps(environment, runtime, workshop),
        workshop,
        sandbox,
        hosts=registries(),
        variables=variables,
        mounts=[Mount(uv_binary(), f"{TOOLS}/uv/uv"), *runtime.mounts],
        first=["venv"],
    )
    lock = read_made(workshop.box / "lock.txt")
    packages = tuple(_packages(lock))
    return Installed(_completed(environment, packages, log), lock, packages, log)


def base_variables(environment: EnvironmentFacts) -> dict[str, str]:
    return {
        **environment.variables,
        "PATH": f"{BOX}/env/bin:/usr/local/bin:/usr/bin:/bin",
        "VIRTUAL_ENV": f"{BOX}/env",
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": "/redgreen/home",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }


def _runtime_requirements(environment: EnvironmentFacts) -> list[str]:
    wanted = list(environment.requirements)
    if environment.exclude_newer < "2020" and not any(re.match(r"setuptools\b", line) for line in wanted):
        wanted.append("setuptools")  # pytest and others of those years import pkg_resources
    return wanted


def _exclude(environment: EnvironmentFacts, **later: str) -> list[str]:
    """As of the fix's date, but for packages whose releases of that day are gone or cannot do what uv needs of them."""
    options = ["--exclude-newer", environment.exclude_newer]
    for package, until in {**look_until(environment.exclude_newer), **later}.items():
        options += ["--exclude-newer-package", f"{package}={until}"]
    return options


def _exclude_for_build(environment: EnvironmentFacts) -> list[str]:
    """setuptools makes editable installs from 64 on (August 2022): an older project is built with one of that year."""
    later = {"setuptools": EDITABLE_SETUPTOOLS} if environment.exclude_newer < EDITABLE_SETUPTOOLS else {}
    return _exclude(environment, **later)


def _install_steps(environment: EnvironmentFacts, runtime: Interpreter, workshop: Workshop) -> list[Step]:
    settings = environment.settings
    steps = [Step("venv", ["uv", "venv", "--quiet", "--no-project", "--python", runtime.executable, f"{BOX}/env"])]
    if workshop.lock is None:
        sources = [*listed(settings.get("requirement_files")), f"{BOX}/requirements.in"]
        if settings.get("install_project") != "no":
            sources.insert(0, settings.get("metadata", _metadata_file(workshop.box / "tree")))
            sources += [word for extra in listed(settings.get("extras")) for word in ("--extra", extra)]
        if settings.get("lock_file"):
            sources += ["--constraints", f"{BOX}/constraints.txt"]
        steps.append(Step("resolve", [*UV_COMPILE, *_exclude(environment), *sources, "-o", f"{BOX}/run.lock"]))
        build = [*UV_COMPILE, *_exclude_for_build(environment), f"{BOX}/build.in", "-o", f"{BOX}/build.lock"]
        steps.append(Step("resolve build", build))
        joined = f"cd {BOX} && {{ cat run.lock; echo '{BUILD_MARK}'; cat build.lock; }} > lock.txt"
        steps.append(Step("lock", ["sh", "-c", joined]))
    split = (
        f"cd {BOX} && sed '/^{BUILD_MARK}$/,$d' lock.txt > run.lock && sed '1,/^{BUILD_MARK}$/d' lock.txt > build.lock"
    )
    steps.append(Step("read lock", ["sh", "-c", split]))
    sync = ["uv", "pip", "sync", "--quiet", "--require-hashes", "--allow-empty-requirements"]
    if _compiles_bytecode(environment):
        sync.append("--compile-bytecode")
    steps.append(Step("dependencies", [*sync, "--python", PYTHON, *_exclude(environment), f"{BOX}/run.lock"]))
    if settings.get("install_project") != "no":
        steps.append(Step("project", project_install(environment)))
    return steps


def _compiles_bytecode(environment: EnvironmentFacts) -> bool:
    """uv's compiler starts under Python 3.8 and later; without it each run compiles what it imports anew."""
    return tuple(map(int, environment.runtime.version.split(".")[:2])) >= (3, 8)


def project_install(environment: EnvironmentFacts) -> str:
    """Editable; else plainly, with the sources put first by PYTHONPATH; else so with the build tools of the day."""
    words = ["uv", "pip", "install", "--quiet", "--no-deps", "--no-sources", "--python", PYTHON]
    locked = ["--build-constraint", f"{BOX}/build.lock", *_exclude_for_build(environment)]
    editable = shlex.join([*words, *locked, "--editable", "."])
    plain = shlex.join([*words, *locked, "."])
    of_the_day = shlex.join([*words, *_exclude(environment), "."])
    mark = "echo 'redgreen-step project without editable' >&2"
    if environment.settings.get("install_project") == "plain":
        return f"{plain} || {of_the_day}"
    return f"{editable} || {{ {mark}; {plain} || {of_the_day}; }}"


def uv_variables() -> dict[str, str]:
    return {
        "PATH": f"{TOOLS}/uv:/usr/local/bin:/usr/bin:/bin",
        "UV_CACHE_DIR": CACHE,
        "UV_LINK_MODE": "copy",
        "UV_NO_CONFIG": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_NO_PROGRESS": "1",
        "UV_NATIVE_TLS": "1",
    }


def uv_binary() -> Path:
    from uv import find_uv_bin

    return Path(find_uv_bin()).resolve()


def _metadata_file(tree: Path) -> str:
    """The file that `uv pip compile` reads the project's own requirements from."""
    pyproject = tree / "pyproject.toml"
    if pyproject.is_file() and re.search(
        r"^\[(project|tool\.poetry|tool\.flit)", pyproject.read_text(errors="replace"), re.M
    ):
        return "pyproject.toml"
    return next(
        (name for name in ("setup.py", "setup.cfg", "pyproject.toml") if (tree / name).is_file()), "pyproject.toml"
    )


def registries() -> tuple[str, ...]:
    """Hosts of Python's package index, as pip itself knows them, and of an index of your own in UV_INDEX_URL."""
    from pip._internal.models.index import PyPI

    own = [urlsplit(os.environ.get(name, "")).hostname for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL")]
    return (PyPI.netloc, PyPI.file_storage_domain, *filter(None, own))


def _packages(lock: bytes) -> Iterator[Package]:
    for name, version in re.findall(
        r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", lock.decode().split(BUILD_MARK)[0], re.M
    ):
        yield Package(name=name, version=version)


def listed(text: str | None) -> list[str]:
    return [word for word in (text or "").split(",") if word]


def _completed(environment: EnvironmentFacts, packages: Sequence[Package], log: bytes) -> EnvironmentFacts:
    """Facts that also say which pytest plugins change how a suite runs, and how the project itself went in."""
    plugins = sorted({package.name for package in packages} & set(PYTEST_SWITCHES))
    told = {"plugins": ",".join(plugins)}
    if b"redgreen-step project without editable" in log:
        told["install_project"] = "plain"
    merged = {**environment.settings, **{name: value for name, value in told.items() if value}}
    return environment.model_copy(update={"settings": merged})
