"""What Rust's files mean to a verdict: tests, what decides how tests run, what tools leave behind, and code that
a reader should look at."""

from __future__ import annotations

import re

TESTS = re.compile(
    r"""
    (^|/)tests?/                                     # integration tests, modules of tests below src, their data
    | (^|/)(tests?|test_[^/]*|[^/]+_tests?)\.rs$     # modules that hold nothing but tests
    | (^|/)(test[-_][^/]+|[^/]+[-_]tests?)/          # crates that only tests use
    | (^|/)(fixtures|testdata|test[-_]data|golden|snapshots|__snapshots__|proptest-regressions)/
    | \.snap$ | \.proptest-regressions$
    """,
    re.VERBOSE,
)
"""Tests, and what tests read. A source file with a test module inside is a source: it cannot be split."""

DECIDES = re.compile(
    r"""
    (^|/)Cargo\.(toml|lock)$                         # targets, harness, profiles, [patch], features, versions
    | (^|/)build\.rs$ | ^(?!(.*/)?src/)(.*/)?build/[^/]+\.rs$   # code that runs before the tests do
    | (^|/)\.cargo/ | (^|/)rust-toolchain(\.toml)?$  # runner, wrappers, flags, the compiler itself
    | (^|/)\.config/ | (^|/)\.env$                   # nextest
    | ^(?!(.*/)?src/)(.*/)?benches/                  # the manifest of the fix may name one that is new
    | ^(?!(.*/)?src/)(.*/)?target/ | ^vendor/        # compiled leftovers, dependencies
    """,
    re.VERBOSE,
)
"""What decides how tests run besides them. Manifests and build scripts count as well although a fix may change them:
they come from the fix then, for everybody, as no registry is there at the run to serve other dependencies."""

LEFTOVERS = ("target/", "*.profraw", "*.profdata", "*.snap.new", ".pending-snap")

SUSPICIOUS = {
    r"\bprocess::(exit|abort)\b|\blibc::_?exit\b": "ends the process at once: process::exit",
    r"(?i)redgreen": "names redgreen",
}
"""See `Language.suspicious`."""
