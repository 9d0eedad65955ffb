"""One copy of the checkout, and one undisturbed result that tests read and copy, for each worker."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pipeline import SMALL, Checkout, copy_checkout


@pytest.fixture(scope="session")
def short() -> Iterator[Path]:
    """A folder with a short path: addresses of sockets and overlays hold few bytes."""
    folder = Path(tempfile.mkdtemp(prefix="rgf"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def checkout(short: Path) -> Checkout:
    return copy_checkout(short / "c")


@pytest.fixture(scope="session")
def undisturbed(checkout: Checkout, short: Path) -> Path:
    """OUT of `make -j4 all` on two little projects, and in the file `seconds` beside it how long that took.

    Nobody changes it.
    """
    out = short / "undisturbed"
    started = time.monotonic()
    done = checkout.make("-j4", "all", f"OUT={out}", f"REPO={SMALL}")
    assert done.returncode == 0, done.stderr[-3000:]
    (short / "seconds").write_text(str(time.monotonic() - started))
    return out


@pytest.fixture
def result(undisturbed: Path, tmp_path: Path) -> Path:
    """A copy of it, times and all, to be broken."""
    out = tmp_path / "o"
    subprocess.run(["cp", "-a", str(undisturbed), str(out)], check=True)
    return out
