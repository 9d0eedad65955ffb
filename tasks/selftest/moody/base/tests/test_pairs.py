from moody import pairs


def test_of_three():
    assert pairs([1, 2, 3]) == [(1, 2), (2, 3)]
