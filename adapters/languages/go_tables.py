"""What Go's files mean to a verdict: tests, what decides how tests run, what tools leave behind, and code that
a reader should look at."""

from __future__ import annotations

import re

TESTS = re.compile(
    r"""
    _test\.go$
    | (^|/)testdata/ | (^|/)(fixtures|golden|goldens|__snapshots__|\.snapshots)/ | \.golden$
    | ^(tests?|testutils?|testhelpers?|testsuite|e2e|integration)/
    | (^|/)(internal|pkg)/(assert|require|expect|testify|tests?|testing|test[-_]?(utils?|helpers?|lib|suite|env|kit))/
    | (^|/)(test[-_]?(utils?|helpers?|suite)|e2e)/
    """,
    re.VERBOSE,
)
"""Tests, what tests read, and packages that are there for tests alone. `hooks/test`, `httptest` and the like are
products."""

DECIDES = re.compile(
    r"""
    (^|/)go\.(mod|sum|work|work\.sum|env)$ | (^|/)vendor/
    | \.(syso|a|o|so)$ | (^|/)(__debug_bin|cover\.out|cpu\.pprof)
    """,
    re.VERBOSE,
)
"""What decides how tests run besides them: which code a module stands for, and objects that the linker takes in."""

LEFTOVERS = ("*.test", "*.prof", "*.pprof", "*.coverprofile", "coverage.*", "cover.out", "__debug_bin*")

SUSPICIOUS = {
    r"\"testing\"|\btesting\.(Testing|T|M|Short|Verbose)\b": "names the test runner: testing",
    r"\bos\.Exit\(|\bsyscall\.(Exit|Kill)\(|\bruntime\.Goexit\(": "ends the process or the test at once: os.Exit",
    r"(?i)redgreen": "names redgreen",
}
"""See `Language.suspicious`."""
