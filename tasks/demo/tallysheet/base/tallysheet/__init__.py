"""Counts things by name."""

from tallysheet.sheet import Tally

__all__ = ["Tally"]
