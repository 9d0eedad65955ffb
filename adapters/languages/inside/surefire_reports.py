"""Reads Surefire's XML: what each test came to, under an id that begins with the file that the test stands in.

core/src/test/java/org/example/ClockTest.java::ticks
core/src/test/java/org/example/ClockTest.java::AtNight::ticks(int)[2]     a nested class; a parameterized test
core/src/test/java::org.example.Elsewhere::ticks                         a class that has no file of its own
"""

import os
import xml.etree.ElementTree as ElementTree
from xml.parsers import expat

FAILED = ("failure", "error", "rerunFailure", "rerunError", "flakyFailure", "flakyError")
"""A failure that a repeat took back is one: whether it comes is a matter of luck."""


class Refused(Exception):  # noqa: N818
    """A report that is no whole report."""


class Case(object):
    """`test` is None for what is said of a class as a whole."""

    def __init__(self, owner, test, outcome):
        self.owner = owner
        self.test = test
        self.outcome = outcome

    @property
    def id(self):
        return self.owner if self.test is None else "%s::%s" % (self.owner, self.test)


def read_folder(folder, tree, roots):
    """Every case of a folder of reports, files by name, cases in their order.

    Raises:
        Refused: one of them is cut off, or says another count than it holds.
    """
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    cases = []
    for name in names:
        if name.startswith("TEST-") and name.endswith(".xml"):
            cases += read_report(os.path.join(folder, name), tree, roots)
    return numbered(cases)


def read_report(path, tree, roots):
    with open(path, "rb") as file:
        suite = parse(file.read())
    if suite.tag != "testsuite":
        raise Refused("no test suite: %s" % os.path.basename(path))
    cases = [case_of(element, tree, roots) for element in suite.iter("testcase")]
    if any(case.outcome == "failed" for case in cases) != (count(suite, "failures") + count(suite, "errors") > 0):
        if not any(element.tag.startswith("flaky") for element in suite.iter()):
            raise Refused("the counts do not agree with the cases: %s" % os.path.basename(path))
    return cases


def count(suite, name):
    text = suite.get(name, "0")
    return int(text) if text.isdigit() else 0


def parse(content):
    """The root element. Without a document type: a report has none, and what one can declare may be endless."""
    tree = ElementTree.TreeBuilder()
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = tree.start, tree.end
    parser.StartDoctypeDeclHandler = refuse_type
    try:
        parser.Parse(content, True)
        return tree.close()
    except (expat.ExpatError, AssertionError, ValueError) as fault:
        raise Refused("no XML: %s" % fault)


def refuse_type(*_):
    raise Refused("a report declares a document type")


def case_of(element, tree, roots):
    name, held_by = element.get("name") or "", element.get("classname") or ""
    tags = {child.tag for child in element}
    outcome = "failed" if tags & set(FAILED) else "skipped" if "skipped" in tags else "passed"
    whole = name in ("", held_by, held_by.rpartition(".")[2])
    return Case(owner(held_by, tree, roots), None if whole else name, outcome)


def owner(held_by, tree, roots):
    """The id of a class: its file and, for a nested one, what stands between the dollars."""
    outer, *inner = held_by.split("$")
    for root in roots:
        path = os.path.join(root, *outer.split(".")) + ".java"
        if os.path.isfile(path):
            return "::".join([os.path.relpath(path, tree).replace(os.sep, "/"), *inner])
    root = os.path.relpath(roots[0], tree).replace(os.sep, "/") if roots else "."
    return "%s::%s" % (root, held_by)


def numbered(cases):
    """Several cases of one name, such as the data sets of TestNG: the second is `name[#2]`."""
    seen = {}
    for case in cases:
        if case.test is not None:
            seen[case.id] = times = seen.get(case.id, 0) + 1
            if times > 1:
                case.test = "%s[#%d]" % (case.test, times)
    return cases
