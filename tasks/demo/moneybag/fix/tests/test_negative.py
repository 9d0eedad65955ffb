from moneybag import Bag, read, write


def test_debts_are_written_with_one_sign():
    assert write("EUR", -1250) == "EUR -12.50"


def test_debts_below_one_unit_keep_their_sign():
    assert write("EUR", -50) == "EUR -0.50"


def test_debts_are_read():
    assert read("EUR -0.50") == ("EUR", -50)


def test_whole_debts_are_subtracted():
    assert Bag("EUR 5.00", "EUR -2.00").contents() == ["EUR 3.00"]
