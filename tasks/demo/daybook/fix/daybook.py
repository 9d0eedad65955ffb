"""A diary in plain text: one file a day, one line an entry."""

import sys
import time
from pathlib import Path

__version__ = "0.3.0"


def page_name(moment):
    """The name of the page for `moment`, in seconds since 1970; days begin at midnight local time."""
    return time.strftime("%Y-%m-%d.txt", time.localtime(moment))


def write(folder, text, moment):
    """Add an entry to the page of the day, and return the page's path. The folder is made if need be."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / page_name(moment)
    line = " ".join(text.split())
    with page.open("a", encoding="utf-8") as stream:
        stream.write(time.strftime("%H:%M ", time.localtime(moment)) + line + "\n")
    return page


def pages(folder):
    """The pages in `folder`, oldest first."""
    return sorted(Path(folder).glob("????-??-??.txt"))


def main():
    write(Path.cwd(), " ".join(sys.argv[1:]), time.time())
