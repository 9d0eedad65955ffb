"""Two tests of ours in each test program that the fix's own tests are part of: one must pass, the other must fail.

They are appended to the root file of its crate under names that nobody can guess and that do not say which is which.
"""

import os
import random
import secrets

MODULE = """
#[cfg(test)]
mod %s {
    #[test]
    fn %s() {
        assert!([1] == [%d]);
    }
    #[test]
    fn %s() {
        assert!([1] == [%d]);
    }
}
"""


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
            module, one, other = name(), name(), name()
            numbers = random.sample([1, 2], 2)
            with open(place, "a") as file:
                file.write(MODULE % (module, one, numbers[0], other, numbers[1]))
            kinds = ["holds" if number == 1 else "breaks" for number in numbers]
            planted[target.root] = {
                "%s::%s" % (module, one): kinds[0],
                "%s::%s" % (module, other): kinds[1],
            }
    return planted
