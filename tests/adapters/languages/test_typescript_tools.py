"""What runs inside at install: which version a range means on a day, what a hash has to be, what a lock says."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

INSIDE = Path(__file__).parents[3] / "adapters" / "languages" / "inside"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, INSIDE / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tools = load("redgreen_node_tools")
locks = load("redgreen_node_lock")


@pytest.mark.parametrize(
    ("wanted", "inside", "outside"),
    [
        ("^18.17.0 || >=20.5.0", ["18.17.0", "18.99.1", "20.5.0", "22.1.0"], ["18.16.9", "19.0.0", "20.4.9"]),
        (">=14", ["14.0.0", "22.0.0"], ["12.22.12"]),
        (">= 18 < 21", ["18.0.0", "20.19.0"], ["21.0.0", "16.0.0"]),
        ("20", ["20.0.0", "20.19.5"], ["21.0.0", "19.9.9"]),
        ("20.x", ["20.1.2"], ["21.0.0"]),
        ("v20.10", ["20.10.0", "20.10.9"], ["20.11.0", "20.9.0"]),
        ("~1.2.3", ["1.2.3", "1.2.9"], ["1.3.0", "1.2.2"]),
        ("^0.2.3", ["0.2.3", "0.2.9"], ["0.3.0", "1.0.0"]),
        ("16 - 18", ["16.0.0", "18.20.0"], ["19.0.0", "15.9.9"]),
        (">16", ["17.0.0"], ["16.0.0", "16.20.2"]),
        ("<=18.2", ["18.2.9"], ["18.3.0"]),
        ("*", ["1.0.0"], ["1.0.0-beta.1"]),
        ("2.0.0-rc.1", ["2.0.0-rc.1"], ["2.0.0"]),
    ],
)
def test_ranges_mean_what_npm_means_by_them(wanted: str, inside: list[str], outside: list[str]) -> None:
    assert [version for version in inside if not tools.satisfies(version, wanted)] == []
    assert [version for version in outside if tools.satisfies(version, wanted)] == []


def test_versions_are_ordered_by_number_and_pre_releases_come_first() -> None:
    ordered = ["1.9.0", "1.10.0-beta.2", "1.10.0-beta.11", "1.10.0", "10.0.0"]
    assert sorted({*ordered}, key=tools.version_key) == ordered


def test_what_is_no_range_is_refused_by_name() -> None:
    with pytest.raises(tools.Refused, match="banana"):
        tools.satisfies("1.0.0", "banana")


def document(**versions: tuple[str, str]) -> dict[str, object]:
    """Version (with _ for .) -> day it was published, and the Node that it needs."""
    named = {name.strip("v").replace("_", "."): told for name, told in versions.items()}
    return {
        "name": "tool",
        "time": {version: day for version, (day, _) in named.items()},
        "versions": {version: {"engines": {"node": node}, "integrity": "-"} for version, (_, node) in named.items()},
    }


def test_a_version_is_the_newest_of_its_day_that_runs_on_the_node_at_hand() -> None:
    offered = document(v1_0_0=("2024-01-01", ">=14"), v1_1_0=("2024-06-01", ">=20"), v1_2_0=("2025-01-01", ">=14"))
    assert tools.choose(offered, "1", "2024-07-01", node="20.1.0") == "1.1.0"
    assert tools.choose(offered, "1", "2024-07-01", node="18.0.0") == "1.0.0"
    assert tools.choose(offered, "1.2.0", "2024-07-01", node="18.0.0") == "1.2.0", (
        "an exact word counts whatever the day"
    )
    with pytest.raises(tools.Refused, match="2023"):
        tools.choose(offered, "1", "2023-07-01")


def test_node_is_long_term_supported_if_the_range_leaves_a_choice() -> None:
    offered = document(v22_5_0=("", "*"), v23_1_0=("", "*"), v24_0_0=("", "*"))
    releases = [{"version": version, "date": "2025-05-01"} for version in ("22.5.0", "23.1.0", "24.0.0")]
    schedule = {"v22": {"lts": "2024-10-29"}, "v24": {"lts": "2025-10-28"}, "v23": {}}
    dated = tools.with_release_days(offered, releases, schedule)
    assert tools.choose(dated, ">=20", "2025-06-01") == "22.5.0"
    assert tools.choose(dated, "24", "2025-06-01") == "24.0.0"
    assert tools.choose(dated, ">=20", "2025-11-01") == "24.0.0"


def test_a_patch_release_of_node_is_as_old_as_the_next_minor_one_at_most() -> None:
    offered = document(v20_1_0=("2024-12-07", "*"), v20_1_1=("2024-12-07", "*"), v20_2_0=("2024-12-07", "*"))
    releases = [{"version": "20.1.0", "date": "2023-05-03"}, {"version": "20.2.0", "date": "2023-05-16"}]
    dated = tools.with_release_days(offered, releases, {})
    assert tools.choose(dated, "20", "2023-05-10") == "20.1.0"
    assert tools.choose(dated, "20.1", "2023-05-20") == "20.1.1"


def test_an_archive_has_to_be_what_its_hash_says(tmp_path: Path) -> None:
    (tmp_path / "a.tgz").write_bytes(b"content")
    right = "sha512-stHTeeESdTxH4VtyNv6hbDJF5vEPVtPPUPyH2jR/bFkA1LAQlaqFR49RbUZ12P1IeYJMgW3NtVfgQdf23FtpLw=="
    assert not tools.same(str(tmp_path / "a.tgz"), right)
    of_content = base64.b64encode(hashlib.sha512(b"content").digest()).decode()
    assert tools.same(str(tmp_path / "a.tgz"), f"sha512-{of_content}")
    with pytest.raises(tools.Refused):
        tools.same(str(tmp_path / "a.tgz"), "sha1-abc")


PNPM_9 = """\
lockfileVersion: '9.0'

packages:

  '@scope/a@1.0.0':
    resolution: {integrity: sha512-aa==}

  b@2.0.0-rc.1:
    resolution: {integrity: sha512-bb==}
    engines: {node: '>=4'}

snapshots:

  b@2.0.0-rc.1(c@1.0.0):
    dependencies:
      c: 1.0.0
"""
PNPM_6 = """\
packages:

  /@scope/a@1.0.0(b@2.0.0):
    resolution: {integrity: sha512-aa==}
  /b/2.0.0_react@18.0.0:
    resolution: {integrity: sha512-bb==}
"""
YARN_1 = """\
# yarn lockfile v1

"@scope/a@^1.0.0", "@scope/a@^1.0.1":
  version "1.0.1"
  resolved "https://host.example/a-1.0.1.tgz#0123456789abcdef0123456789abcdef01234567"
  integrity sha512-aa==
  dependencies:
    b "^2.0.0"

b@^2.0.0:
  version "2.0.0"
  resolved "https://host.example/b-2.0.0.tgz#89abcdef0123456789abcdef0123456789abcdef"
"""
YARN_4 = """\
__metadata:
  version: 8

"@scope/a@npm:^1.0.0":
  version: 1.0.1
  resolution: "@scope/a@npm:1.0.1"
  checksum: 10c0/aa
  languageName: node

"it@workspace:.":
  version: 0.0.0-use.local
  resolution: "it@workspace:."
"""
BUN = '{"packages": {\n    "@scope/a": ["@scope/a@1.0.0", "", { "dependencies": { "b": "^2" } }, "sha512-aa=="],\n}}'
NPM = {
    "packages": {
        "": {"name": "it"},
        "node_modules/it-a": {"resolved": "packages/a", "link": True},
        "packages/a": {"version": "1.0.0"},
        "node_modules/b": {"version": "2.0.0", "integrity": "sha512-bb==", "resolved": "https://host.example/b.tgz"},
        "node_modules/b/node_modules/c": {"version": "3.0.0", "name": "real-c", "integrity": "sha512-cc=="},
        "node_modules/b/node_modules/d": {"version": "4.0.0", "inBundle": True},
    }
}


@pytest.mark.parametrize(
    ("manager", "file", "text", "lines"),
    [
        ("pnpm", "node_modules/.pnpm/lock.yaml", PNPM_9, ["@scope/a@1.0.0 sha512-aa==", "b@2.0.0-rc.1 sha512-bb=="]),
        ("pnpm", "node_modules/.pnpm/lock.yaml", PNPM_6, ["@scope/a@1.0.0 sha512-aa==", "b@2.0.0 sha512-bb=="]),
        (
            "yarn",
            "yarn.lock",
            YARN_1,
            ["@scope/a@1.0.1 sha512-aa==", "b@2.0.0 89abcdef0123456789abcdef0123456789abcdef"],
        ),
        ("berry", "yarn.lock", YARN_4, ["@scope/a@1.0.1 10c0/aa"]),
        ("bun", "bun.lock", BUN, ["@scope/a@1.0.0 sha512-aa=="]),
        (
            "npm",
            "node_modules/.package-lock.json",
            json.dumps(NPM),
            [
                "node_modules/b b@2.0.0 sha512-bb==",
                "node_modules/b/node_modules/c real-c@3.0.0 sha512-cc==",
                "node_modules/b/node_modules/d d@4.0.0 bundled",
            ],
        ),
    ],
)
def test_a_lock_names_every_package_with_its_hash_and_no_address(
    tmp_path: Path, manager: str, file: str, text: str, lines: list[str]
) -> None:
    place = tmp_path / "tree" / file
    place.parent.mkdir(parents=True)
    (tmp_path / "tree" / "node_modules").mkdir(exist_ok=True)
    place.write_text(text)
    (tmp_path / "tools.lock").write_text("tool npm@11.0.0 sha512-nn==\n")
    locks.write(manager, str(tmp_path))
    assert (tmp_path / "lock.txt").read_text().splitlines() == sorted([*lines, "tool npm@11.0.0 sha512-nn=="])


def test_what_was_installed_has_to_be_what_the_lock_says(tmp_path: Path) -> None:
    (tmp_path / "tree" / "node_modules").mkdir(parents=True)
    (tmp_path / "tree" / "node_modules" / ".package-lock.json").write_text(json.dumps(NPM))
    (tmp_path / "tools.lock").write_text("")
    locks.write("npm", str(tmp_path))
    made = (tmp_path / "lock.txt").read_text()
    (tmp_path / "wanted.lock").write_text(made)
    locks.write("npm", str(tmp_path))
    (tmp_path / "wanted.lock").write_text(made.replace("sha512-bb", "sha512-xx"))
    with pytest.raises(SystemExit, match="node_modules/b b@"):
        locks.write("npm", str(tmp_path))


def test_what_comes_from_no_registry_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tree" / "node_modules").mkdir(parents=True)
    git = {"packages": {"node_modules/g": {"version": "1.0.0", "resolved": "git+ssh://host.example/g.git#abc"}}}
    (tmp_path / "tree" / "node_modules" / ".package-lock.json").write_text(json.dumps(git))
    (tmp_path / "tools.lock").write_text("")
    with pytest.raises(SystemExit, match="g@1"):
        locks.write("npm", str(tmp_path))


def test_installs_that_fetch_the_same_at_once_do_not_meet(tmp_path: Path) -> None:
    """In sandboxes of their own they even have the same process number."""
    path = tmp_path / "cache" / "tool.tgz"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: tools.keep(str(path), b"x" * 100_000), range(200)))
    assert path.read_bytes() == b"x" * 100_000
    assert [found.name for found in path.parent.iterdir()] == ["tool.tgz"]
