import locale
import socket
import time

import pytest


class Thing:
    pass


@pytest.mark.parametrize("thing", [Thing()], ids=repr)
def test_named_by_an_address(thing):
    assert thing


def test_order_of_a_set():
    assert list({"a", "b", "c", "d"})[0] == "c"


def test_time_zone():
    assert time.tzname[0] == "UTC"


def test_locale():
    locale.setlocale(locale.LC_ALL, "tr_TR.ISO-8859-9")


def test_network():
    socket.create_connection(("192.0.2.1", 80), 1)


@pytest.fixture
def untidy():
    yield
    raise RuntimeError("not tidied up")


def test_teardown(untidy):
    pass


def test_counts(request):
    """Passes in the order of the gold run, and alone it would fail."""
    assert request.session.testscollected > 1
