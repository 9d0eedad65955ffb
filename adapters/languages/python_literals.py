"""What setup.py and noxfile.py say, read from their syntax tree: nothing of a project is ever run.

Only values that stand there literally are known: constants, lists, dicts, names bound to them, and the few operations
that build one from another (`+`, `dict(...)`, `.append`, `x["tests"] = ...`). Both branches of an `if` count.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable
from typing import Any

UNKNOWN = object()
"""Stands for a value that cannot be known without running the code."""


def parse(source: str) -> ast.Module | None:
    """The syntax tree, or None where this Python cannot read it (Python 2, a template)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class Literals(ast.NodeVisitor):
    """Values of names, collected in source order through all blocks and functions."""

    def __init__(self, tree: ast.AST) -> None:
        self.names: dict[str, Any] = {}
        self.visit(tree)

    def value(self, node: ast.AST | None) -> Any:
        """A str, bool, number, list, dict or None; `UNKNOWN` where it is none of these for certain."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self.names.get(name, UNKNOWN)
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                return self._items(items)
            case ast.Dict(keys=keys, values=values):
                return self._dict(keys, values)
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                return _add(self.value(left), self.value(right))
            case ast.Subscript(value=whole, slice=key):
                held, index = self.value(whole), self.value(key)
                return held.get(index, UNKNOWN) if isinstance(held, dict) and isinstance(index, str) else UNKNOWN
            case ast.IfExp(body=body, orelse=orelse):
                first = self.value(body)
                return first if first not in (UNKNOWN, [], None) else self.value(orelse)
            case ast.Call():
                return self._call(node)
        return UNKNOWN

    def _items(self, nodes: Iterable[ast.expr]) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            held = self.value(node.value if isinstance(node, ast.Starred) else node)
            if isinstance(node, ast.Starred):
                found += held if isinstance(held, list) else []
            elif held is not UNKNOWN:
                found.append(held)
        return found

    def _dict(self, keys: Iterable[ast.expr | None], values: Iterable[ast.expr]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, node in zip(keys, values, strict=True):
            name, held = self.value(key), self.value(node)
            if key is None and isinstance(held, dict):
                found |= held
            elif isinstance(name, str) and held is not UNKNOWN:
                found[name] = held
        return found

    def _call(self, node: ast.Call) -> Any:
        match node.func:
            case ast.Name(id="dict"):
                return self._keywords(node.keywords)
            case ast.Name(id="list" | "sorted" | "tuple" | "set") if len(node.args) == 1:
                held = self.value(node.args[0])
                return list(held) if isinstance(held, list) else UNKNOWN
            case ast.Attribute(value=whole, attr="split" | "splitlines" | "strip" as method):
                held = self.value(whole)
                return getattr(held, method)() if isinstance(held, str) and not node.args else UNKNOWN
        return UNKNOWN

    def _keywords(self, words: Iterable[ast.keyword]) -> dict[str, Any]:
        values = {word.arg: self.value(word.value) for word in words if word.arg}
        return {name: held for name, held in values.items() if held is not UNKNOWN}

    def visit_Assign(self, node: ast.Assign) -> None:
        held = self.value(node.value)
        for target in node.targets:
            self._bind(target, held)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._bind(node.target, self.value(node.value))

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._bind(node.target, _add(self.value(node.target), self.value(node.value)))

    def visit_Expr(self, node: ast.Expr) -> None:
        match node.value:
            case ast.Call(func=ast.Attribute(value=whole, attr=method), args=[argument]):
                held, more = self.value(whole), self.value(argument)
                if method == "append" and isinstance(held, list) and more is not UNKNOWN:
                    held.append(more)
                elif method == "extend" and isinstance(held, list) and isinstance(more, list):
                    held.extend(more)
                elif method == "update" and isinstance(held, dict) and isinstance(more, dict):
                    held.update(more)
            case ast.Call(func=ast.Attribute(value=whole, attr="update"), args=[], keywords=words):
                if isinstance(held := self.value(whole), dict):
                    held.update(self._keywords(words))

    def _bind(self, target: ast.expr, held: Any) -> None:
        if held is UNKNOWN:
            return
        if isinstance(target, ast.Name):
            self.names[target.id] = held
        elif isinstance(target, ast.Subscript):
            whole, key = self.value(target.value), self.value(target.slice)
            if isinstance(whole, dict) and isinstance(key, str):
                whole[key] = held


def _add(left: Any, right: Any) -> Any:
    if isinstance(left, list) and isinstance(right, list):
        return left + right
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    known = [side for side in (left, right) if isinstance(side, list)]
    return known[0] if known else UNKNOWN


def setup_keywords(source: str) -> dict[str, Any] | None:
    """The keyword arguments of `setup(...)` as far as they are literal; None if the file cannot be parsed."""
    tree = parse(source)
    if tree is None:
        return None
    literals = Literals(tree)
    keywords: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node.func) in ("setup", "setuptools.setup", "core.setup"):
            for word in node.keywords:
                held = literals.value(word.value)
                if word.arg is None and isinstance(held, dict):
                    keywords |= held
                elif word.arg is not None and held is not UNKNOWN:
                    keywords[word.arg] = held
    return keywords


def nox_sessions(source: str) -> dict[str, tuple[list[str], list[list[str]]]] | None:
    """Session name -> (its Pythons, the literal arguments of each install or run call); None if not parsable.

    `*nox.project.dependency_groups(pyproject, "test")` appears as the arguments `--group`, `test`.
    """
    tree = parse(source)
    if tree is None:
        return None
    literals = Literals(tree)
    sessions: dict[str, tuple[list[str], list[list[str]]]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for mark in node.decorator_list:
            call = mark if isinstance(mark, ast.Call) else ast.Call(func=mark, args=[], keywords=[])
            if _called(call.func) in ("nox.session", "session", "nox_poetry.session"):
                words = {word.arg: literals.value(word.value) for word in call.keywords}
                name = words.get("name") if isinstance(words.get("name"), str) else node.name
                pythons = words.get("python", words.get("py"))
                listed = pythons if isinstance(pythons, list) else [pythons]
                sessions[str(name)] = ([p for p in listed if isinstance(p, str)], _session_calls(node, literals))
    return sessions


def _session_calls(function: ast.AST, literals: Literals) -> list[list[str]]:
    calls = []
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and _called(node.func).startswith("session."):
            verb = _called(node.func).removeprefix("session.")
            calls.append([verb, *_arguments(node.args, literals)])
    return calls


def _arguments(nodes: Iterable[ast.expr], literals: Literals) -> list[str]:
    found: list[str] = []
    for node in nodes:
        inner = node.value if isinstance(node, ast.Starred) else node
        if isinstance(inner, ast.Call) and _called(inner.func).endswith("dependency_groups"):
            groups = [literals.value(argument) for argument in inner.args[1:]]
            found += [part for group in groups if isinstance(group, str) for part in ("--group", group)]
            continue
        held = literals.value(inner)
        found += [item for item in (held if isinstance(held, list) else [held]) if isinstance(item, str)]
    return found


def _called(node: ast.expr) -> str:
    """`nox.session` for the expression that is called, or an empty string for anything but dotted names."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (left := _called(node.value)):
        return f"{left}.{node.attr}"
    return ""
