from moneybag.decimals import decimals


def test_most_currencies_have_two_decimals():
    assert decimals("EUR") == 2


def test_some_have_none():
    assert decimals("JPY") == 0
