"""Installs what a Maven project builds and tests with into the box, and proves it by a test of ours.

usage: redgreen_maven_install.py maven JSON         the distribution into env/maven
       redgreen_maven_install.py dependencies JSON  all else into env/m2; writes lock.txt and facts.json

JSON: {"root", "maven": version, "sha256": of its archive or "", "upstream": address or "", "as_of", "locked": bool,
"java_home", "words", "removed"}. The build happens in a copy of the tree: nothing that it makes is in the way later.
"""

import hashlib
import json
import os
import shutil
import sys
import xml.sax.saxutils
import zipfile

import java_canary
import maven_lock
import maven_registry
import maven_start
import registry_client
import surefire_reports

CACHE = "/redgreen/cache"
LOCK = maven_start.BOX + "/lock.txt"
SETTINGS = """<settings>
  <localRepository>%s</localRepository>
  <mirrors><mirror><id>redgreen</id><mirrorOf>*</mirrorOf><url>%s</url></mirror></mirrors>
</settings>
"""


def distribution(version):
    return "org/apache/maven/apache-maven/%s/apache-maven-%s-bin.zip" % (version, version)


def registry(wish):
    lock = None
    if wish["locked"]:
        with open(LOCK, encoding="utf-8") as file:
            lock = maven_lock.paths(file.read())
    return maven_registry.Registry(CACHE, wish["upstream"] or None, wish["as_of"], lock)


def maven(wish):
    content = registry(wish).get(distribution(wish["maven"]))
    if content is None:
        fail("Maven %s is not to be had" % wish["maven"])
    if wish["sha256"] and hashlib.sha256(content).hexdigest() != wish["sha256"]:
        fail("Maven %s is not the archive that is asked for" % wish["maven"])
    place = maven_start.BOX + "/env/maven.zip"
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "wb") as file:
        file.write(content)
    with zipfile.ZipFile(place) as archive:
        archive.extractall(maven_start.BOX + "/env")
    os.unlink(place)
    os.rename(maven_start.BOX + "/env/apache-maven-%s" % wish["maven"], maven_start.MAVEN)
    os.chmod(maven_start.MAVEN + "/bin/mvn", 0o755)


def dependencies(wish):
    known = registry(wish)
    with open(maven_start.SETTINGS, "w") as file:
        file.write(SETTINGS % (maven_start.REPOSITORY, xml.sax.saxutils.escape(maven_registry.serve(known))))
    work = maven_start.BOX + "/work"
    shutil.copytree(maven_start.TREE, work, symlinks=True)
    root = os.path.normpath(os.path.join(work, wish["root"]))
    canaries = [os.path.basename(path) for path in place_canaries(root)]
    order = {"tested": "*", "only": "Redgreen*Test", "include": "**/Redgreen*Test.java", "seed": "0"}
    ended = maven_start.start(root, dict(order, removed=wish["removed"]), [*wish["words"], "test"], wish["java_home"])
    if known.faults:
        fail(known.faults[0])
    sys.stderr.write("redgreen-step proof\n")
    facts = judged(ended, canaries, work)
    ended.forget()
    shutil.rmtree(work)
    write_lock(wish)
    with open(maven_start.BOX + "/facts.json", "w") as file:
        json.dump(facts, file)


def place_canaries(root):
    """A pair in every folder that has a pom and tests."""
    poms = {parent for parent, _, files in os.walk(root) if "pom.xml" in files}
    return [path for path in (java_canary.place(java_canary.neighbours(pom, poms)) for pom in sorted(poms)) if path]


def judged(ended, canaries, work):
    """Which modules there are, and which of them cannot be built here.

    A module that cannot is no fault of the others: nothing can be proven in it, and the gate says so.
    """
    unbuilt = maven_start.failures(ended)
    if not ended.of("end") or ended.status != 0:
        fail("Maven could not read the project")
    holds = 0
    for event in ended.of("tests"):
        try:
            cases = surefire_reports.read_all(ended.watch.written_to(event["reports"]), work, maven_start.roots(event))
        except surefire_reports.Refused as fault:
            fail("%s: %s" % (event["module"], fault))
        holds += sum(case.outcome == "passed" and case.id.endswith("redgreen_holds") for case in cases)
    if not holds:
        for module, why in sorted(unbuilt.items()):
            fail("module %s: %s" % (module, why))
        fail("no test of ours was run by Surefire" if canaries else "there is no test in a style that is known")
    return {"modules": list(maven_start.modules_of(ended)), "unbuilt": sorted(unbuilt)}


def write_lock(wish):
    maven_lock.tidy(maven_start.REPOSITORY)
    made = maven_lock.lines(maven_start.REPOSITORY)
    with open(os.path.join(CACHE, "files", distribution(wish["maven"])), "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    made.append("org.apache.maven:apache-maven:zip:bin:%s sha256:%s" % (wish["maven"], digest))
    text = "".join(line + "\n" for line in sorted(made))
    if wish["locked"]:
        compare(text)
    with open(LOCK, "w", encoding="utf-8") as file:
        file.write(text)


def compare(text):
    with open(LOCK, encoding="utf-8") as file:
        asked = set(file.read().splitlines())
    got = set(text.splitlines())
    if asked != got:
        differs = sorted(asked ^ got)[0]
        fail("what was installed is not what the lock asks for: %s" % differs.split(" ")[0])


def fail(why):
    sys.stderr.write("error: %s\n" % why)
    sys.exit(1)


if __name__ == "__main__":
    try:
        {"maven": maven, "dependencies": dependencies}[sys.argv[1]](json.loads(sys.argv[2]))
    except (maven_lock.Refused, registry_client.Unreachable) as refused:
        fail(str(refused))
