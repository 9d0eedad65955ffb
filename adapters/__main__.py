"""`python -m adapters LANGUAGE OUT`: look a language's image up, or build it."""

from __future__ import annotations

import sys
from pathlib import Path

import adapters
from redgreen import errors

with errors.reported():
    adapters.image(sys.argv[1], Path(sys.argv[2]))
