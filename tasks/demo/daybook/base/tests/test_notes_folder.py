import shutil
from pathlib import Path

import daybook

NOTES = Path(__file__).parents[1] / "notes"


def test_the_folder_is_made(zone):
    zone("UTC0")
    shutil.rmtree(NOTES, ignore_errors=True)
    page = daybook.write(NOTES / "2026", "hello", 1772366400)
    assert page.parent.parent == NOTES and page.read_text(encoding="utf-8") == "12:00 hello\n"
