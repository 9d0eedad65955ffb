"""Looks at the first lines of a file and guesses what separates its columns."""

CANDIDATES = ",;\t| "


def guess(text, lines=20):
    """The separator that occurs most often in the first `lines` lines; a comma if there is none."""
    head = text.splitlines()[:lines]
    counts = {sign: sum(line.count(sign) for line in head) for sign in CANDIDATES}
    best = max(CANDIDATES, key=lambda sign: counts[sign])
    return best if counts[best] else ","


def header(text):
    """The names of the columns."""
    first = text.splitlines()[0] if text else ""
    return [name.strip() for name in first.split(guess(text))]
