"""Reads ini files, and changes single values without touching comments, order or blanks."""

from inikeep.change import put
from inikeep.lines import read

__all__ = ["put", "read"]
