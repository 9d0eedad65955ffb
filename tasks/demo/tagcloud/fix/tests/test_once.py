from tagcloud import tags


def test_each_tag_is_listed_once():
    assert tags("#garden and #oak, more #garden, #rain") == ["garden", "oak", "rain"]
