from slugline import slugify

TITLE = "Notes from the winter garden"


def test_a_slug_that_fits_exactly_is_kept():
    assert slugify(TITLE, max_length=10) == "notes-from"


def test_no_separator_is_left_at_the_end():
    assert slugify(TITLE, max_length=11) == "notes-from"


def test_words_stay_whole():
    assert slugify(TITLE, max_length=12) == "notes-from"


def test_a_long_separator_counts_towards_the_limit():
    assert slugify("one two three", separator="---", max_length=10) == "one---two"
