"""Prices as whole cents."""

from pricetag.price import read, show

__all__ = ["read", "show"]
