import time

import pytest


@pytest.fixture
def zone(monkeypatch):
    """Returns a function that sets the local time zone, as a POSIX rule: `DEMO-10` is ten hours EAST of Greenwich."""

    def choose(rule):
        monkeypatch.setenv("TZ", rule)
        time.tzset()

    yield choose
    monkeypatch.undo()
    time.tzset()
