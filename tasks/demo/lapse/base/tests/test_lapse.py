import lapse
import pytest


@pytest.mark.parametrize(
    ("text", "seconds"), [("45s", 45), ("1h30m", 5400), ("2 d", 172800), (" 1w 1d ", 691200), ("3H", 10800)]
)
def test_durations_are_read(text, seconds):
    assert lapse.parse(text) == seconds


def test_zero_is_written_with_a_unit():
    assert lapse.write(0) == "0s"


def test_units_that_are_empty_are_left_out():
    assert lapse.write(3605) == "1h5s"


def test_negative_durations_are_refused():
    with pytest.raises(ValueError):
        lapse.write(-1)


def test_what_is_written_can_be_read():
    assert all(lapse.parse(lapse.write(seconds)) == seconds for seconds in range(0, 700000, 997))
