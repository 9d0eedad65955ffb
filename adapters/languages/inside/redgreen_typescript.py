"""Runs the tests of JavaScript packages, one process of their own runner each, and translates what our reporters tell.

usage: redgreen_typescript.py <suites as JSON>       in the tree; the events go to the supervisor's pipe

Ids are `path/of/file.test.ts::suite::test`, the path relative to the tree; names that repeat in a file are numbered.
"""

import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import redgreen_events
from redgreen_node_canary import lay_canary

TEST_TIMEOUT_MS = int(os.environ.pop("REDGREEN_TEST_TIMEOUT_S", "60")) * 1000
SILENCE_S = int(os.environ.pop("REDGREEN_SILENCE_S", "300"))
"""A loop without end in a test stops its whole process: after so long without a word the runner is ended."""
NODE = os.environ.pop("REDGREEN_NODE", "node")
OUTCOMES = {"passed": "passed", "failed": "failed", "skipped": "skipped"}


# ---- how each runner is started --------------------------------------------------------------------------------------
def home_of(package, folder):
    """Where a package lies, as Node would find it from a folder of the tree."""
    at = os.path.abspath(folder)
    while True:
        place = os.path.join(at, "node_modules", package)
        if os.path.exists(os.path.join(place, "package.json")):
            return os.path.realpath(place)
        if at == os.path.dirname(at):
            sys.exit("%s is not installed for %s" % (package, folder))
        at = os.path.dirname(at)


def version_of(home):
    with open(os.path.join(home, "package.json")) as file:
        return json.load(file).get("version", "0")


def tool(name):
    return os.path.join(HERE, name)


def command(suite, canary):
    """The words that start a suite's runner, and variables that our reporter needs."""
    runner, words = suite["runner"], suite["words"]
    filters = [os.path.join(".", name) if runner == "mocha" else name for name in suite["filters"]]
    node = [NODE, *suite["node_words"]]
    limit = "%d" % TEST_TIMEOUT_MS
    if runner == "vitest":
        home = home_of("vitest", suite["folder"])
        ours = ["--reporter=" + tool("redgreen_vitest.mjs"), "--retry=0", "--bail=0", "--coverage.enabled=false"]
        ours += ["--testTimeout=" + limit]
        ours += ["--hookTimeout=" + limit] if int(version_of(home).split(".")[0]) >= 2 else []
        return [*node, os.path.join(home, "vitest.mjs"), "run", *words, *ours, *filters], {}
    if runner == "jest":
        home = home_of("jest", suite["folder"])
        ours = ["--reporters=" + tool("redgreen_jest.cjs"), "--ci", "--watchAll=false", "--coverage=false", "--bail=0"]
        ours += ["--testTimeout=" + limit, "--maxWorkers=2"]
        return [*node, os.path.join(home, "bin", "jest.js"), *words, *ours, *filters], {}
    if runner == "mocha":
        home = home_of("mocha", suite["folder"])
        reporter = tool("redgreen_mocha.cjs")
        start = next(name for name in ("bin/mocha.js", "bin/mocha") if os.path.exists(os.path.join(home, name)))
        ours = [
            "--require",
            reporter,
            "--reporter",
            reporter,
            "--timeout",
            limit,
            "--retries",
            "0",
            "--no-bail",
            "--exit",
        ]
        ours += ["--no-parallel"] if int(version_of(home).split(".")[0]) >= 8 else []
        place = named_too(canary, suite)
        return [*node, os.path.join(home, start), *ours, *words, *filters, *place], {"REDGREEN_RUNNER": home}
    if runner == "ava":
        home = home_of("ava", suite["folder"])
        ours = ["--no-color", "--timeout=%ds" % (TEST_TIMEOUT_MS // 1000)]
        place = named_too(canary, suite)
        return [*node, tool("redgreen_ava.mjs"), home, *words, *ours, *filters, *place], {}
    ours = ["--test", "--test-reporter=" + tool("redgreen_node_test.mjs"), "--test-reporter-destination=stderr"]
    ours += ["--test-timeout=" + limit] if node_version() >= (20, 11) else []
    named = [name for word in words for name in spread(word, suite["folder"])]
    place = [] if canary and os.path.relpath(canary, suite["folder"]) in named else named_too(canary, suite)
    return [*node, *ours, *named, *place], {}


def spread(word, folder):
    """The files of a pattern, as the shell would have named them: Node itself knows patterns from 21 on."""
    found = glob.glob(os.path.join(folder, word), recursive=True) if "*" in word else []
    return sorted(os.path.relpath(path, folder) for path in found if "node_modules" not in path) or [word]


def named_too(canary, suite):
    """Where a command names files one by one, no pattern would find the canary: it is named as they are."""
    files = [word for word in suite["words"] if re.search(r"\.[cm]?[jt]sx?$", word)]
    named = canary and any(os.path.isfile(os.path.join(suite["folder"], word)) for word in files)
    return [os.path.relpath(canary, suite["folder"])] if named else []


def node_version():
    said = subprocess.check_output([NODE, "--version"]).decode().strip().lstrip("v")
    return tuple(int(part) for part in said.split("-")[0].split("."))


def environment(suite, more):
    folders = dict.fromkeys([os.path.abspath(os.path.join(suite["folder"], "node_modules/.bin"))])
    folders[os.path.abspath("node_modules/.bin")] = None
    variables = {**os.environ, **suite["variables"], **more}
    variables["PATH"] = os.pathsep.join([*folders, variables["PATH"]])
    variables["REDGREEN_TOOLS"] = HERE
    return variables


# ---- one run ---------------------------------------------------------------------------------------------------------
SHARED = ("mocha", "node", "jest")
"""Runners in whose report the code under test could write, from their own process or on the way to it. What is told
twice, once as passed and once as failed, may have been told before its failure could be: then neither is a pass."""


class Report:
    """Reads a suite's report while it grows, and passes on what it says."""

    def __init__(self, canary, folder, runner=""):
        self.canary = canary
        self.folder = folder
        self.runner = runner
        self.seen = {}
        self.started = {}
        self.canaries = []
        self.failed = self.canary_failed = self.whole = False
        self.errors = 0

    def line(self, text):
        if not text.startswith(b"{"):
            return
        event = json.loads(text.decode("utf-8", "replace"))
        kind = event["kind"]
        if kind == "end":
            self.whole, self.errors = True, event["errors"]
            return
        place = self.place(event["file"], event["label"])
        if self.canary and place.startswith(self.canary) and "(types)" in event["label"]:
            return  # a check of types does not run it
        if kind == "start":
            self.started[place] = True
        elif kind == "done":
            self.started.pop(place, None)
        elif kind == "broken" and place.split(" ")[0] == self.canary:
            sys.stderr.write("redgreen: the canary could not be loaded\n")
        elif kind == "broken":
            self.failed = True
            redgreen_events.send(event="broken", id="::".join([place, *event["names"]]))
            if self.runner == "node" and not event["names"]:
                self.ended_badly(place)
        elif kind == "test":
            self.test(place, event["names"], event["outcome"])

    def place(self, path, label):
        """A file as ids name it; what lies outside the tree was reached through a link, or is none."""
        name = os.path.relpath(os.path.join(self.folder, path.removeprefix("file://")), os.getcwd())
        return name + (" " + label if label else "")

    def test(self, place, names, outcome):
        path = "::".join([place, *names])
        if outcome is None:  # announced; what does not report afterwards makes the report incomplete
            redgreen_events.send(event="collected", ids=[path])
            return
        before = self.seen.setdefault(path, [])
        before.append(outcome)
        tests = [path, *("%s (%d)" % (path, number) for number in range(2, len(before) + 1))]
        test = tests[-1]
        if self.canary and place.split(" ")[0] == self.canary:
            self.canaries.append(test)
            self.canary_failed |= outcome == "failed"
        else:
            self.failed |= outcome in ("failed", "error")
        self.send(test, outcome)
        if self.runner in SHARED and "passed" in before and {"failed", "error"} & set(before):
            for one in tests:
                self.send(one, "failed")

    def ended_badly(self, place):
        """node:test says that of a file if none of its tests failed and its process did, once they were over."""
        for path, outcomes in self.seen.items():
            for number in range(1, len(outcomes) + 1) if path.startswith(place + "::") else ():
                test = path if number == 1 else "%s (%d)" % (path, number)
                redgreen_events.send(event="phase", id=test, when="teardown", outcome="failed", wasxfail=False)

    def send(self, test, outcome):
        when = "setup" if outcome == "error" else "call"
        redgreen_events.send(event="phase", id=test, when=when, outcome=OUTCOMES.get(outcome, "failed"), wasxfail=False)


def run(suite):
    """The status of one suite: 0 or 1, or None if its runner came to no end of its own."""
    canary = lay_canary(suite)
    words, more = command(suite, canary)
    with tempfile.TemporaryDirectory(prefix="redgreen-") as folder:
        path = os.path.join(folder, "report-" + os.urandom(16).hex())
        with open(path, "wb"):
            pass
        with open(path, "rb") as file:
            report = Report(canary, os.path.abspath(suite["folder"]), suite["runner"])
            child = subprocess.Popen(
                words,
                cwd=suite["folder"],
                env=environment(suite, {**more, "REDGREEN_REPORT": path}),
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
            status = follow(child, file, report)
    if report.canaries:
        redgreen_events.send(event="canary", ids=report.canaries)
    for place in report.started if not report.whole else ():
        redgreen_events.send(event="broken", id=place)
    return verdict(report, status)


def follow(child, file, report):
    """Pass on what the report says until the runner ends; end it if it says nothing for long. None: it was ended."""
    rest, heard, silent = b"", time.monotonic(), False
    while True:
        ended = child.poll() is not None
        block = file.read()
        if block:
            heard = time.monotonic()
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                report.line(line)
        if ended:
            return None if silent else child.returncode
        if not block:
            if time.monotonic() - heard > SILENCE_S:
                sys.stderr.write("redgreen: no word for %d s: the runner is ended\n" % SILENCE_S)
                silent = True
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
            time.sleep(0.05)


def verdict(report, status):
    if status is None or status < 0 or not report.whole:
        return None
    if report.failed or report.errors:
        return 1
    # our own failing test must not be what the exit status tells; nor may a runner call that a success
    return 0 if (status != 0) == report.canary_failed else 1


# ---- what no test may change while it runs ---------------------------------------------------------------------------
def marks(suites):
    """{path: what tells that a file was changed, or was changed and put back} of the fix's tests, Node and the
    runners. A file that is loaded late could be rewritten by the code under test, which was loaded before; nobody but
    root can set the time at which a file's entry changed. Snapshots are not among them: jest itself saves them."""
    paths = {NODE}
    for suite in suites:
        paths.update(suite["near"])
        if suite["runner"] != "node":
            beside = os.path.dirname(home_of(suite["runner"], suite["folder"]))
            for package in RUNNERS_PACKAGES:
                paths.update(glob.iglob(os.path.join(glob.escape(beside), package, "**", "*.?js"), recursive=True))
                paths.update(glob.iglob(os.path.join(glob.escape(beside), package, "**", "*.js"), recursive=True))
    return {path: mark(path) for path in paths}


def mark(path):
    try:
        about = os.stat(path)
    except OSError:
        return None
    return about.st_ino, about.st_size, about.st_ctime_ns


RUNNERS_PACKAGES = ("jest", "jest-*", "@jest/*", "expect", "vitest", "@vitest/*", "chai", "tinypool", "mocha", "ava")


def main():
    redgreen_events.keep_others_out()
    redgreen_events.send(event="start")
    suites = json.loads(sys.argv[1])
    before = marks(suites)
    statuses = [run(suite) for suite in suites]
    changed = sorted(path for path, was in before.items() if mark(path) != was)
    if changed:
        sys.stderr.write("redgreen: changed while the tests ran: %s\n" % ", ".join(changed[:5]))
    if changed or None in statuses:
        sys.exit(1)
    redgreen_events.send(event="finish", status=max(statuses))
    sys.exit(max(statuses))


if __name__ == "__main__":
    main()
