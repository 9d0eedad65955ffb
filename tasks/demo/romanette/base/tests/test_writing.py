import pytest

from romanette import to_roman


@pytest.mark.parametrize(("number", "text"), [(1, "I"), (4, "IV"), (1994, "MCMXCIV"), (3999, "MMMCMXCIX")])
def test_numbers_are_written(number, text):
    assert to_roman(number) == text


@pytest.mark.parametrize("number", [0, -3, 4000])
def test_numbers_out_of_range_are_refused(number):
    with pytest.raises(ValueError, match="no Roman numeral"):
        to_roman(number)
