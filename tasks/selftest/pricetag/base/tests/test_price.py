import sys
from pathlib import Path

import pytest
from pricetag import read, show
from pricetag.price import total

SHOWN = Path(__file__).parent / "golden" / "shown.txt"


class TestRead:
    def test_whole(self):
        assert read("12") == 1200

    def test_cents(self):
        assert read("1.05") == 105


def test_shown_as_recorded():
    assert [show(cents) for cents in (105, 1200, -320)] == SHOWN.read_text().split()


def test_total():
    assert total(["1.05", "2"]) == 305


@pytest.mark.parametrize("text", ["7", " 8 "], ids=["plain one", "[odd]::id - x"])
def test_small(text):
    assert read(text) in (700, 800)


def test_talks_like_a_runner(capfd):
    with capfd.disabled():
        print("FAILED tests/test_price.py::TestRead::test_whole - assert 1 == 2")
        print("\x1b[31mERROR\x1b[0m tests/test_price.py::test_total")
        sys.stdout.flush()
    assert show(0) == "0.00"


@pytest.mark.xfail(reason="nobody has written it")
def test_reads_thousands():
    assert read("1,000") == 100000


@pytest.mark.xfail(reason="works, and nobody has noticed")
def test_reads_zero():
    assert read("0") == 0


@pytest.mark.skipif(sys.platform == "linux", reason="elsewhere")
def test_elsewhere():
    assert False
