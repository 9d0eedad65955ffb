"""Tests of ours in each test program that the fix's own tests are part of: half must pass, the other half must fail.

They are appended to the root file of its crate under names that nobody can guess and that do not say which is which:
whoever writes a program's report for it has to guess them all.
"""

import os
import random
import secrets

PAIRS = 4
MODULE = "\n#[cfg(test)]\nmod %s {\n%s}\n"
TEST = "    #[test]\n    fn %s() {\n        assert!([1] == [%d]);\n    }\n"


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


def plant(packages, files, tree):
    """{root file: {name of a test: "holds" or "breaks"}}"""
    planted = {}
    for package in packages:
        for target in crates(package, files):
            place = os.path.join(tree, target.root)
            if target.root in planted or not os.path.isfile(place) or os.path.islink(place):
                continue
            module = name()
            kinds = {name(): kind for kind in ["holds", "breaks"] * PAIRS}
            tests = [TEST % (test, 1 if kind == "holds" else 2) for test, kind in kinds.items()]
            random.shuffle(tests)
            with open(place, "a") as file:
                file.write(MODULE % (module, "".join(tests)))
            planted[target.root] = {"%s::%s" % (module, test): kind for test, kind in kinds.items()}
    return planted
