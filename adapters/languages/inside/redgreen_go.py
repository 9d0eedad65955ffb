"""Runs `go test -json` in the modules that count and writes what it reports as events. Exit status 0 or 1.

usage: python3 -I redgreen_go.py PLAN      in the tree; PLAN: {"modules", "loose", "changed", "flags"} in JSON

An id is `<folder>::<Test>/<subtest>`, the folder relative to the tree, `.` for its root. A package that does not
compile, or ends before any test has started, is `broken` under its folder's name. One that started tests and fails
though none of them did (TestMain, an exit in a test) is a failed test of the name `(package)`.

Canaries are tests of ours beside the changed ones. Their source is gone by the time that their program starts, and
their names do not say which of them must fail: a product that writes the report itself has to guess.

Go itself numbers subtests of one name. A test that is told twice (a package and its `_test` package may share a name; a
product may print what looks like a start and a pass) stays one test, with the worst of its outcomes.
"""

import hashlib
import json
import os
import random
import re
import secrets
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import redgreen_events

PAIRS = 4
CANARY = """
func %s(t *testing.T) {
	if one := []int{1}; len(one) != %d {
		t.Fail()
	}
}
"""
START = os.path.join(os.path.dirname(os.path.abspath(__file__)), "redgreen_go_start.sh")
ENDS = {"pass": "passed", "fail": "failed", "skip": "skipped"}
COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
CONSTRAINED = re.compile(r"^//\s*(go:build|\+build)\s", re.MULTILINE)
SYSTEMS = re.compile(
    r"_(aix|android|darwin|dragonfly|freebsd|illumos|ios|js|netbsd|openbsd|plan9|solaris|wasip1|windows"
    r"|386|arm|arm64|loong64|mips\w*|ppc64\w*|riscv64|s390x|wasm)(_test)?\.go$"
)


# ---- canaries --------------------------------------------------------------------------------------------------------
def package_clause(folder, first):
    """The name in the package clause of a file of this folder that is compiled everywhere; `first` if it can be."""
    names = sorted(name for name in os.listdir(folder or ".") if name.endswith(".go"))
    names.sort(key=lambda name: (name not in first, not name.endswith("_test.go")))
    for name in names:
        path = os.path.join(folder, name)
        if SYSTEMS.search(name) or not os.path.isfile(path):
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        found = re.search(r"^\s*package\s+(\w+)", COMMENTS.sub("", text), re.MULTILINE)
        if found and not CONSTRAINED.search(text[: text.find("package")]):
            return found[1]
    return None


def canary_name():
    """Anywhere in the order of the tests, or of the files."""
    return random.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ") + secrets.token_hex(8)


def make_canaries(changed, name):
    """A file of ours, with that name, in each package that holds a changed test: folder -> {test: "holds", "breaks"}"""
    beside = {}
    for path in changed:
        if path.endswith("_test.go") or "testdata/" in path:
            folder = re.sub(r"(^|/)testdata(/.*)?$", "", os.path.dirname(path))
            beside.setdefault(folder, set()).add(os.path.basename(path))
    made = {}
    for folder, first in sorted(beside.items()):
        package = package_clause(folder, first) if os.path.isdir(folder or ".") else None
        if package:
            kinds = {"Test" + canary_name(): kind for kind in ["holds", "breaks"] * PAIRS}
            tests = [CANARY % (test, 1 if kind == "holds" else 2) for test, kind in kinds.items()]
            random.shuffle(tests)
            with open(os.path.join(folder, name), "x") as file:
                file.write('package %s\n\nimport "testing"\n%s' % (package, "".join(tests)))
            made[folder or "."] = kinds
    return made


def marked(own):
    """(sum of a table, the table): the sums of what no test program has any business to change."""
    lines = []
    for folder, folders, files in os.walk(os.getcwd()):
        folders.sort()
        for name in sorted(files):
            place = os.path.join(folder, name)
            plain = name != own and not os.path.islink(place) and not set("\\\n\r") & set(place)
            if plain and (name.endswith("_test.go") or name in ("go.mod", "go.sum", "go.work")):
                with open(place, "rb") as file:
                    lines.append("%s  %s\n" % (hashlib.sha256(file.read()).hexdigest(), place))
    table = os.fsencode("".join(lines) or "# nothing\n")
    with tempfile.NamedTemporaryFile(prefix="marks-", delete=False) as file:
        file.write(table)
    return hashlib.sha256(table).hexdigest(), file.name


# ---- one package -----------------------------------------------------------------------------------------------------
class Package:
    """What `go test` has told of a package so far. `whole`: it compiles without its tests, too."""

    def __init__(self, folder, canary, whole):
        self.folder = folder
        self.canary = canary
        self.whole = whole
        self.begun = set()
        self.open = set()
        self.failed = False
        self.end = None

    def add(self, event):
        action, test = event.get("Action"), event.get("Test")
        if test is None:
            if action in ENDS:
                self.end = action
        elif action == "run":
            self.begun.add(test)
            self.open.add(test)
        elif action in ENDS:
            self.begun.add(test)
            self.tell(test, ENDS[action])

    def tell(self, test, outcome):
        self.open.discard(test)
        self.failed |= outcome == "failed" and test not in self.canary
        self.phase(test, outcome)

    def phase(self, test, outcome):
        if self.whole:
            redgreen_events.send(event="phase", id=self.id(test), when="call", outcome=outcome, wasxfail=False)

    def id(self, test):
        kind = self.canary.get(test)
        return "%s::%s" % (self.folder, "%s_%s" % (test, kind) if kind else test)

    def close(self):
        """The last word on the package. True if nothing of it failed, and `go test` said so too."""
        for test in sorted(self.open):  # started, and never ended
            self.tell(test, "failed")
        nothing = self.end is None or (self.end == "fail" and not self.begun)
        if nothing or not self.whole:
            redgreen_events.send(event="broken", id=self.folder)
        if nothing:
            return False
        ran = any(test in self.canary for test in self.begun)
        if self.whole and self.canary and (ran or self.end != "fail"):
            redgreen_events.send(event="canary", ids=[self.id(test) for test in self.canary])
        if self.end == "fail" and not self.failed and not ran:
            self.failed = True
            self.phase("(package)", "failed")
        return not self.failed


# ---- one module ------------------------------------------------------------------------------------------------------
LISTING = "{{.ImportPath}}\t{{.Dir}}\t{{if .GoFiles}}{{if not .Export}}broken{{end}}{{end}}"


def list_packages(module, variables):
    """Import path -> (folder relative to the tree, whether it compiles), or None: the module cannot even be read.

    A test inside its package is compiled with it. A product that is whole only with what the tests declare is none: it
    could change them, too.
    """
    words = ["go", "list", "-e", "-export", "-f", LISTING, "./..."]
    done = subprocess.run(words, cwd=module, stdout=subprocess.PIPE, env=variables, check=False)
    if done.returncode:
        return None
    lines = [line.split("\t") for line in done.stdout.decode("utf-8", "surrogateescape").splitlines()]
    return {path: (os.path.relpath(folder), not broken) for path, folder, broken in lines if folder}


def has_tests(folder):
    return any(name.endswith("_test.go") for name in os.listdir(folder))


def events_of(words, module, variables):
    """Events of one `go test`, then its exit status. What tests print is shown, and decides nothing."""
    with subprocess.Popen(words, cwd=module, stdout=subprocess.PIPE, env=variables) as child:
        for line in child.stdout:
            try:
                event = json.loads(line)
            except ValueError:
                event = None
            if isinstance(event, dict):
                sys.stdout.write(str(event.get("Output", "")).encode("ascii", "backslashreplace").decode())
                yield event
            else:
                sys.stdout.write(line.decode("ascii", "backslashreplace"))
        sys.stdout.flush()
    yield child.returncode


def run_module(module, plan, canaries, start):
    """True if all is well, False if something failed, None if `go test` did not come to its own end."""
    variables = dict(os.environ)
    if module in plan["loose"]:
        variables["GOFLAGS"] = " ".join([variables.get("GOFLAGS", ""), "-mod=mod"]).strip()
    listed = list_packages(module, variables)
    if not listed:
        redgreen_events.send(event="broken", id="" if module == "." else module)
        return False
    packages = {path: Package(folder, canaries.get(folder, {}), whole) for path, (folder, whole) in listed.items()}
    status = None
    words = ["go", "test", "-json", "-count=1", "-exec=" + start, *plan["flags"], "./..."]
    for event in events_of(words, module, variables):
        if isinstance(event, int):
            status = event
        elif event.get("Package") in packages:
            packages[event["Package"]].add(event)
    if status not in (0, 1):
        return None
    counted = [package for package in packages.values() if package.end or has_tests(package.folder)]
    closed = [package.close() for package in counted]
    well = all(closed)
    canary = any(test in package.canary for package in counted for test in package.begun)
    if (status == 0) != (well and not canary):
        return None
    return well and all(package.whole for package in counted)


def keep_compiled():
    """What was compiled at install is of use whenever that was: the go command would throw it away after five days."""
    with open(os.path.join(os.environ["GOCACHE"], "trim.txt"), "w") as file:
        file.write("%d\n" % time.time())


def main():
    redgreen_events.keep_others_out()
    keep_compiled()
    plan = json.loads(sys.argv[1])
    redgreen_events.send(event="start")
    own = canary_name().lower() + "_test.go"
    canaries = make_canaries(plan["changed"], own)
    start = " ".join(["sh", START, own, *marked(own)])
    results = [run_module(module, plan, canaries, start) for module in plan["modules"] if os.path.isdir(module)]
    if None in results:
        sys.exit(3)
    status = 0 if results and all(results) else 1
    redgreen_events.send(event="finish", status=status)
    sys.exit(status)


main()
