"""Amounts of money as whole cents."""

from moneybag.amounts import read, write
from moneybag.bag import Bag

__all__ = ["Bag", "read", "write"]
