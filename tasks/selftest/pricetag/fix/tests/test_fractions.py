import pytest
from pricetag import read

IDS = ["a b", "a - b", "a::b", "b]", "\xe9", "\x1b[31m", "100%", "two\nlines"]


def test_a_short_fraction_is_filled_up():
    assert read("1.5") == 150


@pytest.mark.parametrize("number", range(len(IDS)), ids=IDS)
def test_reads(number):
    assert read("%d.5" % number) == number * 100 + 50
