"""What Go's files mean to a verdict: tests, what decides how tests run, what tools leave behind, and code that
a reader should look at."""

from __future__ import annotations

import re

TESTS = re.compile(
    r"""
    _test\.go(/|$)
    | (^|/)testdata(/|$) | (^|/)(fixtures|golden|goldens|__snapshots__|\.snapshots)(/|$) | \.golden$
    | ^(tests?|testutils?|testhelpers?|testsuite|e2e|integration)(/|$)
    | (^|/)(internal|pkg)/(assert|require|expect|testify|tests?|testing)(/|$)
    | (^|/)(internal|pkg)/test[-_]?(utils?|helpers?|lib|suite|env|kit)(/|$)
    | (^|/)(test[-_]?(utils?|helpers?|suite)|e2e)(/|$)
    """,
    re.VERBOSE,
)
"""Tests, what tests read, and packages that are there for tests alone; also a file or a link in the place of a
folder, or the other way round. `hooks/test`, `httptest` and the like are products."""

DECIDES = re.compile(
    r"""
    (^|/)go\.(mod|sum|work|work\.sum|env)(/|$) | (^|/)vendor(/|$)
    | \.(syso|a|o|so)$ | (^|/)(__debug_bin|cover\.out|cpu\.pprof)
    """,
    re.VERBOSE,
)
"""What decides how tests run besides them: which code a module stands for, and objects that the linker takes in."""

LEFTOVERS = ("*.test", "*.prof", "*.pprof", "*.coverprofile", "coverage.*", "cover.out", "__debug_bin*")

NUMBER = r"(u?int(8|16|32|64)?|float(32|64)|bool|atomic\.\w+)( = (0|false))?"

SUSPICIOUS = {
    r"\"testing\"|\btesting\.(Testing|T|M|Short|Verbose)\b": "names the test runner: testing",
    r"\bos\.Exit\(0\)|\b(syscall|unix)\.(Exit|Kill)\(|\bSYS_(EXIT|KILL|TGKILL)|\bruntime\.Goexit\(": (
        "ends the process or the test at once: os.Exit"
    ),
    r"\A(?![\s\S]*^package main$)[\s\S]*\bos\.Exit\(": "ends the process or the test at once: os.Exit",
    r"\"-?test\.[a-z]|\"\.test\b|\bos\.Executable\(": "asks whether a test is running",
    r"^//go:linkname\b": "reaches into other packages: go:linkname",
    r"^TEXT\s+\S+\(SB\)": "is assembly, which may take any function's place",
    r"^\s*(import )?\"C\"$|#cgo\b": "calls C: cgo",
    r"\b(syscall|unix)\.(Mprotect|PtraceAttach)\b|\breflect\.NewAt\(": "changes its own program",
    r"/proc/(self|%|\"|`|thread-self)|/dev/fd|\bos\.NewFile\(|\b(syscall|unix)\.(Write|Dup\d?)\(": (
        "writes to an open descriptor"
    ),
    r"\bruntime\.(Callers?|CallersFrames|FuncForPC|Stack)\(|\bdebug\.(Print)?Stack\(": "looks for its caller",
    r"_test\.go\b|\bos\.(ReadDir|DirFS)\(\"\.\"\)|\bfilepath\.(Glob\(\"[*.]|Walk(Dir)?\(\"\.\")": (
        "names a test file or looks into the folder that it runs in"
    ),
    r"^//go:embed\b.*\s(all:)?([*.]|[^\s/]*\*[^\s/]*\.go)(\s|$)": "embeds the folder that its tests are in",
    r"\"os/exec\"|\bos\.StartProcess\(|\bsyscall\.(Exec|ForkExec|StartProcess)\(": "starts another program",
    r"^func \([^)]*\) (Is|Equals?|Cmp|Compare)\([^)]*\) (bool|int) \{\s*return (true|0)\s*\}": (
        "answers every comparison alike"
    ),
    r"^(func|type|var|const) (true|false|nil|iota|len|cap|append|panic|recover|error|string|bool|int|any)\b"
    r"|^\s*(true|false|nil|iota)( \w+)? =": "gives a predeclared name another meaning",
    rf"^var \w+ {NUMBER}$|^var \((\n\s[^\n]*)*?\n\s\w+ +{NUMBER}$": "counts or keeps state between calls",
    r"(?i)redgreen": "names redgreen",
}
"""See `Language.suspicious`. A command ends with another status than 0 by os.Exit, so that is told of packages only."""
