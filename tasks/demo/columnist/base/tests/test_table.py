import sys

import pytest

from columnist import table, widths


def test_columns_are_as_wide_as_their_widest_cell():
    assert widths([["ant", 6], ["butterfly", 10]]) == [9, 2]


def test_text_is_aligned_left_and_numbers_right():
    assert table([["ant", 6], ["snail", 10]]) == "ant     6\nsnail  10"


def test_no_rows_give_no_text():
    assert table([]) == ""


def test_the_gap_can_be_chosen():
    assert table([["a", "b"]], gap=4) == "a    b"


def test_wide_characters_take_two_columns():
    assert widths([["漢字"]]) == [4]


@pytest.mark.xfail(reason="line breaks inside cells are not laid out yet")
def test_cells_may_have_several_lines():
    assert table([["a\nb", "c"]]) == "a  c\nb"


@pytest.mark.skipif(sys.platform != "win32", reason="only that console ends lines differently")
def test_lines_end_as_the_console_wants():
    assert "\r\n" in table([["a"], ["b"]])
