"""A pair of tests of ours in the style of their neighbours: one must pass, one must fail, by the project's own library.

Whoever makes everything pass, be it by a class that takes the place of the library's assertions, makes the one pass
that must fail.
"""

import os
import re
import secrets

PASS, FAIL = "Integer.valueOf(7).intValue(), 7", "Integer.valueOf(7).intValue(), 8"
ANNOTATED = """%(package)spublic class %(name)s {
    @%(test)s
    public void redgreen_holds() {
        %(assertions)s.assertEquals(%(holds)s);
    }

    @%(test)s
    public void redgreen_breaks() {
        %(assertions)s.assertEquals(%(breaks)s);
    }
}
"""
JUNIT3 = """%(package)spublic class %(name)s extends junit.framework.TestCase {
    public void test_redgreen_holds() {
        assertEquals(%(holds)s);
    }

    public void test_redgreen_breaks() {
        assertEquals(%(breaks)s);
    }
}
"""
STYLES = (
    # what a neighbour imports, the annotation, the class with assertions
    (r"org\.junit\.jupiter\.", "org.junit.jupiter.api.Test", "org.junit.jupiter.api.Assertions"),
    (r"org\.testng\.", "org.testng.annotations.Test", "org.testng.Assert"),
    (r"org\.junit\.(?:Test|\*|Assert|Before|After|Rule|runner\.)", "org.junit.Test", "org.junit.Assert"),
    (r"junit\.framework\.", None, None),
)
MOST_NEIGHBOURS = 60


def style_of(text):
    """The index of the style of a test file, or None where it is no test."""
    for number, (imported, _, _) in enumerate(STYLES):
        if re.search(r"^\s*import\s+(?:static\s+)?" + imported, text, re.M):
            return number
    return None


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def neighbours(folder, nested):
    """Test files below a module's folder, without those of the modules nested in it."""
    found = []
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != "." and os.path.join(parent, name) not in nested)
        folders[:] = [name for name in folders if name not in ("target", "resources", "main")]
        found += [os.path.join(parent, name) for name in sorted(files) if name.endswith(".java")]
        if len(found) > 10 * MOST_NEIGHBOURS:
            break
    return found


def place(candidates):
    """Write a pair beside the first of these files, in the style that most of them have. Returns its path, or None."""
    styles = [(path, style_of(read(path))) for path in candidates if "/resources/" not in path][:MOST_NEIGHBOURS]
    seen = [style for _, style in styles if style is not None]
    if not seen:
        return None
    style = max(sorted(set(seen)), key=seen.count)
    neighbour = next(path for path, own in styles if own == style)
    name = "Redgreen%sTest" % secrets.token_hex(12)
    target = os.path.join(os.path.dirname(neighbour), name + ".java")
    with open(target, "w", encoding="utf-8") as file:
        file.write(source(style, name, package_of(read(neighbour))))
    return target


def package_of(text):
    found = re.search(r"^\s*package\s+([\w.]+)\s*;", text, re.M)
    return found.group(1) if found else ""


def source(style, name, package):
    _, test, assertions = STYLES[style]
    return (ANNOTATED if test else JUNIT3) % {
        "package": "package %s;\n\n" % package if package else "",
        "name": name,
        "test": test,
        "assertions": assertions,
        "holds": PASS,
        "breaks": FAIL,
    }
