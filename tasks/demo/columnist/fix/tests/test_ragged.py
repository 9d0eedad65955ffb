from columnist import table


def test_missing_cells_are_empty():
    rows = [["name", "colour", "legs"], ["ant", "black"], ["cat", "grey", "4"]]
    assert table(rows) == "name  colour  legs\nant   black\ncat   grey    4"


def test_a_short_first_row_hides_nothing():
    assert table([["ant"], ["cat", 4]]) == "ant\ncat  4"


def test_an_empty_row_is_an_empty_line():
    assert table([["ant"], ["cat"]]).count("\n") == 1
