"""A pytest plugin that reports every phase of every test, and ends a test that hangs. Loaded by `-p redgreen_pytest`.

Works from pytest 3 on. Under xdist only the controller reports. The canaries are two tests in a file of an unguessable
name beside the project's own: whoever makes everything pass makes the one pass that must fail.
"""

import os
import signal
import threading

import pytest
import redgreen_events

TEST_TIMEOUT_S = int(os.environ.pop("REDGREEN_TEST_TIMEOUT_S", "120"))
CANARY_FOLDERS = os.environ.pop("REDGREEN_CANARY_FOLDERS", "").split(os.pathsep)
CANARY = "def test_holds():\n    assert [1] == [1]\n\n\ndef test_breaks():\n    assert [1] == [2]\n"

try:
    hookwrapper = pytest.hookimpl(hookwrapper=True, tryfirst=True)
    last = pytest.hookimpl(trylast=True)
    first = pytest.hookimpl(tryfirst=True)
except AttributeError:  # pytest 2.7 and older
    hookwrapper = pytest.mark.hookwrapper
    last = pytest.mark.trylast
    first = pytest.mark.tryfirst


class Hang(BaseException):
    """Not an Exception: a test's own `except Exception` must not swallow it."""


def on_alarm(number, frame):
    raise Hang("redgreen: no end after %d s" % TEST_TIMEOUT_S)


def text(nodeid):
    return nodeid if not isinstance(nodeid, bytes) else nodeid.decode("utf-8", "backslashreplace")


class Reporter(object):
    def __init__(self, config):
        self.config = config
        self.canary = None
        self.canary_failed = False

    @last
    def pytest_collection_finish(self, session):
        ids = [text(item.nodeid) for item in session.items]
        redgreen_events.send(event="collected", ids=ids)
        redgreen_events.send(event="canary", ids=[nodeid for nodeid in ids if self.is_canary(nodeid)])

    def is_canary(self, nodeid):
        return bool(self.canary) and os.path.basename(self.canary) in nodeid

    def pytest_collectreport(self, report):
        if report.failed:
            redgreen_events.send(event="broken", id=text(report.nodeid))

    @first
    def pytest_runtest_logreport(self, report):
        self.canary_failed |= report.failed and self.is_canary(text(report.nodeid))
        redgreen_events.send(
            event="phase",
            id=text(report.nodeid),
            when=report.when,
            outcome=report.outcome,
            wasxfail=hasattr(report, "wasxfail"),
        )

    @first
    def pytest_sessionfinish(self, session, exitstatus):
        # our own failing test must not be what the exit status tells
        if self.canary_failed and int(exitstatus) == 1 and session.testsfailed == 1:
            session.exitstatus = 0
        redgreen_events.send(event="finish", status=int(session.exitstatus))

    def pytest_unconfigure(self, config):
        remove(self.canary)


class Watch(object):
    """A time limit for each test, by a signal: in the main thread it interrupts all that Python can interrupt."""

    @hookwrapper
    def pytest_runtest_protocol(self, item, nextitem):
        if not usable():
            yield
            return
        before = signal.signal(signal.SIGALRM, on_alarm)
        signal.setitimer(signal.ITIMER_REAL, TEST_TIMEOUT_S)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


def usable():
    return threading.current_thread().__class__.__name__ == "_MainThread"


def remove(path):
    if path and os.path.exists(path):
        os.unlink(path)


def make_canary(config):
    folders = [folder for folder in CANARY_FOLDERS if os.path.isdir(folder)]
    if not folders:
        return None
    name = "test_%s.py" % "".join("%02x" % byte for byte in bytearray(os.urandom(12)))
    path = os.path.join(folders[0], name)
    with open(path, "w") as file:
        file.write(CANARY)
    # collected like its neighbours or not at all: naming it would, in some versions of pytest, hide what lies around it
    return path


def pytest_configure(config):
    if hasattr(config, "workerinput") or hasattr(config, "slaveinput"):
        config.pluginmanager.register(Watch(), "redgreen-watch")
        return
    reporter = Reporter(config)
    reporter.canary = make_canary(config)
    config.pluginmanager.register(reporter, "redgreen-reporter")
    config.pluginmanager.register(Watch(), "redgreen-watch")
    redgreen_events.send(event="start")
