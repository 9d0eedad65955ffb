from tallysheet import Tally


def test_counts_are_added():
    merged = Tally({"oak": 1, "elm": 2}).merge(Tally({"elm": 3}))
    assert merged.top() == [("elm", 5), ("oak", 1)]


def test_merging_with_an_empty_sheet():
    assert Tally({"oak": 1}).merge(Tally()).total() == 1
