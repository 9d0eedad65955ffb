"""Puts shelf marks in the order of the shelves."""


def tidy(mark):
    """The mark in capitals, with single blanks; the `v.` of a volume stays small."""
    words = mark.upper().split()
    return " ".join("v." + word[2:] if word.startswith("V.") else word for word in words)


def _key(mark):
    return tidy(mark)


def arrange(marks):
    """The marks in the order in which they stand on the shelves, as they were given."""
    return sorted(marks, key=_key)
