import aside


def test_there_is_a_way_to_shorten():
    assert hasattr(aside, "shorten")
