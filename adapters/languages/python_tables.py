"""What Python's files mean to a verdict: tests, what decides how tests run, what tools leave behind, and code that
a reader should look at."""

from __future__ import annotations

import re

STANDARD = """
abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2
cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent
configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib
dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions
ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib
imghdr imp importlib inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox mailcap
marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path
numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib
poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random
re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd
smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string
stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios
textwrap threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty types typing
unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc
zipapp zipfile zipimport zlib zoneinfo
""".split()  # noqa: SIM905
"""Modules of the standard library, written out: what belongs to a task must not depend on the Python that asks."""

SHADOWS = re.compile(rf"^(src/)?({'|'.join(STANDARD)})(\.py$|/__init__\.py$)")
"""A module that stands before one of the standard library, which the runner imports."""

TESTS = re.compile(
    r"""
    (^|/)(tests?|testsuite|test_suite)/ | ^testing/   # a folder of tests, with their data; pkg/testing is a product
    | (^|/)test_[^/]*\.py$ | _tests?\.py$ | (^|/)tests?\.py$
    | (^|/)conftest\.py$
    | (^|/)(fixtures|testdata|test-data|__snapshots__|cassettes|golden)/
    """,
    re.VERBOSE,
)
"""Tests, and what tests read."""

DECIDES = re.compile(
    r"""
    (^|/)(pytest|tox)\.ini$ | (^|/)\.pytest\.ini$ | ^pyproject\.toml$ | ^setup\.cfg$ | (^|/)pytest\.toml$
    | (^|/)(tox\.toml|noxfile\.py|\.coveragerc|\.env|\.envrc)$
    | (^|/)(sitecustomize|usercustomize)\.py$ | \.(pth|egg-link)$
    | ^(pytest|_pytest|unittest|pluggy|py|redgreen_\w+)(\.py$|/)        # shadows a runner under `python -m`
    | (^|/)[^/]+\.(dist|egg)-info/                                     # entry points: plug-ins
    | ^pytest_\w+\.py$ | (^|/)\.?pytest_cache/ | (^|/)__pycache__/ | \.pyc$
    """,
    re.VERBOSE,
)
"""What decides how tests run besides them: the runner's configuration and shadows, startup files, old bytecode."""

LEFTOVERS = (
    *("__pycache__/", "*.pyc", ".pytest_cache/", ".mypy_cache/", ".ruff_cache/", ".hypothesis/", ".benchmarks/"),
    *(".tox/", ".nox/", ".venv/", ".coverage", ".coverage.*", "htmlcov/", "coverage.xml"),
    *("*.egg-info/", ".eggs/", "/build/", "/dist/"),
)

SUSPICIOUS = {
    r"(?i)pytest|\bpluggy\b": "names the test runner: pytest",
    r"\bimport unittest\b(?!\.mock)|\bfrom unittest import(?! mock)": "names the test runner: unittest",
    r"(?i)redgreen": "names redgreen",
    r"\bos\._exit\b|\bos\.kill\b|\bos\.abort\b": "ends the process at once: os._exit, os.kill or os.abort",
    r"\batexit\b": "acts when the process ends: atexit",
    r"_getframe|\bcurrentframe\b|\bf_back\b|\btb_frame\b|inspect\.(stack|getouterframes|trace)": "looks into a frame",
    r"\bgc\.get_\w+": "looks for objects that are not its own: gc",
    r"\bsys\.(modules|settrace|setprofile|monitoring|meta_path|path_hooks)\b": "takes hold of the interpreter: sys",
    r"\b(builtins|__builtins__)\b": "takes hold of builtins",
    r"\bctypes\b": "takes hold of the process: ctypes",
    r"\bos\.(write|fdopen|dup2?)\(|/proc/self|/dev/fd": "writes to an open descriptor",
    r"def __(eq|ne|lt|le|gt|ge|contains|bool)__\([^)]*\)[^\n:]*:(\s*\"{3}.*?\"{3})?\s*return (True|False)\b": (
        "answers every comparison alike: __eq__ or the like"
    ),
    r"^\s*global \w": "counts or keeps state between calls: global",
    r"[\"'][^\"'\n]*(\btests?[/\"']|test_[^\"'\n]*\.py)": "names a test file or the tests' folder",
}
"""See `Language.suspicious`."""
