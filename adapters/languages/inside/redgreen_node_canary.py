"""Two tests of ours among a project's own: one that must pass and one that must fail, in the words of its runner.

The file lies beside the tests of the fix and is called as they are, so that the runner finds it as it finds them, but
for a name that nobody can guess: whoever makes everything pass makes the one pass that must fail.
"""

import json
import os
import re


def canary_path(beside, mark):
    """A file that the runner takes for one of its own because it is called as the one beside it, but for its stem.

    >>> canary_path("src/add.test.ts", "redgreen-1")
    'src/redgreen-1.test.ts'
    >>> canary_path("src/add/test.ts", "redgreen-1")
    'src/redgreen-1/test.ts'
    """
    folder, name = os.path.split(beside)
    stem, extension = name.split(".", 1)
    plain = re.match(r"(.*?)((?:[._-](?:test|tests|spec|unit|e2e|it))+(?:\.[a-z]+)+)$", name, re.I)
    prefixed = re.match(r"((?:test|spec)[._-])[^.]+(\..*)$", name, re.I)
    if plain:
        return os.path.join(folder, mark + plain.group(2))
    if prefixed:
        return os.path.join(folder, prefixed.group(1) + mark + prefixed.group(2))
    if stem.lower() in ("test", "tests", "spec", "index") and folder:
        return os.path.join(os.path.dirname(folder), mark, name)
    return os.path.join(folder, mark + "." + extension)


IMPORTS = {
    "vitest": {"{ test, expect }": "vitest"},
    "jest": {},
    "mocha": {"assert": "assert"},
    "ava": {"test": "ava"},
    "node": {"test": "node:test", "assert": "node:assert"},
}
WORDS = {
    "vitest": ("test", "() => { expect(1).toBe(1) }", "() => { expect(1).toBe(2) }"),
    "jest": ("test", "() => { expect(1).toBe(1) }", "() => { expect(1).toBe(2) }"),
    "mocha": (";(globalThis.it || globalThis.test)", "() => { assert.equal(1, 1) }", "() => { assert.equal(1, 2) }"),
    "ava": ("test", "t => { t.is(1, 1) }", "t => { t.is(1, 2) }"),
    "node": ("test", "() => { assert.equal(1, 1) }", "() => { assert.equal(1, 2) }"),
}
"""Runner -> its word for a test, a body that must hold and one that must break, by the assertions that tests use."""


def canary_text(runner, path, beside):
    """Two tests in the words of a runner, as a module of the kind that the neighbour is."""
    modules = is_module(path, beside)
    wanted = dict(IMPORTS[runner])
    if runner == "jest" and "@jest/globals" in text_of(beside):
        wanted = {"{ test, expect }": "@jest/globals"}
    lines = ["// @ts-nocheck"] if re.search(r"\.[cm]?tsx?$", path) else []
    for names, module in wanted.items():
        plain = modules or runner == "vitest"
        lines.append('import %s from "%s"' % (names, module) if plain else 'const %s = require("%s")' % (names, module))
    if modules and not wanted:
        lines.append("export {}")
    test, holds, breaks = WORDS[runner]
    lines += ['%s("redgreen_holds", %s);' % (test, holds), '%s("redgreen_breaks", %s);' % (test, breaks)]
    return "\n".join(lines) + "\n"


def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def is_module(path, beside):
    """Whether a file is read as an ES module: by its name, by how its neighbour is written, by its package."""
    if path.endswith((".mjs", ".mts")):
        return True
    if path.endswith((".cjs", ".cts")):
        return False
    text = text_of(beside)
    if re.search(r"^\s*(import|export)\b[^(]", text, re.M):
        return True
    if re.search(r"\brequire\(", text):
        return False
    if path.endswith((".ts", ".tsx")):
        return True
    folder = os.path.dirname(path)
    while folder and not os.path.exists(os.path.join(folder, "package.json")):
        folder = os.path.dirname(folder)
    try:
        with open(os.path.join(folder, "package.json")) as file:
            return json.load(file).get("type") == "module"
    except (OSError, ValueError):
        return False


def lay_canary(suite):
    """The path, relative to the tree, of a canary beside the first of the suite's tests; None if there is no place."""
    mark = "redgreen-" + os.urandom(8).hex()
    for beside in suite["near"]:
        if not re.search(r"\.[cm]?[jt]sx?$", beside):
            continue
        path = canary_path(beside, mark)
        if os.path.isfile(beside):
            text = canary_text(suite["runner"], path, beside)
        elif os.path.isdir(os.path.dirname(beside) or "."):
            text = canary_text(suite["runner"], path, neighbour(beside))
        else:
            continue
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        return path
    return None


def neighbour(path):
    """Another test beside one that is not there yet: before the fix its style is the best guess."""
    folder, ending = os.path.dirname(path) or ".", os.path.splitext(path)[1]
    alike = sorted(name for name in os.listdir(folder) if name.endswith(ending) and not name.startswith("redgreen-"))
    return os.path.join(folder, alike[0]) if alike else path
