from tallysheet import Tally


def test_counts_are_added():
    merged = Tally({"oak": 1, "elm": 2}).merge(Tally({"elm": 3}))
    assert merged.top() == [("elm", 5), ("oak", 1)]


def test_merging_with_an_empty_sheet():
    assert Tally({"oak": 1}).merge(Tally()).total() == 1


def test_merging_leaves_both_sheets_alone():
    january, february = Tally({"oak": 1}), Tally({"oak": 4})
    january.merge(february)
    assert (january.total(), february.total()) == (1, 4)


def test_a_merged_sheet_can_be_changed_by_itself():
    january = Tally({"oak": 1})
    january.merge(Tally()).add("fir")
    assert january.count("fir") == 0
