"""Python: uv installs as of the fix's date and locks; pytest or unittest runs under our own reporter.

Interpreters come from the image, from pyenv and uv on the host (shown read-only inside), and from the folders in
REDGREEN_PYTHONS.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from adapters.languages.python_interpreters import Interpreter, find_interpreters, interpreter
from adapters.languages.python_project import Plan, Project, read_project, version_variables
from adapters.languages.python_versions import choose
from redgreen.documents import EnvironmentFacts, Package, Run, Runtime
from redgreen.errors import InfrastructureError, Rejected
from redgreen.events import read_run
from redgreen.language import Installed, Trial, Workshop
from redgreen.launch import TOOLS, Job, Raw, launch
from redgreen.sandbox import BOX, Command, Finished, Mount, Sandbox

INSIDE = Path(__file__).with_name("inside")
PYTHON = f"{BOX}/env/bin/python"

TESTS = re.compile(
    r"""
    (^|/)(tests?|testing|testsuite|test_suite)/      # a folder of tests, with their data
    | (^|/)test_[^/]*\.py$ | _tests?\.py$ | (^|/)tests?\.py$
    | (^|/)conftest\.py$
    | (^|/)(fixtures|testdata|test-data|__snapshots__|cassettes|golden)/
    """,
    re.VERBOSE,
)
"""Tests, and what tests read."""

DECIDES = re.compile(
    r"""
    (^|/)(pytest|tox)\.ini$ | (^|/)\.pytest\.ini$ | ^pyproject\.toml$ | ^setup\.cfg$ | (^|/)pytest\.toml$
    | (^|/)(tox\.toml|noxfile\.py|\.coveragerc|\.env|\.envrc)$
    | (^|/)(sitecustomize|usercustomize)\.py$ | \.(pth|egg-link)$
    | ^(pytest|_pytest|unittest|pluggy|py|redgreen_\w+)(\.py$|/)        # shadows a runner under `python -m`
    | ^pytest_\w+\.py$ | (^|/)\.?pytest_cache/ | (^|/)__pycache__/ | \.pyc$
    """,
    re.VERBOSE,
)
"""What decides how tests run besides them: runner configuration, startup files, shadows of the runner, compiled leftovers."""

COMPILED = re.compile(r"\.(pyx|pxd|c|cc|cpp|h|hpp|rs|f90)$")
PYTEST_SWITCHES = {
    "pytest-cov": ("--no-cov",),
    "pytest-xdist": ("-n0",),
    "pytest-randomly": ("-p", "no:randomly"),
    "pytest-rerunfailures": ("--reruns=0",),
    "pytest-sugar": ("-p", "no:sugar"),
}
"""Installed plugin -> what makes runs alike: no coverage, one process, one order, no second chances."""

NETWORK_FAULTS = re.compile(
    r"error sending request|dns error|failed to lookup address|Connection (?:refused|reset)|operation timed out"
    r"|tcp connect error|HTTP status (?:server error|client error \(429)|No space left on device|invalid peer certificate",
    re.IGNORECASE,
)


class Python:
    name = "python"

    def is_source(self, path: str) -> bool:
        return path.endswith((".py", ".pyi")) or bool(COMPILED.search(path))

    def is_test(self, path: str) -> bool:
        return bool(TESTS.search(path))

    def decides_tests(self, path: str) -> bool:
        return bool(TESTS.search(path) or DECIDES.search(path))

    def detect_environment(
        self, tree: Path, as_of: str, version_hint: str | None, sandbox: Sandbox
    ) -> tuple[EnvironmentFacts, ...]:
        project = read_project(tree)
        found = find_interpreters(sandbox)
        choice = choose(
            project.requires_python, project.minor_versions_named, as_of=as_of, available=[i.version for i in found]
        )
        if choice.version is None:
            raise InfrastructureError(
                f"no Python here for this project: {choice.note}", "install one with pyenv or uv, or set REDGREEN_PYTHONS"
            )
        return tuple(_facts(project, plan, choice.version, as_of, version_hint) for plan in project.plans)

    def install(self, environment: EnvironmentFacts, workshop: Workshop, sandbox: Sandbox) -> Installed:
        runtime = interpreter(environment.runtime.version, sandbox)
        script = workshop.box / "install.sh"
        script.write_text(_install_script(environment, runtime, workshop))
        workshop.cache.mkdir(parents=True, exist_ok=True)
        if workshop.lock is not None:
            (workshop.box / "lock.txt").write_bytes(workshop.lock)
        else:
            (workshop.box / "requirements.in").write_text("\n".join(_runtime_requirements(environment)) + "\n")
            (workshop.box / "build.in").write_text("\n".join(environment.build_requirements) + "\n")
        sandbox.own(workshop.box)
        sandbox.own(workshop.cache)
        finished = sandbox.run(_install_command(environment, runtime, workshop))
        log = finished.stdout + finished.stderr
        (workshop.box.parent / "logs").mkdir(exist_ok=True)
        (workshop.box.parent / "logs" / "install.log").write_bytes(log)
        if finished.exit_status != 0:
            _explain(finished, workshop)
        lock = (workshop.box / "lock.txt").read_bytes()
        packages = tuple(_packages(lock))
        return Installed(_completed(environment, packages, log), lock, packages, log)

    def run_tests(self, environment: EnvironmentFacts, trial: Trial, sandbox: Sandbox) -> Raw:
        runtime = interpreter(environment.runtime.version, sandbox)
        variables = {
            **_base_variables(environment),
            "PYTHONHASHSEED": str(trial.number),
            "PYTHONPATH": _python_path(environment),
            "REDGREEN_CANARY_FOLDERS": ":".join(_folders(trial.files)),
        }
        job = Job(
            argv=_test_command(environment),
            box=trial.box,
            delta=trial.delta,
            variables=variables,
            mounts=[Mount(INSIDE, f"{TOOLS}/python"), *runtime.mounts],
            limits=trial.limits,
            label=trial.label,
        )
        return launch(sandbox, job)

    def parse_results(self, environment: EnvironmentFacts, raw: Raw) -> Run:
        return read_run(raw)


def _facts(project: Project, plan: Plan, version: str, as_of: str, hint: str | None) -> EnvironmentFacts:
    settings = {
        "extras": ",".join(plan.extras),
        "requirement_files": ",".join(plan.requirement_files),
        "install_project": "editable" if project.installable else "no",
        "source_roots": ",".join(project.source_roots),
        "test_paths": ",".join(project.test_paths),
        "build_backend": project.build_backend,
    }
    return EnvironmentFacts(
        runtime=Runtime(name="cpython", version=version),
        manager=project.manager,
        runner=project.runner,
        inputs=plan.inputs,
        requirements=plan.requirements,
        build_requirements=project.build_requires,
        settings={name: value for name, value in settings.items() if value},
        variables=version_variables(project, hint or "0.1"),
        exclude_newer=as_of,
    )


def _base_variables(environment: EnvironmentFacts) -> dict[str, str]:
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


def _exclude(environment: EnvironmentFacts) -> list[str]:
    """As of the fix's date; setuptools is a little newer where the old one cannot do what uv needs of it."""
    options = ["--exclude-newer", environment.exclude_newer]
    if environment.exclude_newer < "2022-12-01":
        options += ["--exclude-newer-package", "setuptools=2022-12-01T00:00:00Z"]
    return options


def _install_script(environment: EnvironmentFacts, runtime: Interpreter, workshop: Workshop) -> str:
    """The steps, each announced on stderr so that a failure can be named by it."""
    settings = environment.settings
    steps: list[tuple[str, list[str]]] = [
        ("venv", ["uv", "venv", "--quiet", "--no-project", "--python", runtime.executable, f"{BOX}/env"])
    ]
    compile_ = ["uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--generate-hashes", "--no-sources"]
    compile_ += ["--python", PYTHON, *_exclude(environment)]
    if workshop.lock is None:
        sources = [*_listed(settings.get("requirement_files")), f"{BOX}/requirements.in"]
        if settings.get("install_project") != "no":
            sources.insert(0, settings.get("metadata", _metadata_file(workshop.box / "tree")))
            sources += [word for extra in _listed(settings.get("extras")) for word in ("--extra", extra)]
        steps.append(("resolve", [*compile_, *sources, "-o", f"{BOX}/run.lock"]))
        steps.append(("resolve build", [*compile_, f"{BOX}/build.in", "-o", f"{BOX}/build.lock"]))
        steps.append(("lock", ["sh", "-c", f"cd {BOX} && {{ cat run.lock; echo '{BUILD_MARK}'; cat build.lock; }} > lock.txt"]))
    split = f"cd {BOX} && sed '/^{BUILD_MARK}$/,$d' lock.txt > run.lock && sed '1,/^{BUILD_MARK}$/d' lock.txt > build.lock"
    steps.append(("read lock", ["sh", "-c", split]))
    sync = ["uv", "pip", "sync", "--quiet", "--require-hashes", "--compile-bytecode", "--allow-empty-requirements"]
    steps.append(("dependencies", [*sync, "--python", PYTHON, *_exclude(environment), f"{BOX}/run.lock"]))
    lines = ["set -eu", f"cd {BOX}/tree"]
    for name, words in steps:
        lines += [f"echo 'redgreen-step {name}' >&2", shlex.join(words)]
    if settings.get("install_project") != "no":
        lines += ["echo 'redgreen-step project' >&2", _project_install(environment)]
    return "\n".join(lines) + "\n"


BUILD_MARK = "# build requirements"


def _project_install(environment: EnvironmentFacts) -> str:
    """Editable, or else plainly with the sources put first by PYTHONPATH: old build backends know no editable wheels."""
    words = ["uv", "pip", "install", "--quiet", "--no-deps", "--no-sources", "--python", PYTHON, *_exclude(environment)]
    words += ["--build-constraint", f"{BOX}/build.lock"]
    editable, plain = shlex.join([*words, "--editable", "."]), shlex.join([*words, "."])
    if environment.settings.get("install_project") == "plain":
        return plain
    return f"{editable} || {{ echo 'redgreen-step project without editable' >&2; {plain}; }}"


def _install_command(environment: EnvironmentFacts, runtime: Interpreter, workshop: Workshop) -> Command:
    variables = {
        **_base_variables(environment),
        "PATH": f"{TOOLS}/uv:/usr/local/bin:/usr/bin:/bin",
        "UV_CACHE_DIR": "/redgreen/cache",
        "UV_LINK_MODE": "copy",
        "UV_NO_CONFIG": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_NO_PROGRESS": "1",
        "SSL_CERT_FILE": "/etc/ssl/certs/ca-certificates.crt",
        "UV_NATIVE_TLS": "1",
        **({"UV_OFFLINE": "1"} if workshop.offline else {}),
    }
    # uv looks for another virtual environment if this one is named before it exists
    del variables["VIRTUAL_ENV"]
    return Command(
        argv=["sh", f"{BOX}/install.sh"],
        mounts=[
            Mount(workshop.box, BOX, "rw"),
            Mount(workshop.cache, "/redgreen/cache", "rw"),
            Mount(_uv(), f"{TOOLS}/uv/uv"),
            *runtime.mounts,
        ],
        variables=variables,
        workdir="/",
        network=not workshop.offline,
        limits=workshop.limits,
        label=workshop.label,
    )


def _uv() -> Path:
    from uv import find_uv_bin

    return Path(find_uv_bin()).resolve()


def _metadata_file(tree: Path) -> str:
    """The file that `uv pip compile` reads the project's own requirements from."""
    pyproject = tree / "pyproject.toml"
    if pyproject.is_file() and re.search(r"^\[(project|tool\.poetry|tool\.flit)", pyproject.read_text(errors="replace"), re.M):
        return "pyproject.toml"
    return next((name for name in ("setup.py", "setup.cfg", "pyproject.toml") if (tree / name).is_file()), "pyproject.toml")


def _explain(finished: Finished, workshop: Workshop) -> None:
    text = finished.stderr.decode(errors="replace")
    steps = re.findall(r"^redgreen-step (.+)$", text, re.M)
    step = steps[-1] if steps else "start"
    said = text.rpartition("redgreen-step ")[2]
    if finished.ended != "exited":
        raise Rejected("install_failed", f"{step}: ended by a limit: {finished.ended}")
    if NETWORK_FAULTS.search(said) and not workshop.offline:
        raise InfrastructureError(f"install, {step}: {_last_word(said)}", "check the network, then run the same command again")
    if not steps or step == "venv":
        raise InfrastructureError(f"install could not start: {_last_word(text)}", "run `make doctor`")
    raise Rejected("install_failed", f"{step}: {_last_word(said)}")


def _last_word(text: str) -> str:
    """The line that says most: uv's own conclusion or an exception, without addresses, paths of ours and times."""
    lines = [line.strip(" ×╰─▶│├┬") for line in text.splitlines()[1:] if line.strip(" ×╰─▶│├┬")]
    telling = [line for line in lines if re.match(r"(error|Because|No solution|\w*Error\b|Failed)", line)]
    line = (telling or lines or ["no word"])[-1 if not telling else 0]
    line = re.sub(r"https?://\S+", "<address>", line)
    line = re.sub(r"/redgreen/\S+", "<path>", line)
    return re.sub(r"\s+", " ", line)[:240]


def _packages(lock: bytes) -> Iterator[Package]:
    for name, version in re.findall(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", lock.decode().split(BUILD_MARK)[0], re.M):
        yield Package(name=name, version=version)


def _listed(text: str | None) -> list[str]:
    return [word for word in (text or "").split(",") if word]


def _python_path(environment: EnvironmentFacts) -> str:
    roots = _listed(environment.settings.get("source_roots")) or ["."]
    inside = [f"{BOX}/tree/{root}".removesuffix("/.") for root in roots]
    return ":".join([f"{TOOLS}/python", *(inside if environment.settings.get("install_project") != "editable" else [])])


def _folders(files: Sequence[str]) -> list[str]:
    """Folders, relative to the tree, where a canary lies beside the fix's own tests; the root if none is there."""
    named = [str(Path(name).parent) for name in files if name.endswith(".py")]
    return [*dict.fromkeys(named), "."]


def _test_command(environment: EnvironmentFacts) -> list[str]:
    paths = _listed(environment.settings.get("test_paths"))
    if environment.runner == "unittest":
        return [PYTHON, f"{TOOLS}/python/redgreen_unittest.py", *paths]
    switches = ["-p", "redgreen_pytest", "-p", "no:cacheprovider", "--color=no", "--continue-on-collection-errors"]
    switches += ["--maxfail=0", "--tb=short"]
    for plugin, words in PYTEST_SWITCHES.items():
        if plugin in environment.settings.get("plugins", "").split(","):
            switches += words
    return [PYTHON, "-m", "pytest", *switches]


def _completed(environment: EnvironmentFacts, packages: Sequence[Package], log: bytes) -> EnvironmentFacts:
    """Facts that also say which pytest plugins change how a suite runs, and how the project itself went in."""
    plugins = sorted({package.name for package in packages} & set(PYTEST_SWITCHES))
    told = {"plugins": ",".join(plugins)}
    if b"redgreen-step project without editable" in log:
        told["install_project"] = "plain"
    merged = {**environment.settings, **{name: value for name, value in told.items() if value}}
    return environment.model_copy(update={"settings": merged})
