import pytest

from csvpeek import guess, header


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_common_separators_are_guessed(sign):
    assert guess(f"a{sign}b\n1{sign}2\n") == sign


def test_an_empty_file_has_commas():
    assert guess("") == ","


def test_the_header_is_read():
    assert header("name; legs\nant; 6\n") == ["name", "legs"]
