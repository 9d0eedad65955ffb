"""Prints rows as aligned columns."""

from columnist.layout import table, widths

__all__ = ["table", "widths"]
