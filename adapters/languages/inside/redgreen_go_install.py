"""What installing a Go project does inside the sandbox, a verb a step. Runs nothing of the project.

usage: redgreen_go_install.py toolchain VERSION | modules FOLDER... | compile VET FOLDER... | lock | keep

Everything goes to BOX/env: `go` (the toolchain), `gopath` (modules), `build` (compiled packages), `facts.json`.
A step that fails ends with 1, its own words last.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from redgreen_go_toolchain import MODULE, ask, fail, image_toolchain, platform, set_up

ENV = "/redgreen/box/env"
TREE = "/redgreen/box/tree"
CACHE = "/redgreen/cache"
GOPATH = ENV + "/gopath"
DOWNLOADED = GOPATH + "/pkg/mod/cache/download"
BUILT = ENV + "/build"
FACTS = ENV + "/facts.json"


# ---- toolchain -------------------------------------------------------------------------------------------------------
def toolchain(version):
    """Take the image's Go if it is the one; else fetch it and set it up; ask it who it is."""
    own, sum_ = image_toolchain(version, ENV)
    if not own:
        # outside the tree: its go.mod must not choose a toolchain before ours is there
        module = MODULE + "@v0.0.1-go" + version + "." + platform(ENV)
        told = json.loads(ask(["go", "mod", "download", "-json", module], ENV, GOTOOLCHAIN="local"))
        sum_ = told["Sum"]
        own = told["Dir"]
        set_up(own)
    os.symlink(own, ENV + "/go")
    said = ask([ENV + "/go/bin/go", "version"], ENV, GOTOOLCHAIN="local").split()
    if said[:3] != ["go", "version", "go" + version]:
        fail("asked for Go %s, and this one says %s" % (version, " ".join(said)))
    write_facts(toolchain="%s v0.0.1-go%s.%s %s" % (MODULE, version, platform(ENV), sum_))
    seed = seed_of(read_facts())
    if os.path.isdir(seed) and not os.path.isdir(BUILT):
        # not as old as there: the go command throws away what nobody has used for days
        shutil.copytree(seed, BUILT, copy_function=shutil.copyfile)


# ---- modules ---------------------------------------------------------------------------------------------------------
LISTING = "{{if and .CgoFiles (not .Standard)}}cgo{{end}}"


def modules(folders):
    """Fetch what the packages and tests of each module import; go.mod and go.sum stay as they are.

    Some old projects keep no whole go.sum: there the go command may complete it, in the runs too, from what lies here.
    It may not choose a version that go.mod does not name: that would be the newest of today.
    """
    cgo = False
    loose = []
    for folder in folders:
        place = os.path.join(TREE, folder)
        listed = listing(place, "")
        if listed is None:
            before = required(place)
            kept = keep_files(place)
            listed = listing(place, "-mod=mod")
            after = required(place)
            restore_files(kept)
            if listed is None:
                fail("%s: the packages that it imports cannot be had" % folder)
            if set(after) - set(before):
                fail("%s/go.mod does not name %s, which is imported" % (folder, min(set(after) - set(before))))
            loose.append(folder)
        cgo |= "cgo" in listed
    write_facts(cgo=cgo, loose=loose)


def flags(more):
    return " ".join(filter(None, [os.environ.get("GOFLAGS", ""), more]))


def listing(place, more):
    words = ["go", "list", "-deps", "-test", "-f", LISTING, "./..."]
    done = subprocess.run(
        words, cwd=place, stdout=subprocess.PIPE, env=dict(os.environ, GOFLAGS=flags(more)), check=False
    )
    return done.stdout.decode() if done.returncode == 0 else None


def required(place):
    told = json.loads(ask(["go", "mod", "edit", "-json"], place))
    return [one["Path"] for one in told.get("Require") or []]


def keep_files(place):
    kept = {}
    for name in ("go.mod", "go.sum"):
        path = os.path.join(place, name)
        kept[path] = None
        if os.path.exists(path):
            with open(path, "rb") as file:
                kept[path] = file.read()
    return kept


def restore_files(kept):
    for path, content in kept.items():
        if content is not None:
            with open(path, "wb") as file:
                file.write(content)
        elif os.path.exists(path):
            os.unlink(path)


# ---- compile ---------------------------------------------------------------------------------------------------------
def compile_(vet, *folders):
    """Fill the build cache: each package alone, then every test program, with `true` started in place of each.

    What does not compile here does not compile in the base run either, which is where it counts.
    """
    facts = read_facts()
    for folder in folders:
        place = os.path.join(TREE, folder)
        kept = keep_files(place)
        more = "-mod=mod" if folder in facts["loose"] else ""
        variables = dict(os.environ, GOFLAGS=flags(more), CGO_ENABLED="1" if facts["cgo"] else "0", GOPROXY="off")
        plain = ["go", "list", "-e", "-export", "./..."]
        subprocess.run(plain, cwd=place, stdout=subprocess.DEVNULL, env=variables, check=False)
        words = ["go", "test", "-exec", "true", "-run", "^$", *(["-vet=" + vet] if vet else []), "./..."]
        done = subprocess.run(words, cwd=place, stdout=sys.stderr, env=variables, check=False)
        print("go test in %s ended with %d" % (folder, done.returncode), file=sys.stderr)
        restore_files(kept)


def seed_of(facts):
    version = facts["toolchain"].split()[1]
    return "%s/build-%s" % (CACHE, version)


# ---- lock and cache --------------------------------------------------------------------------------------------------
def lock():
    """A line for each module whose content is here, with its hash, and one for the toolchain."""
    lines = {read_facts()["toolchain"]}
    for folder, _, files in os.walk(DOWNLOADED):
        for name in files:
            if name.endswith(".ziphash"):
                with open(os.path.join(folder, name)) as file:
                    sum_ = file.read().strip()
                module = unescape(os.path.relpath(os.path.dirname(folder), DOWNLOADED))
                lines.add("%s %s %s" % (module, unescape(name[: -len(".ziphash")]), sum_))
    with open("/redgreen/box/lock.txt", "w") as file:
        file.write("".join(line + "\n" for line in sorted(lines)))


def unescape(name):
    """Capital letters are written as `!` and the small one, for file systems that know no difference."""
    return re.sub("!([a-z])", lambda found: found[1].upper(), name)


def keep():
    """Give the cache what was downloaded, and the compiled packages of the first install with this Go.

    Installs of one repository may be at work in the cache together: everything appears there whole, by a rename. The
    zips are then of no use in the box.
    """
    for folder, _, files in os.walk(DOWNLOADED):
        for name in files:
            if not name.endswith((".info", ".mod", ".zip")):
                continue
            place = os.path.join(folder, name)
            target = os.path.join(CACHE, "download", os.path.relpath(place, DOWNLOADED))
            if not os.path.exists(target):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                handle, made = tempfile.mkstemp(dir=CACHE, prefix=".keep-")
                os.close(handle)
                shutil.copyfile(place, made)
                os.replace(made, target)
            if name.endswith(".zip"):
                os.unlink(place)
    seed = seed_of(read_facts())
    if os.path.isdir(BUILT) and not os.path.isdir(seed):
        made = tempfile.mkdtemp(dir=CACHE, prefix=".keep-")
        shutil.copytree(BUILT, made, dirs_exist_ok=True)
        try:
            os.rename(made, seed)
        except OSError:  # another install was first
            shutil.rmtree(made)


def read_facts():
    if not os.path.exists(FACTS):
        return {}
    with open(FACTS) as file:
        return json.load(file)


def write_facts(**told):
    facts = dict(read_facts(), **told)
    with open(FACTS, "w") as file:
        json.dump(facts, file, sort_keys=True)


def main():
    verb, words = sys.argv[1], sys.argv[2:]
    os.makedirs(ENV + "/tmp", exist_ok=True)
    if verb == "toolchain":
        toolchain(words[0])
    else:
        {"modules": lambda: modules(words), "compile": lambda: compile_(*words), "lock": lock, "keep": keep}[verb]()


main()
