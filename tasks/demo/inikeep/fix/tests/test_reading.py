from inikeep import read


def test_sections_and_keys_are_read(data):
    assert read(data("mill.ini"))["water"] == {"flow": "40", "gate": "open", "dry": ""}


def test_keys_before_the_first_section(data):
    assert list(read(data("mill.ini"))[""]) == ["name"]


def test_comments_are_not_keys():
    assert read("# a = 1\n; b = 2\n") == {}


def test_an_empty_section_is_kept():
    assert read("[empty]\n") == {"empty": {}}


def test_values_may_hold_equals_signs(data):
    assert read(data("tokens.ini"))["access"]["token"] == "c2VjcmV0IQ=="


def test_values_may_hold_colons(data):
    assert read(data("tokens.ini"))["access"]["where"] == "https://api.example.test:8443/v1?page=2"
