"""Turns titles into the last part of an address."""

import re


def slugify(text, separator="-"):
    return separator.join(re.findall("[a-z0-9]+", text.lower()))
