"""Runs a project's tests with the standard library's unittest and reports each. Exit status 0 or 1, as unittest's.

usage: python redgreen_unittest.py [folder ...]      (folders below the current one; default: the current one)

Ids are written as `path/of/test_file.py::Class::method`, so that they say the same as pytest's.
"""

import os
import signal
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path = [os.getcwd()] + [entry for entry in sys.path if os.path.abspath(entry or ".") != HERE]
sys.path.append(HERE)
import redgreen_events

sys.path.remove(HERE)
TEST_TIMEOUT_S = int(os.environ.pop("REDGREEN_TEST_TIMEOUT_S", "120"))
os.environ.pop("REDGREEN_CANARY_FOLDERS", None)


class Hang(BaseException):
    """Not an Exception: a test's own `except Exception` must not swallow it."""


def on_alarm(number, frame):
    raise Hang("redgreen: no end after %d s" % TEST_TIMEOUT_S)


def identity(test):
    name = test.id()
    module = sys.modules.get(test.__class__.__module__)
    path = getattr(module, "__file__", None)
    if path is None or not path.endswith(".py"):
        return name
    place = os.path.relpath(path).replace(os.sep, "/")
    if place.startswith("../"):  # a doctest, say: its class is the library's, its name says what it tests
        return "%s::%s" % (test.__class__.__module__, name)
    inner = name[len(test.__class__.__module__) + 1 :].split(".", 1)
    return "::".join([place] + inner)  # noqa: RUF005 (Python 2.7)


def broken_file(test):
    """The file that could not be loaded, as the ids of its tests would name it: unittest names its module."""
    module = test.id().split("_FailedTest.", 1)[-1]
    path = module.replace(".", "/") + ".py"
    for folder in [""] + [name.rstrip("/") + "/" for name in sys.argv[1:] if name != "."]:
        if os.path.exists(folder + path):
            return folder + path
    return module


class Result(unittest.TextTestResult):
    """Writes what unittest itself decided; a test that failed in a sub-test has failed."""

    def startTest(self, test):
        super(Result, self).startTest(test)
        self.failed_subtests = set()
        signal.signal(signal.SIGALRM, on_alarm)
        signal.setitimer(signal.ITIMER_REAL, TEST_TIMEOUT_S)

    def stopTest(self, test):
        signal.setitimer(signal.ITIMER_REAL, 0)
        super(Result, self).stopTest(test)

    def tell(self, test, outcome, xfail=False):
        redgreen_events.send(event="phase", id=identity(test), when="call", outcome=outcome, wasxfail=xfail)

    def addSuccess(self, test):
        super(Result, self).addSuccess(test)
        if identity(test) not in self.failed_subtests:
            self.tell(test, "passed")

    def addFailure(self, test, err):
        super(Result, self).addFailure(test, err)
        self.tell(test, "failed")

    def addError(self, test, err):
        super(Result, self).addError(test, err)
        if test.__class__.__name__ in ("_FailedTest", "ModuleImportFailure", "_ErrorHolder"):
            redgreen_events.send(event="broken", id=broken_file(test))
        else:
            self.tell(test, "failed")

    def addSkip(self, test, reason):
        super(Result, self).addSkip(test, reason)
        self.tell(test, "skipped")

    def addExpectedFailure(self, test, err):
        super(Result, self).addExpectedFailure(test, err)
        self.tell(test, "skipped", xfail=True)

    def addUnexpectedSuccess(self, test):
        super(Result, self).addUnexpectedSuccess(test)
        self.tell(test, "failed")

    def addSubTest(self, test, subtest, err):
        super(Result, self).addSubTest(test, subtest, err)
        if err is not None:
            self.failed_subtests.add(identity(test))
            self.tell(test, "failed")


class Canary(unittest.TestCase):
    def test_holds(self):
        self.assertEqual([1], [1])

    def test_breaks(self):
        self.assertEqual([1], [2])


def collect(folders):
    loader = unittest.TestLoader()
    suite = unittest.TestSuite()
    for folder in folders:
        top = os.getcwd()
        suite.addTests(loader.discover(folder, pattern="test*.py", top_level_dir=top if is_package(folder) else None))
    return suite


def is_package(folder):
    return folder == "." or os.path.exists(os.path.join(folder, "__init__.py"))


def cases(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            for inner in cases(test):
                yield inner
        else:
            yield test


def main():
    redgreen_events.send(event="start")
    suite = collect(sys.argv[1:] or ["."])
    redgreen_events.send(event="collected", ids=[identity(test) for test in cases(suite)])
    runner = unittest.TextTestRunner(resultclass=Result, verbosity=1)
    canaries = unittest.TestLoader().loadTestsFromTestCase(Canary)
    result = runner.run(suite)
    status = 0 if result.wasSuccessful() else 1
    redgreen_events.send(event="canary", ids=[identity(test) for test in cases(canaries)])
    runner.run(canaries)
    redgreen_events.send(event="finish", status=status)
    sys.exit(status)


main()
