"""Turns titles into the last part of an address."""

from slugline.core import slugify

__all__ = ["slugify"]
