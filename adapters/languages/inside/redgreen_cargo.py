"""What cargo knows about a tree: its packages and targets; builds their tests, and says how it would start each.

usage: python redgreen_cargo.py      builds the tests of every package of the workspace, to warm the target folder

Reads what cargo writes with --message-format=json. A procedural macro of the project can write among that: of what is
named there, only files that lie where cargo puts them count, and only the first word about each.
"""

import json
import os
import subprocess
import sys
import tempfile

import redgreen_orphans

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.environ.get("CARGO_TARGET_DIR", "target")
TIMEOUT_S = 1200
"""A build script that leaves something running lets cargo wait for ever."""

KINDS = {"lib": "lib", "rlib": "lib", "proc-macro": "lib", "cdylib": "lib", "dylib": "lib", "staticlib": "lib"}
KINDS.update({"bin": "bin", "test": "test"})


class Target:
    """Something that has tests: `root` is its crate's root file, relative to the tree."""

    def __init__(self, package, description, tree):
        self.package = package
        self.name = description["name"]
        self.kind = next((KINDS[kind] for kind in description["kind"] if kind in KINDS), None)
        self.source = description["src_path"]
        self.root = os.path.relpath(self.source, tree)
        self.tested = bool(self.kind and description.get("test"))
        self.examples = bool(self.kind == "lib" and description.get("doctest"))
        self.executable = None

    def option(self):
        return ["--lib"] if self.kind == "lib" else ["--%s" % self.kind, self.name]


class Package:
    """`folder` is relative to the tree."""

    def __init__(self, description, tree):
        self.id = description["id"]
        self.manifest = description["manifest_path"]
        self.folder = os.path.relpath(os.path.dirname(self.manifest), tree)
        self.targets = [Target(self, target, tree) for target in description["targets"]]
        self.depth = 0 if self.folder == "." else len(self.folder)

    def holds(self, path):
        return self.folder == "." or path.startswith(self.folder + "/")

    def custom_harness(self):
        """Names of test targets that bring a main function of their own."""
        import tomllib

        with open(self.manifest, "rb") as file:
            tables = tomllib.load(file).get("test", [])
        return {table.get("name") for table in tables if table.get("harness") is False}


class Workspace:
    def __init__(self, folder, tree, settings):
        self.folder = folder
        self.tree = tree
        self.features = ["--all-features"] if settings.get("features") == "all" else []
        status, told = self.cargo(["metadata", "--no-deps", "--offline", "--format-version=1"])
        known = json.loads(told.decode()) if status == 0 else {}
        self.root = known.get("workspace_root", folder)
        self.packages = [Package(one, tree) for one in known.get("packages", [])]
        defaults = known.get("workspace_default_members", [])
        self.defaults = [package for package in self.packages if package.id in defaults] or self.packages

    def cargo(self, words, variables=None):
        """Its exit status (None after too long) and what it wrote: to a file, as what it starts may outlive it."""
        with tempfile.TemporaryFile() as output:
            child = subprocess.Popen(
                ["cargo", *words],
                cwd=self.folder,
                env=dict(os.environ, **(variables or {})),
                stdin=subprocess.DEVNULL,
                stdout=output,
            )
            try:
                status = child.wait(timeout=TIMEOUT_S)
            except subprocess.TimeoutExpired:
                redgreen_orphans.end()
                status = None
            output.seek(0)
            return status, output.read()

    def packages_of(self, files):
        """Those that hold the files; where none does, the workspace's default ones."""
        found = []
        for path in files:
            holding = [package for package in self.packages if package.holds(path)]
            if holding:
                found.append(max(holding, key=lambda package: package.depth))
        return [package for package in self.packages if package in found] or self.defaults

    def build(self, package):
        """Compile a package's tests. True if everything compiled; each target that did knows its executable then."""
        # as `cargo test --no-run` builds them, but one that fails does not stop the others
        words = ["build", "--tests", "--keep-going", "--offline", "--message-format=json"]
        status, told = self.cargo([*words, *self.features, "-p", package.id])
        by_place = {(target.source, target.name): target for target in package.targets}
        for line in told.split(b"\n"):
            message = read(line)
            if message.get("reason") == "compiler-message":
                sys.stderr.write(message.get("message", {}).get("rendered") or "")
            if message.get("reason") != "compiler-artifact" or not message.get("profile", {}).get("test"):
                continue
            described = message.get("target", {})
            target = by_place.get((described.get("src_path"), described.get("name")))
            place = os.path.realpath(message.get("executable") or "")
            if target and target.executable is None and os.path.dirname(place) == os.path.join(TARGET, "debug", "deps"):
                target.executable = place
        sys.stderr.flush()
        return status == 0

    def plan(self, package):
        """How cargo itself would start each executable: {executable: (folder, variables)}. Nothing is run.

        Cargo starts, instead of each, a program that writes down how it was started.
        """
        built = [target for target in package.targets if target.executable]
        if not built:
            return {}
        triple = host().upper().replace("-", "_")
        with tempfile.TemporaryDirectory(prefix="redgreen-") as folder:
            runner = "CARGO_TARGET_%s_RUNNER" % triple
            dump = "%s %s %s" % (sys.executable, os.path.join(HERE, "redgreen_dump.py"), folder)
            options = [word for target in built for word in target.option()]
            words = ["test", "--no-fail-fast", "--offline", "--quiet", *self.features, "-p", package.id, *options]
            self.cargo(words, {runner: dump})
            plans = {}
            for name in os.listdir(folder):
                with open(os.path.join(folder, name)) as file:
                    told = json.load(file)
                told["variables"].pop(runner, None)
                plans[os.path.realpath(told["executable"])] = (told["folder"], told["variables"])
            return plans


def host():
    told = subprocess.run(["rustc", "-vV"], stdout=subprocess.PIPE, check=True).stdout.decode()
    return next(line[6:] for line in told.split("\n") if line.startswith("host: "))


def read(line):
    if line.startswith(b"{"):
        try:
            message = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return {}
        if isinstance(message, dict):
            return message
    return {}


def settings():
    return json.loads(os.environ.pop("REDGREEN_SETTINGS", "{}"))


def workspace(tree, chosen):
    return Workspace(os.path.normpath(os.path.join(tree, chosen.get("workspace", "."))), tree, chosen)


def main():
    """A package that does not compile is for the runs to find out; if none does, nothing can be run."""
    chosen = settings()
    here = workspace(os.getcwd(), chosen)
    built = [package for package in here.packages if here.build(package)]
    if not built:
        sys.stderr.write("error: no package of the workspace compiles\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
