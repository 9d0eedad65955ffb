"""Which statements of some files the changed tests run, by Go's own coverage. Decides no verdict: a look at the fix.

usage: python3 -I redgreen_go_cover.py PLAN    in the tree; as of redgreen_go.py, with "covered" files and "names"

{"event": "ran", "ids": [...]}                      the tests that ran: `<folder>::<Test>/<subtest>`
{"event": "blocks", "path": ..., "blocks": [[first line, last line, times], ...]}
"""

import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import redgreen_events

TEST = re.compile(r"^func (Test\w+)\(", re.MULTILINE)
BLOCK = re.compile(r"^(.+):(\d+)\.\d+,(\d+)\.\d+ \d+ (\d+)$")


def inside(module, path):
    return module == "." or path.startswith(module + "/")


def tests_in(paths, wanted):
    """Folder -> names of the wanted tests in its changed files."""
    found = {}
    for path in paths:
        if path.endswith("_test.go") and os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                found.setdefault(os.path.dirname(path) or ".", set()).update(
                    wanted.intersection(TEST.findall(file.read()))
                )
    return found


def relative(folder, module):
    return "./" + os.path.relpath(folder, module)


def packages(module, variables):
    """Import path -> folder relative to the tree."""
    words = ["go", "list", "-e", "-f", "{{.ImportPath}}\t{{.Dir}}", "./..."]
    done = subprocess.run(words, cwd=module, stdout=subprocess.PIPE, env=variables, check=False)
    lines = [line.split("\t") for line in done.stdout.decode("utf-8", "surrogateescape").splitlines()]
    return {path: os.path.normpath(os.path.relpath(folder)) for path, folder in lines if folder}


def cover(module, tests, plan, profile):
    variables = dict(os.environ)
    if module in plan["loose"]:
        variables["GOFLAGS"] = " ".join([variables.get("GOFLAGS", ""), "-mod=mod"]).strip()
    names = sorted(name for found in tests.values() for name in found)
    sources = sorted({os.path.dirname(path) or "." for path in plan["covered"] if inside(module, path)})
    if not names or not sources:
        return
    known = packages(module, variables)
    words = ["go", "test", "-json", "-count=1", "-run", "^(%s)$" % "|".join(names), "-coverprofile", profile]
    words += ["-coverpkg", ",".join(relative(folder, module) for folder in sources), *plan["flags"]]
    words += sorted(relative(folder, module) for folder in tests)
    done = subprocess.run(words, cwd=module, stdout=subprocess.PIPE, env=variables, check=False)
    ran = set()
    for line in done.stdout.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and event.get("Action") == "run" and event.get("Package") in known:
            ran.add("%s::%s" % (known[event["Package"]], event.get("Test")))
    redgreen_events.send(event="ran", ids=sorted(ran))
    tell_blocks(profile, known, set(plan["covered"]))


def tell_blocks(profile, known, wanted):
    blocks = {}
    if os.path.exists(profile):
        with open(profile, encoding="utf-8", errors="replace") as file:
            for line in file:
                match = BLOCK.match(line.strip())
                folder, _, name = match[1].rpartition("/") if match else ("", "", "")
                path = os.path.normpath(os.path.join(known.get(folder, "?"), name))
                if match and path in wanted:
                    blocks.setdefault(path, []).append([int(match[2]), int(match[3]), int(match[4])])
    for path, found in sorted(blocks.items()):
        redgreen_events.send(event="blocks", path=path, blocks=found)


def main():
    plan = json.loads(sys.argv[1])
    tests = tests_in(plan["changed"], set(plan["names"]))
    for module in plan["modules"]:
        own = {folder: names for folder, names in tests.items() if inside(module, folder) or module == "."}
        with tempfile.TemporaryDirectory() as scratch:
            cover(module, own, plan, os.path.join(scratch, "profile"))


main()
