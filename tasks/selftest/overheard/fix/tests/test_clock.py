from overheard.clock import later


def test_noon():
    assert later("11:59", 2) == "12:01"


def test_before_midnight():
    assert later("23:59", 2) == "00:01"
