"""Runs `go test -json` in the modules that count and writes what it reports as events. Exit status 0 or 1.

usage: python3 -I redgreen_go.py PLAN      in the tree; PLAN: {"modules", "loose", "changed", "flags"} in JSON

An id is `<folder>::<Test>/<subtest>`, the folder relative to the tree, `.` for its root. A package that does not
compile, or ends before any test has started, is `broken` under its folder's name. One that started tests and fails
though none of them did (TestMain, an exit in a test) is a failed test of the name `(package)`.

Go itself numbers subtests of one name. A test that is told twice (a package and its `_test` package may share a name; a
product may print what looks like a start and a pass) stays one test, with the worst of its outcomes.
"""

import json
import os
import re
import secrets
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import redgreen_events

CANARY = """package %(package)s

import "testing"

func Test%(name)s_holds(t *testing.T) {
	if one := []int{1}; len(one) != 1 {
		t.Fail()
	}
}

func Test%(name)s_breaks(t *testing.T) {
	if one := []int{1}; len(one) != 2 {
		t.Fail()
	}
}
"""
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


def make_canaries(changed):
    """A file of ours in each package that holds a changed test: folder -> the start of its two tests' names."""
    beside = {}
    for path in changed:
        if path.endswith("_test.go") or "testdata/" in path:
            folder = re.sub(r"(^|/)testdata(/.*)?$", "", os.path.dirname(path))
            beside.setdefault(folder, set()).add(os.path.basename(path))
    made = {}
    for folder, first in sorted(beside.items()):
        package = package_clause(folder, first) if os.path.isdir(folder or ".") else None
        if package:
            name = "Redgreen" + secrets.token_hex(12)
            with open(os.path.join(folder, name.lower() + "_test.go"), "x") as file:
                file.write(CANARY % {"package": package, "name": name})
            made[folder or "."] = "Test" + name
    return made


# ---- one package -----------------------------------------------------------------------------------------------------
class Package:
    """What `go test` has told of a package so far."""

    def __init__(self, folder, canary):
        self.folder = folder
        self.canary = canary
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
        self.failed |= outcome == "failed" and not self.is_canary(test)
        self.phase(test, outcome)

    def phase(self, test, outcome):
        redgreen_events.send(
            event="phase", id="%s::%s" % (self.folder, test), when="call", outcome=outcome, wasxfail=False
        )

    def is_canary(self, test):
        return self.canary is not None and test.startswith(self.canary)

    def close(self):
        """The last word on the package. True if nothing of it failed, and `go test` said so too."""
        for test in sorted(self.open):  # started, and never ended
            self.tell(test, "failed")
        if self.end is None or (self.end == "fail" and not self.begun):
            redgreen_events.send(event="broken", id=self.folder)
            return False
        ran = any(self.is_canary(test) for test in self.begun)
        if self.canary and (ran or self.end != "fail"):
            names = [self.canary + end for end in ("_holds", "_breaks")]
            redgreen_events.send(event="canary", ids=["%s::%s" % (self.folder, name) for name in names])
        if self.end == "fail" and not self.failed and not ran:
            self.failed = True
            self.phase("(package)", "failed")
        return not self.failed


# ---- one module ------------------------------------------------------------------------------------------------------
def list_packages(module, variables):
    """Import path -> folder relative to the tree, or None: the go command cannot even read the module."""
    words = ["go", "list", "-e", "-f", "{{.ImportPath}}\t{{.Dir}}", "./..."]
    done = subprocess.run(words, cwd=module, stdout=subprocess.PIPE, env=variables, check=False)
    if done.returncode:
        return None
    lines = [line.partition("\t") for line in done.stdout.decode("utf-8", "surrogateescape").splitlines()]
    return {path: os.path.relpath(folder) for path, _, folder in lines if folder}


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


def run_module(module, plan, canaries):
    """True if all is well, False if something failed, None if `go test` did not come to its own end."""
    variables = dict(os.environ)
    if module in plan["loose"]:
        variables["GOFLAGS"] = " ".join([variables.get("GOFLAGS", ""), "-mod=mod"]).strip()
    listed = list_packages(module, variables)
    if not listed:
        redgreen_events.send(event="broken", id="" if module == "." else module)
        return False
    packages = {path: Package(folder, canaries.get(folder)) for path, folder in listed.items()}
    status = None
    for event in events_of(["go", "test", "-json", "-count=1", *plan["flags"], "./..."], module, variables):
        if isinstance(event, int):
            status = event
        elif event.get("Package") in packages:
            packages[event["Package"]].add(event)
    if status not in (0, 1):
        return None
    counted = [package for package in packages.values() if package.end or has_tests(package.folder)]
    closed = [package.close() for package in counted]
    well = all(closed)
    canary = any(package.is_canary(test) for package in counted for test in package.begun)
    return well if (status == 0) == (well and not canary) else None


def keep_compiled():
    """What was compiled at install is of use whenever that was: the go command would throw it away after five days."""
    with open(os.path.join(os.environ["GOCACHE"], "trim.txt"), "w") as file:
        file.write("%d\n" % time.time())


def main():
    redgreen_events.keep_others_out()
    keep_compiled()
    plan = json.loads(sys.argv[1])
    redgreen_events.send(event="start")
    canaries = make_canaries(plan["changed"])
    results = [run_module(module, plan, canaries) for module in plan["modules"] if os.path.isdir(module)]
    if None in results:
        sys.exit(3)
    status = 0 if results and all(results) else 1
    redgreen_events.send(event="finish", status=status)
    sys.exit(status)


main()
