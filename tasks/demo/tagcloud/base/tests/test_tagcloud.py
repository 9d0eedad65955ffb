from tagcloud import cloud, tags


def test_a_tag_is_found():
    assert tags("sowed the #Garden") == ["garden"]


def test_a_note_without_tags():
    assert tags("nothing to see") == []


def test_a_sign_inside_a_word_is_no_tag():
    assert tags("c#minor page#3") == []


def test_tags_may_have_hyphens():
    assert tags("#winter-garden.") == ["winter-garden"]


def test_the_most_frequent_tag_comes_first():
    assert cloud(["#oak #rain", "#rain"]) == [("rain", 2), ("oak", 1)]


def test_equal_counts_are_sorted_by_name():
    assert cloud(["#oak #elm"]) == [("elm", 1), ("oak", 1)]
