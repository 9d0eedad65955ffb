"""Tests of ours in each test program that the fix's own tests are part of: half must pass, the other half must fail.

They are appended to the root file of its crate under names that nobody can guess and that do not say which is which:
whoever writes a program's report for it has to guess them all. They assert in several ways, as a product can give any
of the standard macros another meaning. Once they are compiled they are taken out again, so that nobody can read them.
"""

import os
import random
import secrets

PAIRS = 2
"""Of each form."""
MODULE = "\n#[cfg(test)]\nmod %s {\n%s}\n"
TEST = "    #[test]\n    fn %s() {\n        %s\n    }\n"
FORMS = (
    "assert!([1] == [%d]);",
    "assert_eq!([1], [%d]);",
    "assert_ne!([2], [%d]);",
    'if [1] != [%d] {\n            panic!("no");\n        }',
)
"""Each holds for 1 and breaks for 2."""


def name():
    """Anywhere in the order of the tests."""
    return secrets.choice("abcdefghijklmnopqrstuvwxyz") + secrets.token_hex(8)


def belongs(path, root):
    """Whether a file is part of the crate with that root: the root, a module beside `main.rs`, or one below `it/`."""
    folder, base = os.path.split(root)
    inside = folder if base in ("main.rs", "mod.rs", "lib.rs") else root[: -len(".rs")]
    return path == root or path.startswith(inside + "/")


def crates(package, files):
    """The package's targets that the files are part of; all of its integration tests if none can be told."""
    usable = [target for target in package.targets if target.tested]
    own = package.custom_harness()
    usable = [target for target in usable if not (target.kind == "test" and target.name in own)]
    hit = [target for target in usable if any(belongs(path, target.root) for path in files)]
    return hit or [target for target in usable if target.kind == "test"]


class Planted:
    """`names`: root file -> {name of a test: "holds" or "breaks"}."""

    def __init__(self):
        self.names = {}
        self.before = {}

    def plant(self, packages, files, tree):
        for package in packages:
            for target in crates(package, files):
                place = os.path.join(tree, target.root)
                if target.root not in self.names and os.path.isfile(place) and not os.path.islink(place):
                    self.names[target.root] = self.append(place)

    def append(self, place):
        module = name()
        written = [(name(), kind, form) for form in FORMS for kind in ["holds", "breaks"] * PAIRS]
        random.shuffle(written)
        tests = [TEST % (test, form % (1 if kind == "holds" else 2)) for test, kind, form in written]
        with open(place, "rb") as file:
            self.before[place] = file.read()
        with open(place, "a") as file:
            file.write(MODULE % (module, "".join(tests)))
        return {"%s::%s" % (module, test): kind for test, kind, _ in written}

    def hide(self):
        """Take them out again. To cargo the file is as old as it was, so that nothing is compiled anew."""
        for place, content in self.before.items():
            built = os.stat(place)
            with open(place, "wb") as file:
                file.write(content)
            os.utime(place, ns=(built.st_atime_ns, built.st_mtime_ns))
