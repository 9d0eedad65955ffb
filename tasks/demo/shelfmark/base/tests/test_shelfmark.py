from shelfmark import arrange, tidy


def test_marks_are_tidied():
    assert tidy(" qa  76 V.2") == "QA 76 v.2"


def test_marks_are_arranged_by_letters():
    assert arrange(["QB 1", "QA 1"]) == ["QA 1", "QB 1"]


def test_marks_are_returned_as_given():
    assert arrange(["qb 1", "QA 1"]) == ["QA 1", "qb 1"]


def test_no_marks():
    assert arrange([]) == []


def test_shorter_marks_come_first():
    assert arrange(["QA 1 v.1", "QA 1"]) == ["QA 1", "QA 1 v.1"]
