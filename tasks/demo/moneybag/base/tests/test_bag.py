from moneybag import Bag


def test_an_empty_bag():
    assert Bag().contents() == []


def test_currencies_are_kept_apart():
    bag = Bag("SEK 1.00", "EUR 0.60", "EUR 0.60")
    assert bag.contents() == ["EUR 1.20", "SEK 1.00"]
