"""Amounts as text: a currency, a blank, and a number with two decimals."""

import re

_AMOUNT = re.compile(r"([A-Z]{3}) (-?)(\d+)\.(\d\d)")


def read(text):
    """Return (currency, cents). Raises ValueError for anything that `write` would not have written."""
    found = _AMOUNT.fullmatch(text)
    if not found:
        raise ValueError(f"not an amount: {text!r}")
    cents = int(found[3]) * 100 + int(found[4])
    return found[1], -cents if found[2] else cents


def write(currency, cents):
    """Return the amount as text."""
    units, rest = divmod(abs(cents), 100)
    sign = "-" if cents < 0 else ""
    return f"{currency} {sign}{units}.{rest:02}"
