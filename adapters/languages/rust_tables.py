"""What Rust's files mean to a verdict: tests, what decides how tests run, what tools leave behind, and code that
a reader should look at."""

from __future__ import annotations

import re

TESTS = re.compile(
    r"""
    (^|/)tests?(/|$)                                 # integration tests, modules of tests below src, their data
    | (^|/)(tests?|test_[^/]*|[^/]+_tests?)\.rs(/|$) # modules that hold nothing but tests
    | (^|/)(test[-_][^/]+|[^/]+[-_]tests?)/          # crates that only tests use
    | (^|/)(fixtures|testdata|test[-_]data|golden|snapshots|__snapshots__|proptest-regressions)(/|$)
    | \.snap$ | \.proptest-regressions$
    """,
    re.VERBOSE,
)
"""Tests, and what tests read; also a file or a link in the place of a folder, or the other way round. A source file
with a test module inside is a source: it cannot be split."""

DECIDES = re.compile(
    r"""
    (^|/)Cargo\.(toml|lock)(/|$)                     # targets, harness, profiles, [patch], features, versions
    | (^|/)build\.rs(/|$) | ^(?!(.*/)?src/)(.*/)?build/[^/]+\.rs$   # code that runs before the tests do
    | (^|/)\.cargo(/|$) | (^|/)rust-toolchain(\.toml)?$  # runner, wrappers, flags, the compiler itself
    | (^|/)\.config(/|$) | (^|/)\.env$                   # nextest
    | ^(?!(.*/)?src/)(.*/)?benches/                  # the manifest of the fix may name one that is new
    | ^(?!(.*/)?src/)(.*/)?target(/|$) | ^vendor(/|$)  # compiled leftovers, dependencies
    """,
    re.VERBOSE,
)
"""What decides how tests run besides them. Manifests and build scripts count as well although a fix may change them:
they come from the fix then, for everybody, as no registry is there at the run to serve other dependencies."""

LEFTOVERS = ("target/", "*.profraw", "*.profdata", "*.snap.new", ".pending-snap")

INLINE_TESTS = r"#\[cfg\(test\)\]|#\[test\]"

NO_PROGRAM = r"\A(?![\s\S]*^(pub )?(async )?fn main\()[\s\S]*"
"""A file without a main function: a program may end with a status and read its arguments."""

MACROS = r"(debug_)?assert(_eq|_ne)?|panic|matches|unreachable|unimplemented|todo|vec|format|write(ln)?|e?print(ln)?"
PRELUDE = r"Ok|Err|Some|None|Option|String|Vec|Box|ToString|PartialEq|Eq|PartialOrd|Ord|Clone|Debug|Iterator|drop"
NUMBER = r"([ui](\d+|size)|f32|f64|bool)"

SUSPICIOUS = {
    r"\bprocess::exit\(0\)|\bprocess::abort\b|\bintrinsics::abort\b|\blibc::(_?exit|_Exit|abort|kill|raise|syscall)\b"
    r"|\bextern \"C\"[\s\S]*?\bfn (_?exit|_Exit|quick_exit|abort|kill|raise|syscall)\(": (
        "ends the process at once: process::exit"
    ),
    NO_PROGRAM + r"(\bprocess::exit\b|\bprocess::\{[^}]*\b(exit|abort|self as)\b|\bprocess as \w)": (
        "ends the process at once: process::exit"
    ),
    r"\blink_section\b|\.init_array\b|#\[(ctor|dtor)\b|\bctor::": "runs before main",
    r"\bno_mangle\b|\bexport_name\b": "takes a symbol's place: no_mangle",
    r"\b(global_|naked_)?asm!": "is assembly, which may do anything",
    r"\bextern crate test\b|\btest::(test_main|run_tests|TestDesc)|\bcustom_test_frameworks\b": "names the test runner",
    r"\bcfg!\([^)]*\btest\b|#!?\[cfg\([^\]]*\bnot\(test\)|#!\[cfg\(test\)|\bcurrent_exe\("
    r"|\benv::var(_os)?\(\"(CARGO|RUST_TEST|NEXTEST)|\boption_env!\(\"(CARGO_TARGET_TMP|CARGO_BIN_EXE|NEXTEST)": (
        "asks whether a test is running"
    ),
    NO_PROGRAM + r"\benv::args(_os)?\(": "asks whether a test is running",
    r"\bfn (eq|ne|lt|le|gt|ge)\([^)]*\)\s*->\s*bool\s*\{\s*(true|false)\s*\}"
    r"|\bfn (partial_)?cmp\([^)]*\)\s*->[^{]*\{\s*(Some\()?([\w:]+::)?Equal\)?\s*\}": (
        "answers every comparison alike: fn eq or the like"
    ),
    rf"\bmacro_rules!\s*({MACROS})\s*[{{(]|\bas ({MACROS})\b|\bpub macro ({MACROS})\b": (
        "gives an assertion or another standard macro a new meaning"
    ),
    rf"^\s*pub (struct|enum|type|trait|fn|const|static) ({PRELUDE}|{NUMBER}|str|char)\b"
    rf"|^\s*pub use [\w:]+ as ({PRELUDE})\b": "gives a name of the prelude a new meaning",
    r"\bstatic mut\b|\bthread_local!|\bstatic \w+: ([\w:]+::)?Atomic\w+|\bstatic \w+:[^=;]*\b(Mutex|RwLock|Cell)<"
    + NUMBER: "counts or keeps state between calls",
    r"\bLocation::caller\(|\bBacktrace::(force_)?capture|\bthread::current\(\)\s*\.name\(": "looks for its caller",
    r"\"[^\"\n]*(\btests?/|_tests?\.rs\b)|\"(\./)?tests\"": "names a test file or the tests' folder",
    r"\bprocess::Command\b|\bprocess::\{[^}]*\bCommand\b|\blibc::(v?fork|exec\w+|posix_spawn\w*)\b": (
        "starts another program"
    ),
    r"\bpanic::(set_hook|take_hook|catch_unwind|resume_unwind)\b|\bpanic::\{[^}]*_(hook|unwind)\b": (
        "takes hold of panics"
    ),
    r"/proc/(self|\{|thread-self)|/dev/fd|\bfrom_raw_fd\(|\blibc::(write|dup\d?)\b": "writes to an open descriptor",
    r"\"[^\"\n]*\.cargo\b|\bCARGO_(TARGET_DIR|HOME)\b": "names what cargo works with",
    r"(?i)redgreen": "names redgreen",
}
"""See `Language.suspicious`."""
