"""Roman numerals from I to MMMCMXCIX."""

_STEPS = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
)
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def to_roman(number):
    """Write `number`, 1 to 3999, in Roman numerals."""
    if not 1 <= number <= 3999:
        raise ValueError(f"no Roman numeral for {number}")
    letters = []
    for value, letter in _STEPS:
        count, number = divmod(number, value)
        letters.append(letter * count)
    return "".join(letters)


def _add_up(letters):
    """Add letters, those before a larger one with a minus."""
    total = 0
    for here, after in zip(letters, letters[1:] + "I"):
        value = _VALUES[here]
        total += -value if value < _VALUES[after] else value
    return total


def from_roman(text):
    """Read Roman numerals, upper or lower case. Raises ValueError for anything else."""
    letters = text.strip().upper()
    if letters and all(letter in _VALUES for letter in letters):
        total = _add_up(letters)
        if 1 <= total <= 3999 and to_roman(total) == letters:
            return total
    raise ValueError(f"not a Roman numeral: {text!r}")
