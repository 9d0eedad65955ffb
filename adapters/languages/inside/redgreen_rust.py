"""Runs the tests of the packages that hold a fix's tests, and reports each. Exit status 0 or 1; 2 without a report.

What is built is fixed before anything runs: processes that the build left behind are ended, the fix's tests must be as
they were, and each test program is started only if it is still the one that was built.
"""

import hashlib
import json
import os
import sys

import redgreen_canary
import redgreen_cargo
import redgreen_doctests
import redgreen_events
import redgreen_orphans
from redgreen_libtest import Program

TEST_TIMEOUT_S = int(os.environ.pop("REDGREEN_TEST_TIMEOUT_S", "300"))
HARNESS_TIMEOUT_S = 600
DELTA = "/redgreen/delta/files"


class Suite:
    """What has been told so far."""

    def __init__(self):
        self.failed = False
        self.agreed = True
        self.canaries = {}

    def broken(self, name):
        self.failed = True
        redgreen_events.send(event="broken", id=name)

    def tell(self, test, outcome):
        self.failed |= outcome == "failed" and test not in self.canaries.values()
        redgreen_events.send(event="phase", id=test, when="call", outcome=outcome, wasxfail=False)


def touch(tree):
    """What a tree changed is newer than what was built, whatever its files' dates say."""
    for folder, _, files in os.walk(DELTA):
        for name in files:
            place = os.path.join(tree, os.path.relpath(folder, DELTA), name)
            if os.path.isfile(place) and not os.path.islink(place):
                os.utime(place)


def digest(path):
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


def marks(here, files):
    """What a build has no business to change: the fix's tests, and what says how cargo starts programs."""
    named = [os.path.join(here.tree, name) for name in files]
    named += [os.path.join(here.folder, "Cargo.toml"), *(package.manifest for package in here.packages)]
    for folder in {here.tree, here.folder, *(os.path.dirname(package.manifest) for package in here.packages)}:
        named += [os.path.join(folder, ".cargo", name) for name in ("config", "config.toml")]
    named += [os.path.join(os.environ["CARGO_HOME"], name) for name in ("config", "config.toml")]
    return {name: digest(name) for name in named}


def prefixes(packages):
    """{target: what its tests' ids begin with}: its root file, with its name where two targets share that."""
    roots = [target.root for package in packages for target in package.targets]
    return {
        target: target.root if roots.count(target.root) == 1 else "%s[%s]" % (target.root, target.name)
        for package in packages
        for target in package.targets
    }


class Started:
    """A target that was built: how it starts, and which of its tests count."""

    def __init__(self, target, prefix, plan, canary, chosen, sources, here):
        self.prefix = prefix
        self.path = target.executable
        self.made = digest(self.path)
        self.custom = target.kind == "test" and target.name in target.package.custom_harness()
        self.isolated = chosen.get("isolation") == "process"
        self.program = Program(self.path, plan[0], plan[1], TEST_TIMEOUT_S)
        self.all = {} if self.custom else self.program.list()
        self.canary = [name for name in canary if self.all and name in self.all]
        self.canary_ids = {}
        self.kinds = canary

        def counts(name, source):
            place = os.path.relpath(os.path.normpath(os.path.join(here.root, source)), here.tree)
            return target.kind == "test" or place not in sources or name in self.canary

        self.names = [name for name, source in (self.all or {}).items() if counts(name, source)]

    def ids(self):
        if self.custom:
            return ["%s::main" % self.prefix]
        own = [name for name in self.names if name not in self.canary]
        rounds = range(len(own)) if self.isolated else [0]
        for turn in rounds:
            for name in self.canary:
                self.canary_ids[turn, name] = "%s::%s_%d_%s" % (self.prefix, name, turn, self.kinds[name])
        return ["%s::%s" % (self.prefix, name) for name in own]

    def run(self, suite):
        if digest(self.path) != self.made:
            suite.broken(self.prefix)
        elif self.custom:
            status = self.program.status(HARNESS_TIMEOUT_S)
            suite.tell("%s::main" % self.prefix, "passed" if status == 0 else "failed")
        elif self.isolated:
            for turn, name in enumerate(name for name in self.names if name not in self.canary):
                with_canary = [one for one in self.names if one == name or one in self.canary]
                suite.agreed &= self.program.run(with_canary, self.teller(suite, turn))
        else:
            everything = len(self.names) == len(self.all)
            suite.agreed &= self.program.run(self.names, self.teller(suite, 0), everything)
        redgreen_orphans.end()

    def teller(self, suite, turn):
        def tell(name, outcome):
            suite.tell(self.canary_ids.get((turn, name), "%s::%s" % (self.prefix, name)), outcome)

        return tell


def start(package, here, suite, told, chosen, sources, canaries):
    """The package's test programs, ready to run. What did not compile is reported."""
    plans = here.plan(package)
    redgreen_orphans.end()
    started = []
    for target in package.targets:
        if not target.tested:
            continue
        plan = plans.get(target.executable)
        if plan is None:
            if not package.whole or target.executable:  # else it needs features that are not on
                suite.broken(told[target])
            continue
        one = Started(target, told[target], plan, canaries.get(target.root, {}), chosen, sources, here)
        if one.all is None:
            suite.broken(told[target])
        else:
            started.append(one)
    return started


def run(suite, tree):
    chosen = redgreen_cargo.settings()
    files, sources = (json.loads(os.environ.pop(name, "[]")) for name in ("REDGREEN_FILES", "REDGREEN_SOURCES"))
    touch(tree)
    here = redgreen_cargo.workspace(tree, chosen)
    packages = here.packages_of(files)
    if not packages:
        suite.broken("")
        return
    planted = redgreen_canary.Planted()
    planted.plant(packages, files, tree)
    before = marks(here, files)
    for package in packages:
        package.whole = here.build(package)
    redgreen_orphans.end()
    if before != marks(here, files):
        sys.stderr.write("redgreen: the build changed the tests, or how they are started\n")
        suite.broken("")
        return
    planted.hide()  # before any program has been started
    told = prefixes(packages)
    started = [one for p in packages for one in start(p, here, suite, told, chosen, sources, planted.names)]
    redgreen_events.send(event="collected", ids=[test for one in started for test in one.ids()])
    for one in started:
        suite.canaries.update({(one.prefix, *key): test for key, test in one.canary_ids.items()})
    redgreen_events.send(event="canary", ids=sorted(suite.canaries.values()))
    for one in started:
        one.run(suite)
    few = chosen.get("doctests", "").split(",")
    for package in packages:
        if package.folder in few and any(target.examples for target in package.targets):
            redgreen_doctests.run(here, package, sources, suite)
            redgreen_orphans.end()


def main():
    redgreen_events.keep_others_out()
    redgreen_orphans.adopt()
    redgreen_events.send(event="start")
    suite = Suite()
    run(suite, os.getcwd())
    if not suite.agreed:
        sys.exit(2)
    redgreen_events.send(event="finish", status=int(suite.failed))
    sys.exit(int(suite.failed))


main()
