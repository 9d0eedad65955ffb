import pytest

from billsplit import shares, with_tip


def test_a_tip_is_added():
    assert with_tip(2000, 10) == 2200


def test_no_tip():
    assert with_tip(1234, 0) == 1234


def test_a_negative_tip_is_refused():
    with pytest.raises(ValueError):
        with_tip(1000, -1)


def test_shares_add_up():
    assert shares(1000, 3) == [334, 333, 333]


def test_somebody_has_to_pay():
    with pytest.raises(ValueError):
        shares(1000, 0)
