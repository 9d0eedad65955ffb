from inikeep import read


def test_sections_and_keys_are_read(data):
    assert read(data("sample.ini"))["water"] == {"flow": "40", "gate": "open", "dry": ""}


def test_keys_before_the_first_section(data):
    assert list(read(data("sample.ini"))[""]) == ["name"]


def test_comments_are_not_keys():
    assert read("# a = 1\n; b = 2\n") == {}


def test_an_empty_section_is_kept():
    assert read("[empty]\n") == {"empty": {}}
