from pathlib import Path

import pytest


@pytest.fixture
def data():
    """Returns a function that reads a file of tests/data."""
    folder = Path(__file__).parent / "data"
    return lambda name: (folder / name).read_text(encoding="utf-8")
