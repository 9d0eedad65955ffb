from overheard.clock import later


def test_noon():
    assert later("11:59", 2) == "12:01"
