from dotdash import decode, encode


def test_blanks_survive_the_round_trip():
    assert decode(encode("SOS NOW")) == "SOS NOW"


def test_a_slash_is_a_blank():
    assert decode(".- / -...") == "A B"
