import pytest

from billsplit import with_tip


@pytest.mark.parametrize(("cents", "percent", "total"), [(1050, 5, 1103), (50, 5, 53), (10, 5, 11), (250, 1, 253)])
def test_half_a_cent_is_rounded_up(cents, percent, total):
    assert with_tip(cents, percent) == total
