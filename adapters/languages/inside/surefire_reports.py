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


WORST_LAST = ("passed", "skipped", "failed")


class Refused(Exception):  # noqa: N818
    """A report that is no whole report."""


class Case(object):
    """`test` is None for what is said of a class as a whole. `number` counts cases of one name: TestNG's data sets."""

    def __init__(self, owner, test, outcome):
        self.owner = owner
        self.test = test
        self.outcome = outcome
        self.number = 1

    @property
    def name(self):
        return self.owner if self.test is None else "%s::%s" % (self.owner, self.test)

    @property
    def id(self):
        return self.name if self.number == 1 or self.test is None else "%s[#%d]" % (self.name, self.number)


def read_all(reports, tree, roots):
    """Every case of the reports of one start of Surefire, name -> contents, files by name, cases in their order.

    A content is None where a report was written over before anybody could read it. Surefire does that itself, but only
    in the report of a suite or of nested classes: once for each class in it, and once for itself.

    Raises:
        Refused: one of them is cut off, says another count than it holds, or was written over.
    """
    files = []
    for name in sorted(reports):
        seen = [content for content in whole(reports[name]) if content is not None]
        if len(seen) < len(reports[name]):
            classes = {case.get("classname") for case in parse(seen[-1]).iter("testcase")} if seen else ()
            if len({*classes, name[len("TEST-") : -len(".xml")]}) < len(reports[name]):
                raise Refused("somebody wrote over %s" % name)
        versions = [read_report(name, content, tree, roots) for content in seen]
        files.append(merged([numbered(cases) for cases in versions]))
    return numbered_on(files)


def whole(contents):
    """The contents, None for those that were being written over while they were read."""
    last = contents[-1]
    return [content if content is last or (content is not None and is_whole(content)) else None for content in contents]


def is_whole(content):
    try:
        parse(content)
    except Refused:
        return False
    return True


def read_report(name, content, tree, roots):
    suite = parse(content)
    if suite.tag != "testsuite":
        raise Refused("no test suite: %s" % name)
    cases = [case_of(element, tree, roots) for element in suite.iter("testcase")]
    failed = any(case.outcome == "failed" for case in cases)
    counted = count(suite, "failures") + count(suite, "errors") > 0
    # 3.5.4 counts, in the report of a suite of JUnit's platform, the class that was run last alone
    last_alone = suite.get("tests") == "0" or len({case.owner for case in cases}) > 1
    if failed != counted and not (failed and last_alone):
        if not any(element.tag.startswith("flaky") for element in suite.iter()):
            raise Refused("the counts do not agree with the cases: %s" % name)
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
    """Several cases of one name: the second is `name[#2]`."""
    seen = {}
    for case in cases:
        seen[case.name] = case.number = seen.get(case.name, 0) + 1
    return cases


def merged(versions):
    """The cases of a report that was written several times: each once, as the worst that was ever said of it."""
    first = {}
    for case in (case for cases in versions for case in cases):
        known = first.setdefault((case.name, case.number), case)
        known.outcome = max(known.outcome, case.outcome, key=WORST_LAST.index)
    return list(first.values())


def numbered_on(files):
    """The cases of several reports. Where a suite runs a class once more, the numbers go on.

    A test that does not pass in one report passes in none: the other may be somebody else's word.
    """
    said = {}  # name -> number of the report -> the worst that it says
    for index, cases in enumerate(files):
        for case in cases:
            worst = said.setdefault(case.name, {})
            worst[index] = max(worst.get(index, "passed"), case.outcome, key=WORST_LAST.index)
    whole = [case for cases in files for case in cases]
    for case in whole:
        if len(said[case.name]) > 1:
            case.outcome = max(said[case.name].values(), key=WORST_LAST.index)
    return numbered(whole)
