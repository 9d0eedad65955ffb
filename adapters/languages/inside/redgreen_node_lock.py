"""Runs inside the sandbox, after an install: writes what was installed as lines that name it by hash, and compares.

usage: redgreen_node_lock.py write <manager> <box>      box/lock.txt; if box/wanted.lock is there, they have to agree
       redgreen_node_lock.py npm <box>                  a package-lock.json in box/tree from box/wanted.lock

Each line is a fact: `tool name@version hash`, or `[place ]name@version hash`. For npm the place is part of the line: a
project without a lockfile has nothing else that says what lies where.
"""

import glob
import json
import os
import re
import sys

PNPM = re.compile(
    r"""
    ^\ \ '?/?((?:@[^/\s']+/)?[^@/\s'()]+)[@/](\d[^\s'():]*?)(?:\(.*?|_.*?)?'?:\n    # name@1.2.3(peer@4):
    \ {4}resolution:\ \{(?:integrity:\ )?([^,}\s]+)
    """,
    re.MULTILINE | re.VERBOSE,
)
YARN = re.compile(r'^"?((?:@[^/\s"]+/)?[^@\s"]+)@[^\n]*:\n((?:  [^\n]*\n)+)', re.M)
BUN = re.compile(r'"((?:@[^/"]+/)?[^@"]+)@(\d[^"]*)".*"(sha512-[^"]+)"\]')


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def of_npm(tree):
    """What lies in node_modules, as npm itself noted it after installing."""
    packages = json.loads(text_of(os.path.join(tree, "node_modules", ".package-lock.json"))).get("packages", {})
    for place, about in packages.items():
        if about.get("link") or (not place.startswith("node_modules/") and "/node_modules/" not in place):
            continue
        name = about.get("name") or place.rpartition("node_modules/")[2]
        integrity = about.get("integrity") or ("bundled" if about.get("inBundle") else about.get("resolved", "none"))
        yield "%s %s@%s %s" % (place, name, about.get("version", "0"), plain(integrity))


def of_pnpm(tree):
    for name, version, integrity in PNPM.findall(text_of(os.path.join(tree, "node_modules", ".pnpm", "lock.yaml"))):
        yield "%s@%s %s" % (name, version, plain(integrity))


def of_yarn(tree):
    """Both kinds of yarn.lock: one says integrity, or a hash after its address, the other a checksum."""
    for name, block in YARN.findall(text_of(os.path.join(tree, "yarn.lock"))):
        said = dict(re.findall(r'^  "?([a-zA-Z]+)"?:? "?([^"\n]+)"?$', block, re.M))
        version, resolution = said.get("version", "0"), said.get("resolution", "")
        if "@workspace:" in resolution or "@link:" in resolution:
            continue
        integrity = (
            said.get("integrity") or said.get("checksum") or said.get("resolved", "").rpartition("#")[2] or "none"
        )
        alias = re.match(r"((?:@[^/]+/)?[^@]+)@npm:", resolution)
        yield "%s@%s %s" % (alias.group(1) if alias else name, version, plain(integrity))


def of_bun(tree):
    for name, version, integrity in BUN.findall(text_of(os.path.join(tree, "bun.lock"))):
        yield "%s@%s %s" % (name, version, integrity)


READERS = {"npm": of_npm, "pnpm": of_pnpm, "yarn": of_yarn, "berry": of_yarn, "bun": of_bun}


def plain(integrity):
    """A hash alone: what names an address or a place is none."""
    return integrity if re.fullmatch(r"[A-Za-z0-9+/=_-]+", integrity) else "unhashed"


def write(manager, box):
    tree = os.path.join(box, "tree")
    found = READERS[manager](tree) if os.path.isdir(os.path.join(tree, "node_modules")) else ()
    lines = sorted({*found, *text_of(os.path.join(box, "tools.lock")).splitlines()})
    with open(os.path.join(box, "lock.txt"), "w") as file:
        file.write("".join(line + "\n" for line in lines))
    unhashed = [line for line in lines if line.endswith((" unhashed", " none"))]
    if unhashed:
        sys.exit("error: not from a registry, so nothing says what it is: %s" % unhashed[0].rpartition(" ")[0])
    wanted = os.path.join(box, "wanted.lock")
    if os.path.exists(wanted):
        other = sorted(set(text_of(wanted).splitlines()) ^ set(lines))
        if other:
            sys.exit("error: %d lines are not as the lock says, first: %s" % (len(other), other[0]))


KINDS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")


def declared(about):
    return {key: about[key] for key in ("name", "version", *KINDS) if about.get(key)}


def workspaces(tree, about):
    """Folder -> what its package.json declares, of each package of a workspace."""
    globs = about.get("workspaces") or []
    found = {}
    for pattern in globs.get("packages", []) if isinstance(globs, dict) else globs:
        for place in sorted(glob.glob(os.path.join(tree, pattern, "package.json"))):
            inner = json.loads(text_of(place))
            folder = os.path.relpath(os.path.dirname(place), tree)
            found[folder] = {"name": os.path.basename(folder), **declared(inner)}
    return found


def npm_lockfile(box):
    """npm's own lockfile again: what lies where, with its hash."""
    tree = os.path.join(box, "tree")
    about = json.loads(text_of(os.path.join(tree, "package.json")))
    packages = dict(map(npm_entry, text_of(os.path.join(box, "wanted.lock")).splitlines()))
    packages.pop("tool", None)
    root = {**declared(about), **({"workspaces": about["workspaces"]} if about.get("workspaces") else {})}
    inner = workspaces(tree, about)
    direct = [
        "node_modules/" + name for one in (root, *inner.values()) for kind in KINDS[:3] for name in one.get(kind, {})
    ]
    hold(packages, [place for place in direct if place in packages])
    for folder, one in inner.items():
        packages[folder] = one
        packages["node_modules/" + one["name"]] = {"resolved": folder, "link": True}
    lock = {"name": root.get("name", ""), "lockfileVersion": 3, "requires": True, "packages": {"": root, **packages}}
    with open(os.path.join(tree, "package-lock.json"), "w") as file:
        json.dump(lock, file, indent=1)


def npm_entry(line):
    place, _, rest = line.partition(" ")
    named, integrity = rest.split(" ")
    name, _, version = named.rpartition("@")
    entry = {"version": version}
    if name != place.rpartition("node_modules/")[2]:
        entry["name"] = name
    if integrity == "bundled":
        return place, {**entry, "inBundle": True}
    # by its address npm finds it in the cache; by its name it would ask what versions there are
    archive = "%s/-/%s-%s.tgz" % (name, name.rpartition("/")[2], version)
    address = os.environ["npm_config_registry"].rstrip("/") + "/" + archive
    return place, {**entry, "resolved": address, "integrity": integrity}


def hold(packages, direct):
    """npm throws out what nothing depends on. What really depends on it is in the packages, not in the lock: so each is
    held by the package that it lies in, or by a dependency of the project's own that would find it there."""
    for place, entry in packages.items():
        above, _, name = place.rpartition("node_modules/")
        holder = above.rstrip("/")
        if not holder and place not in direct:
            holder = next((one for one in direct if "%s/node_modules/%s" % (one, name) not in packages), "")
        if holder in packages:
            wanted = "npm:%s@%s" % (entry["name"], entry["version"]) if "name" in entry else entry["version"]
            packages[holder].setdefault("dependencies", {})[name] = wanted


def main():
    if sys.argv[1] == "npm":
        npm_lockfile(sys.argv[2])
    else:
        write(*sys.argv[2:4])


if __name__ == "__main__":
    main()
