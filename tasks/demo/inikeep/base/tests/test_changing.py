import pytest

from inikeep import put, read


def test_only_one_line_changes():
    text = "[water]\n# keep me\nflow : 40  \ngate=open\n"
    assert put(text, "water", "gate", "shut") == "[water]\n# keep me\nflow : 40  \ngate= shut\n"


def test_a_changed_value_is_read_back():
    assert read(put("[water]\nflow : 40\n", "water", "flow", "41"))["water"]["flow"] == "41"


def test_unknown_keys_are_refused():
    with pytest.raises(KeyError):
        put("[water]\n", "water", "flow", "1")
