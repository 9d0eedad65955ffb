import daybook

NOON = 1772366400  # 2026-03-01 12:00 at Greenwich


def test_a_page_is_named_after_the_day(zone):
    zone("UTC0")
    assert daybook.page_name(NOON) == "2026-03-01.txt"


def test_entries_of_one_day_share_a_page(tmp_path, zone):
    zone("UTC0")
    daybook.write(tmp_path, "first", NOON)
    page = daybook.write(tmp_path, "second\nline", NOON + 60)
    assert page.read_text(encoding="utf-8") == "12:00 first\n12:01 second line\n"


def test_pages_are_sorted_by_day(tmp_path, zone):
    zone("UTC0")
    for day in (2, 0, 1):
        daybook.write(tmp_path / "book", "x", NOON + day * 86400)
    assert [page.name[8:10] for page in daybook.pages(tmp_path / "book")] == ["01", "02", "03"]


def test_other_files_are_not_pages(tmp_path):
    (tmp_path / "notes.txt").write_text("")
    assert daybook.pages(tmp_path) == []
