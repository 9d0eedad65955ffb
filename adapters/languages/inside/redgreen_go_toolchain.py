"""A Go as a module: what hash it has, and what makes it one that runs. For redgreen_go_install.py."""

import base64
import hashlib
import os
import shutil
import subprocess
import sys

MODULE = "golang.org/toolchain"
MARK = "redgreen-toolchain"
"""A file of an image's Go that names the module which it was unpacked from, whole."""


def fail(said):
    sys.exit("error: " + said)


def ask(words, folder, **variables):
    """What a command prints, or its failure."""
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, env=dict(os.environ, **variables), check=False)
    if done.returncode:
        sys.stderr.write(done.stdout.decode())
        fail("%s: ended with %d" % (" ".join(words[:3]), done.returncode))
    return done.stdout.decode()


def set_up(root):
    """What the go command does to a toolchain that it takes: a module's files cannot be executed, and its src/go.mod
    has another name. It would leave out both if it were of that version itself."""
    for folder in (root + "/bin", root + "/pkg/tool"):
        for place, _, files in os.walk(folder):
            for name in files:
                os.chmod(os.path.join(place, name), 0o755)
    if not os.path.exists(root + "/src/go.mod"):
        shutil.copyfile(root + "/src/_go.mod", root + "/src/go.mod")


def platform(folder):
    return ask(["go", "env", "GOOS", "GOARCH"], folder, GOTOOLCHAIN="local").strip().replace("\n", "-")


def image_toolchain(version, folder):
    """The image's Go and its hash, if it is that of the module asked for."""
    root = ask(["go", "env", "GOROOT"], folder, GOTOOLCHAIN="local").strip()
    mark = os.path.join(root, MARK)
    if not os.path.isfile(mark):
        return None, None
    with open(mark) as file:
        module = file.read().strip()
    if not module.startswith("v0.0.1-go" + version + "."):
        return None, None
    return root, tree_hash(root, MODULE + "@" + module)


def tree_hash(root, name):
    """`h1:`, as the go command hashes a module's zip (golang.org/x/mod/sumdb/dirhash.Hash1)."""
    added = {MARK, "src/go.mod"}
    lines = []
    for folder, _, files in os.walk(root):
        for file in files:
            place = os.path.join(folder, file)
            inner = os.path.relpath(place, root)
            if inner not in added:
                with open(place, "rb") as stream:
                    digest = hashlib.sha256(stream.read()).hexdigest()
                lines.append((name + "/" + inner, "%s  %s/%s\n" % (digest, name, inner)))
    whole = hashlib.sha256("".join(line for _, line in sorted(lines)).encode()).digest()
    return "h1:" + base64.b64encode(whole).decode()
