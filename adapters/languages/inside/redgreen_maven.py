"""Runs the tests of a Maven project inside the sandbox, and reports what Surefire wrote of them.

usage: redgreen_maven.py JSON      {"root", "tested": [module, ...], "alone": bool, "files": {module: [path, ...]},
                                    "modules": [...], "java_home", "order", "words"}

`tested` are the modules whose tests run, as folders relative to the root; unless `alone`, Maven builds them and what
they need, and no other. The status is 0 only if nothing failed, canaries aside, and Maven and the reports agree.
"""

import json
import os
import re
import sys

import java_canary
import maven_start
import redgreen_events
import surefire_reports

COMPILED = re.compile(
    r"/src/(test|it|integration|functional)[^/]*/.*\.(java|kt|groovy|scala)\Z|/src/.*/META-INF/services/|/pom\.xml\Z"
)
ORDINARY = re.compile(
    r"LifecycleExecutionException: [^|]*\| MojoFailureException: There (?:are|were) (?:some )?test failures[^|]*"
)
"""The chain of exceptions of a suite that ran to its end and had failures. A process that died has one more."""


def main(wish):
    redgreen_events.keep_others_out()
    redgreen_events.send(event="start")
    root = os.path.normpath(os.path.join(maven_start.TREE, wish["root"]))
    canaries = place_canaries(root, wish)
    words = ["-o", *wish["words"], *([] if wish["alone"] else ["-pl", ",".join(wish["tested"]), "-am"]), "test"]
    order = dict(wish["order"], tested=" ".join(wish["tested"]), include="**/Redgreen*Test.java")
    before = marks(root)
    ended = maven_start.start(root, order, words, wish["java_home"])
    try:
        if marks(root) != before:
            sys.stderr.write("redgreen: tests were changed while they ran\n")
            sys.exit(1)
        status = tell(ended, wish["tested"], canaries)
    finally:
        ended.forget()
    sys.exit(status)


def marks(root):
    """Path -> when it last changed, of what a later module's tests would be compiled from, or by.

    The tests of one module run before the next is compiled. Nobody but root can set the time of a change back.
    """
    found = {}
    for parent, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in ("target", ".git")]
        for path in (os.path.join(parent, name) for name in files):
            if COMPILED.search(path):
                found[path] = os.lstat(path).st_ctime_ns
    return found


def place_canaries(root, wish):
    """A pair in each module, beside the first of the fix's tests that is there."""
    placed = []
    for module in wish["tested"]:
        changed = [
            os.path.join(maven_start.TREE, name) for name in wish["files"].get(module, []) if name.endswith(".java")
        ]
        folder = os.path.normpath(os.path.join(root, module))
        nested = {os.path.normpath(os.path.join(root, name)) for name in wish["modules"]} - {folder}
        path = java_canary.place(changed) or java_canary.place(java_canary.neighbours(folder, nested))
        placed += [os.path.basename(path)] if path else []
    return placed


def tell(ended, tested, canaries):
    """Send the events of a run; returns its exit status. No finish where anything is missing."""
    modules = maven_start.modules_of(ended)
    broken = maven_start.failures(ended)
    whole = bool(ended.of("end")) and ended.status == 0
    ran, failed = set(), False
    for event in ended.of("tests"):
        if event["module"] in tested:
            ran.add(event["module"])
            try:
                cases = surefire_reports.read_all(
                    ended.watch.written_to(event["reports"]), maven_start.TREE, maven_start.roots(event)
                )
            except surefire_reports.Refused as fault:
                sys.stderr.write("redgreen: %s\n" % fault)
                whole = False
                continue
            whole = send_cases(cases, event, canaries) and whole
            failed |= any(case.outcome == "failed" and not is_ours(case, canaries) for case in cases)
    for module in sorted(lost(modules, broken, tested)):
        failed = True
        for place in modules.get(module) or [maven_start.TREE]:
            name = os.path.relpath(place, maven_start.TREE).replace(os.sep, "/")
            redgreen_events.send(event="broken", id="" if name == "." else name)
        ran.add(module)
    if not whole or not ran >= set(tested):
        return 1
    redgreen_events.send(event="finish", status=int(failed))
    return int(failed)


def lost(modules, broken, tested):
    """Tested modules that could not be built. Where a module that they need could not, none of them counts."""
    return set(tested) if set(broken) - set(tested) else set(broken) & set(tested)


def is_ours(case, canaries):
    return any("/%s::" % name in case.id for name in canaries)


def send_cases(cases, event, canaries):
    """Send what one start of Surefire reported; returns whether Surefire itself says the same."""
    unfit = {case.owner for case in cases if case.test is None and case.outcome == "failed"}
    for owner in sorted(unfit):
        redgreen_events.send(event="broken", id=owner)
    redgreen_events.send(event="canary", ids=[case.id for case in cases if is_ours(case, canaries)])
    for case in cases:
        if case.test is None and case.outcome != "skipped":  # old providers name a test that passes after its class
            continue
        redgreen_events.send(event="phase", id=case.id, when="call", outcome=case.outcome, wasxfail=False)
        if any(
            (case.owner + "::").startswith(owner + "::") for owner in unfit
        ):  # what a class sets up or clears away is part of its tests
            redgreen_events.send(event="phase", id=case.id, when="teardown", outcome="failed", wasxfail=False)
    failing = any(case.outcome == "failed" for case in cases)
    if event["ended"] == "MojoSucceeded":
        return not failing
    return failing and bool(ORDINARY.fullmatch(event["why"]))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
