import shutil
from pathlib import Path

import daybook
import pytest

NOTES = Path(__file__).parents[1] / "notes"
MIDNIGHT = 1772323200  # 2026-03-01 00:00 at Greenwich


@pytest.mark.parametrize(
    ("rule", "moment", "day"), [("DEMO-10", MIDNIGHT + 15 * 3600, "2026-03-02"), ("DEMO+5", MIDNIGHT, "2026-02-28")],
    ids=["DEMO-10-2026-03-02", "DEMO+5-2026-02-28"],
)
def test_an_entry_after_midnight_is_on_the_new_page(rule, moment, day, tmp_path, zone):
    zone(rule)
    assert daybook.write(tmp_path, "x", moment).name == f"{day}.txt"


def test_time_and_page_agree(zone):
    zone("DEMO+5")
    shutil.rmtree(NOTES, ignore_errors=True)
    page = daybook.write(NOTES, "tired", MIDNIGHT + 9000)
    assert (page.name, page.read_text(encoding="utf-8")) == ("2026-02-28.txt", "21:30 tired\n")


def test_greenwich_is_as_before(zone):
    zone("UTC0")
    assert daybook.page_name(MIDNIGHT) == "2026-03-01.txt"
