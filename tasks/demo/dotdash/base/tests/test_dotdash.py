import pytest

from dotdash import decode, encode


def test_letters_are_encoded():
    assert encode("sos") == "... --- ..."


def test_words_are_separated_by_a_slash():
    assert encode("a b") == ".- / -..."


def test_letters_are_decoded():
    assert decode("... --- ...") == "SOS"


def test_unknown_letters_are_refused():
    with pytest.raises(ValueError, match="no sign"):
        encode("ü")


def test_unknown_signs_are_refused():
    with pytest.raises(ValueError, match="no letter"):
        decode("......")
