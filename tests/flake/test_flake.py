"""The flake, evaluated by a real nix against a stub of nixpkgs: check.sh does it and says what it cannot prove."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def need_nix() -> None:
    """Without nix: a skip here, a failure in CI."""
    if shutil.which("nix") is None:
        assert not os.environ.get("CI"), "CI needs nix: apt-get install nix-bin"
        pytest.skip("nix is not installed: apt-get install nix-bin")


def check(flake: Path) -> subprocess.CompletedProcess[str]:
    """Run check.sh on a folder with a flake.nix and a flake.lock."""
    need_nix()
    return subprocess.run(["bash", HERE / "check.sh", flake], capture_output=True, text=True, timeout=120)


def copy_of_the_flake(folder: Path) -> Path:
    for name in ("flake.nix", "flake.lock"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def test_every_output_exists_on_both_systems_and_broken_flakes_are_refused() -> None:
    finished = check(ROOT)
    assert finished.returncode == 0, finished.stderr
    assert "proves the shape of the flake only" in finished.stdout
    for system in ("x86_64-linux", "aarch64-linux"):
        assert f"ok: checks.{system}.tests.drvPath" in finished.stdout


def test_a_flake_without_one_of_its_checks_fails_the_check(tmp_path: Path) -> None:
    flake = copy_of_the_flake(tmp_path) / "flake.nix"
    flake.write_text(flake.read_text().replace("schemas = check", "other = check"))
    finished = check(tmp_path)
    assert finished.returncode == 1
    assert "error: the flake has no checks.x86_64-linux.schemas.drvPath" in finished.stderr


def test_a_lock_of_another_branch_fails_the_check(tmp_path: Path) -> None:
    lock = copy_of_the_flake(tmp_path) / "flake.lock"
    lock.write_text(lock.read_text().replace("nixos-26.05", "nixos-25.11"))
    finished = check(tmp_path)
    assert finished.returncode == 1
    assert "error: flake.lock does not pin what flake.nix asks for" in finished.stderr


def test_checking_leaves_the_lock_as_it_is(tmp_path: Path) -> None:
    before = (copy_of_the_flake(tmp_path) / "flake.lock").read_bytes()
    assert check(tmp_path).returncode == 0
    assert (tmp_path / "flake.lock").read_bytes() == before


def test_the_lock_pins_nixpkgs_by_revision_and_content() -> None:
    locked = json.loads((ROOT / "flake.lock").read_text())["nodes"]["nixpkgs"]["locked"]
    assert len(locked["rev"]) == 40
    assert locked["narHash"].startswith("sha256-")


def test_the_shell_that_the_flake_describes_has_its_programs_and_its_variables() -> None:
    need_nix()
    told = 'command -v git make python3; echo "$IN_NIX_SHELL $LD_LIBRARY_PATH"; make -s --version | head -1'
    finished = subprocess.run(
        ["bash", HERE / "develop.sh", "bash", "-c", told], capture_output=True, text=True, timeout=120
    )
    assert finished.returncode == 0, finished.stderr
    *programs, shell, version = finished.stdout.splitlines()
    assert [Path(program).parent.parent.name.partition("-")[2] for program in programs] == [
        "git",
        "gnumake",
        "python313",
    ]
    assert shell.startswith("impure /") and "-gcc-lib/lib:" in shell
    assert version.startswith("GNU Make")


def test_a_command_that_fails_inside_the_shell_fails_outside() -> None:
    need_nix()
    finished = subprocess.run(["bash", HERE / "develop.sh", "false"], capture_output=True, timeout=120)
    assert finished.returncode == 1
