from csvpeek import guess, header

NAMES = "name\nAnn Example\nBob Example\n"


def test_blanks_in_some_lines_do_not_separate():
    assert guess(NAMES) == ","


def test_one_column_has_one_name():
    assert header("full name\nAnn\n") == ["full name"]
