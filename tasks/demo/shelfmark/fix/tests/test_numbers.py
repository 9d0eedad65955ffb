from shelfmark import arrange


def test_volumes_are_arranged_by_number():
    assert arrange(["QA 76 v.10", "QA 76 v.2"]) == ["QA 76 v.2", "QA 76 v.10"]


def test_classes_are_arranged_by_number():
    assert arrange(["QA 76", "QA 8"]) == ["QA 8", "QA 76"]
