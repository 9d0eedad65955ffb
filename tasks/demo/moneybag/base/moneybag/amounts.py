"""Amounts as text: a currency, a blank, and a number with two decimals."""

import re

_AMOUNT = re.compile(r"([A-Z]{3}) (-?\d+)\.(\d\d)")


def read(text):
    """Return (currency, cents). Raises ValueError for anything that `write` would not have written."""
    found = _AMOUNT.fullmatch(text)
    if not found:
        raise ValueError(f"not an amount: {text!r}")
    return found[1], int(found[2]) * 100 + int(found[3])


def write(currency, cents):
    """Return the amount as text."""
    units, rest = divmod(cents, 100)
    return f"{currency} {units}.{rest:02}"
