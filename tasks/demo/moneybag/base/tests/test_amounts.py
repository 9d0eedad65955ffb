import pytest

from moneybag import read, write


def test_amounts_are_read():
    assert read("EUR 12.50") == ("EUR", 1250)


def test_amounts_are_written():
    assert write("SEK", 705) == "SEK 7.05"


@pytest.mark.parametrize("text", ["", "12.50", "EUR 12,50", "EUR 12.5", "eur 12.50"])
def test_other_notations_are_refused(text):
    with pytest.raises(ValueError, match="not an amount"):
        read(text)
