"""Finds `#tags` in notes and counts them."""

import re

_TAG = re.compile(r"(?<!\w)#(\w[\w-]*)")


def _all(text):
    return [tag.lower() for tag in _TAG.findall(text)]


def tags(text):
    """The tags of a note, in lower case."""
    return _all(text)


def cloud(notes):
    """How often each tag occurs in all notes together: [(tag, count)], the most frequent first, then by name."""
    counts = {}
    for note in notes:
        for tag in _all(note):
            counts[tag] = counts.get(tag, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
