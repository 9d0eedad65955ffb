"""From a title to a slug: plain letters, lower case, one separator between words."""

import re
import unicodedata

_WORD = re.compile(r"[a-z0-9]+")


def _plain(text):
    """Drop accents and whatever else has no plain form."""
    decomposed = unicodedata.normalize("NFKD", text)
    return decomposed.encode("ascii", "ignore").decode("ascii")


def _shorten(words, separator, max_length):
    return separator.join(words)[:max_length]


def slugify(text, *, separator="-", max_length=None):
    """Make a slug of `text`.

    `separator` stands between words. `max_length` is the largest number of characters of the result; None is no limit.
    """
    if max_length is not None and max_length < 1:
        raise ValueError("max_length must be at least 1")
    words = _WORD.findall(_plain(text).lower().replace("'", ""))
    if max_length is None:
        return separator.join(words)
    return _shorten(words, separator, max_length)
