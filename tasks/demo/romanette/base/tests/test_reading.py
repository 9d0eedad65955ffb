import pytest

from romanette import from_roman, to_roman


@pytest.mark.parametrize("text", ["XIV", "xiv", " XIV "])
def test_case_and_blanks_do_not_matter(text):
    assert from_roman(text) == 14


@pytest.mark.parametrize("text", ["", "ABC", "Ⅳ", "vïi", "X I"])
def test_foreign_symbols_are_refused(text):
    with pytest.raises(ValueError, match="not a Roman numeral"):
        from_roman(text)


def test_every_number_survives_the_round_trip():
    assert all(from_roman(to_roman(number)) == number for number in range(1, 4000))
