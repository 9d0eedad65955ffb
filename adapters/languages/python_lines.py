"""Which of a fix's lines only run when a test calls for them: those of function bodies."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from redgreen.language import ChangedFile

NO_CODE = re.compile(
    r"\.(md|rst|txt|adoc|pyi)$|(^|/)[A-Z]+$|(^|/)\.[^/]+(/|$)|^[^/]+\.(ya?ml|toml|lock|ini|cfg)$"
    r"|(^|/)(docs?|examples?|changes?|changelog(\.d)?|news(fragments)?|release[-_]?notes?)/"
)
"""Files that no test can run: what they say makes no test pass."""

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def lines_to_touch(changed: Mapping[str, ChangedFile]) -> dict[str, list[int]] | None:
    """Path -> lines that a test has to run, one of them at least; None where that does not tell a test's aim.

    A changed line outside every function (a table, a default, a decorator) works without being run again.
    """
    found: dict[str, list[int]] = {}
    for path, file in changed.items():
        if NO_CODE.search(path):
            continue
        if not path.endswith(".py"):
            return None
        try:
            tree = ast.parse(file.text)
        except (SyntaxError, ValueError, RecursionError):
            return None
        lines = _in_functions(tree, set(file.lines))
        if lines is None:
            return None
        if lines:
            found[path] = sorted(lines)
    return found or None


def _in_functions(tree: ast.Module, changed: set[int]) -> set[int] | None:
    touched: set[int] = set()
    for statement, inside in _statements(tree.body, inside=False):
        first, last = _extent(statement)
        if not changed & set(range(first, last + 1)):
            continue
        if _says_nothing(statement):
            continue
        if not inside or isinstance(statement, FUNCTION):
            return None
        touched |= set(range(first, last + 1))
    return touched


def _statements(body: list[ast.stmt], *, inside: bool) -> Iterator[tuple[ast.stmt, bool]]:
    """Every statement, and whether it belongs to a function's body."""
    for statement in body:
        yield statement, inside
        within = inside or isinstance(statement, FUNCTION)
        for name in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(statement, name, []), inside=within)
        for part in (*getattr(statement, "handlers", []), *getattr(statement, "cases", [])):
            yield from _statements(part.body, inside=within)


def _extent(statement: ast.stmt) -> tuple[int, int]:
    """The lines of a statement itself: of a compound one, those before its body."""
    body = getattr(statement, "body", None)
    if not body:
        return statement.lineno, statement.end_lineno or statement.lineno
    marks = [mark.lineno for mark in getattr(statement, "decorator_list", [])]
    start = min([statement.lineno, *marks])
    return start, max(statement.lineno, body[0].lineno - 1)


def _says_nothing(statement: ast.stmt) -> bool:
    """A head or a text that changes nothing by itself: `def f(a):` with plain parameters, `class C:`, an import."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        arguments = statement.args
        return not (statement.decorator_list or arguments.defaults or any(arguments.kw_defaults))
    if isinstance(statement, ast.ClassDef):
        return not (statement.decorator_list or statement.bases or statement.keywords)
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.Import | ast.ImportFrom | ast.Pass)
