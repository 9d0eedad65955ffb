"""The lock of a Maven project: every file of the local repository, by its coordinates, with its hash.

org.junit.jupiter:junit-jupiter-api:jar:5.10.2 sha256:...
org.example:native:jar:linux-x86_64:1.0 sha256:...
org.example:parent:metadata sha256:...            which versions a range or a plug-in without one was chosen from
"""

import hashlib
import os
import re

import maven_registry

LEFTOVERS = re.compile(
    r"(_remote\.repositories|resolver-status\.properties|.*\.(lastUpdated|sha1|sha256|sha512|md5|lock))\Z"
)
METADATA_FILE = re.compile(r"maven-metadata-[\w.-]+\.xml\Z")
LINE = re.compile(r"([\w.+~-]+):([\w.+~-]+):([\w.+~-]+)(?::([\w.+~-]+))?(?::([\w.+~-]+))? sha256:([0-9a-f]{64})\Z")


class Refused(Exception):  # noqa: N818
    """A lock or a repository that is not as it has to be."""


def tidy(repository):
    """Delete what says where and when a file was fetched, and let metadata list what is here."""
    for parent, _, files in os.walk(repository):
        for name in files:
            path = os.path.join(parent, name)
            if LEFTOVERS.match(name):
                os.unlink(path)
            elif METADATA_FILE.match(name):
                group, _, artifact = os.path.relpath(parent, repository).rpartition("/")
                versions = sorted(one for one in os.listdir(parent) if os.path.isdir(os.path.join(parent, one)))
                content = maven_registry.listing(group, artifact, versions)
                if content is None:
                    os.unlink(path)
                else:
                    with open(path, "wb") as file:
                        file.write(content)


def lines(repository):
    """The lock of a tidy repository, sorted."""
    found = []
    for parent, _, files in os.walk(repository):
        for name in files:
            path = os.path.join(parent, name)
            with open(path, "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
            found.append("%s sha256:%s" % (coordinates(os.path.relpath(path, repository)), digest))
    return sorted(found)


def coordinates(path):
    """`org/example/a/1.0/a-1.0-linux.tar.gz` -> `org.example:a:tar.gz:linux:1.0`."""
    parts = path.split("/")
    name = parts[-1]
    if METADATA_FILE.match(name) and len(parts) >= 3:
        return "%s:%s:metadata" % (".".join(parts[:-2]), parts[-2])
    if len(parts) >= 4 and name.startswith("%s-%s" % (parts[-3], parts[-2])):
        rest = name[len(parts[-3]) + len(parts[-2]) + 1 :]
        found = re.match(r"(?:-([\w.+~-]+?))?\.(tar\.gz|[\w+~-]+)\Z", rest)
        if found:
            words = [".".join(parts[:-3]), parts[-3], found.group(2), found.group(1), parts[-2]]
            return ":".join(word for word in words if word)
    raise Refused("%s: no file that a lock can name" % path)


def paths(text):
    """Path in a repository -> sha256, without metadata: that follows from the rest.

    Raises:
        Refused: a line that is none of a lock.
    """
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = LINE.match(line)
        if not match:
            raise Refused("lock.txt, line %d: not `group:artifact:packaging[:classifier]:version sha256:...`" % number)
        group, artifact, packaging, one, other, digest = match.groups()
        if packaging == "metadata":
            continue
        version, classifier = (other, "-" + one) if other else (one, "")
        name = "%s-%s%s.%s" % (artifact, version, classifier, packaging)
        found["/".join([group.replace(".", "/"), artifact, str(version), name])] = digest
    return found
