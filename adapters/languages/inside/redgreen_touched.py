"""A pytest plugin that tells which tests run one of some lines. Loaded by `-p redgreen_touched`.

{"event": "touched", "id": ..., "touched": true, false, or null where the test started a process, which is not followed}
{"event": "seen", "files": [...]}                   of the files with such lines, those whose code was run at all
"""

import json
import os
import sys
import threading

import pytest
import redgreen_events

WANTED = {
    os.path.realpath(path): frozenset(lines) for path, lines in json.loads(os.environ.pop("REDGREEN_LINES")).items()
}
STARTS = ("subprocess.Popen", "os.system", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.exec")


class Touched(object):
    def __init__(self):
        self.real = {}
        self.seen = set()
        self.touched = False
        self.started = False

    def lines_of(self, name):
        if name not in self.real:
            self.real[name] = os.path.realpath(name)
        return WANTED.get(self.real[name])

    def trace(self, frame, event, argument):
        lines = self.lines_of(frame.f_code.co_filename)
        if lines is None:
            return None
        self.seen.add(self.real[frame.f_code.co_filename])

        def follow(inner, what, value):
            if what == "line" and inner.f_lineno in lines:
                self.touched = True
            return follow

        return follow

    def audit(self, event, arguments):
        self.started |= event in STARTS

    def watch(self):
        sys.settrace(self.trace)
        threading.settrace(self.trace)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        self.touched = self.started = False
        self.watch()
        yield
        touched = True if self.touched else None if self.started else False
        redgreen_events.send(event="touched", id=item.nodeid, touched=touched)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        redgreen_events.send(event="seen", files=sorted(self.seen))


touched = Touched()
if hasattr(sys, "addaudithook"):
    sys.addaudithook(touched.audit)
touched.watch()


def pytest_configure(config):
    config.pluginmanager.register(touched, "redgreen-touched")
