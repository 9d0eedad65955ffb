"""Looks at the first lines of a file and guesses what separates its columns."""

CANDIDATES = ",;\t| "


def guess(text, lines=20):
    """The separator that every one of the first `lines` lines has equally often; a comma if there is none."""
    head = [line for line in text.splitlines()[:lines] if line.strip()]
    counts = {sign: {line.count(sign) for line in head} for sign in CANDIDATES}
    steady = [sign for sign in CANDIDATES if len(counts[sign]) == 1 and counts[sign] != {0}]
    return max(steady, key=lambda sign: max(counts[sign]), default=",")


def header(text):
    """The names of the columns."""
    first = text.splitlines()[0] if text else ""
    return [name.strip() for name in first.split(guess(text))]
