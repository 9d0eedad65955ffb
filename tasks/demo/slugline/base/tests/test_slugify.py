import pytest

from slugline import slugify


def test_words_are_joined():
    assert slugify("Notes from the winter garden") == "notes-from-the-winter-garden"


def test_accents_are_dropped():
    assert slugify("Crème brûlée") == "creme-brulee"


def test_apostrophes_do_not_split_words():
    assert slugify("It's mine") == "its-mine"


def test_another_separator():
    assert slugify("one two", separator="_") == "one_two"


def test_nothing_usable_gives_an_empty_slug():
    assert slugify("…!") == ""


def test_a_single_long_word_is_cut():
    assert slugify("incomprehensibilities", max_length=8) == "incompre"


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(limit):
    with pytest.raises(ValueError):
        slugify("one", max_length=limit)
