import pytest

from tallysheet import Tally


def test_names_are_counted():
    sheet = Tally()
    sheet.add("oak")
    sheet.add("oak", 2)
    assert sheet.count("oak") == 3


def test_a_name_never_seen_counts_zero():
    assert Tally().count("elm") == 0


def test_negative_counts_are_refused():
    with pytest.raises(ValueError):
        Tally().add("oak", -1)


def test_equal_counts_are_ranked_by_name():
    sheet = Tally({"oak": 2, "elm": 2, "ash": 5, "fir": 1})
    assert sheet.top() == [("ash", 5), ("elm", 2), ("oak", 2)]
