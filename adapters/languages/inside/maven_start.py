"""Starts Maven with our extension and reads what it tells. Shared by the install and by the runs of a suite.

What lies where in the box: `env/maven` the distribution, `env/extension` our compiled extension, `env/m2` the local
repository, `env/settings.xml`. All of it is made at install, and none of it lies in the tree.
"""

import json
import os
import shutil
import subprocess
import tempfile

import maven_watch

BOX = "/redgreen/box"
TREE = BOX + "/tree"
MAVEN = BOX + "/env/maven"
EXTENSION = BOX + "/env/extension"
SETTINGS = BOX + "/env/settings.xml"
REPOSITORY = BOX + "/env/m2"
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xss16m"
"""For Maven's own process, which lives for seconds; that of the tests is started as the project has it. The compiler
runs in it and calls itself: without room it ends by luck, by what has been compiled meanwhile."""

CASE_TIMEOUT_S = 120
MODULE_TIMEOUT_S = 900


class Ended(object):
    """`status` is Maven's own, `events` what the extension told, `watch` holds Surefire's reports."""

    def __init__(self, folder, status, events, watch):
        self.folder = folder
        self.status = status
        self.events = events
        self.watch = watch

    def of(self, kind):
        return [event for event in self.events if event["event"] == kind]

    def forget(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def start(root, order, words, java_home):
    """Run Maven in `root` (a folder with a pom) to its end. `order` is what RedgreenExtension.java describes."""
    folder = tempfile.mkdtemp(prefix="redgreen-")
    events = os.path.join(folder, "events")
    order = dict(order, root=root, events=events, reports=os.path.join(folder, "reports"))
    order.setdefault("case", str(CASE_TIMEOUT_S))
    order.setdefault("timeout", str(MODULE_TIMEOUT_S))
    path = os.path.join(folder, "order.properties")
    with open(path, "w", encoding="utf-8") as file:
        for name, value in sorted(order.items()):
            file.write("%s=%s\n" % (name, value.replace("\\", "\\\\")))
    variables = dict(
        os.environ,
        JAVA_HOME=java_home,
        MAVEN_SKIP_RC="1",
        MAVEN_OPTS="%s -Dmaven.ext.class.path=%s -Dredgreen.order=%s" % (QUICK_START, EXTENSION, path),
    )
    command = [MAVEN + "/bin/mvn", "-B", "-T", "1", "-s", SETTINGS, "-fn", "-Dstyle.color=never"]
    watch = maven_watch.Watch(folder)
    try:
        status = subprocess.call(command + words, cwd=root, env=variables, stdin=subprocess.DEVNULL)
        told = read(events)
    finally:
        watch.end()
    return Ended(folder, status, told, watch)


def read(path):
    """Whole lines only: Maven may have been ended in the middle of one."""
    try:
        with open(path, encoding="ascii") as file:
            text = file.read()
    except OSError:
        return []
    return [json.loads(line) for line in text.splitlines() if line.startswith("{") and line.endswith("}")]


def modules_of(ended):
    """Folder of each module of the reactor -> its test source folders, absolute, in the order in which it is built."""
    return {event["module"]: roots(event) for event in ended.of("project")}


def roots(event):
    return [root for root in event.get("roots", "").split(os.pathsep) if root]


def failures(ended):
    """Module -> what failed in it and is no test: a goal, a dependency that is not there, a module before it."""
    found = {}
    for event in ended.of("goal"):
        found.setdefault(event["module"], "%s: %s" % (event["goal"], event["why"].rpartition(" | ")[2]))
    tested = {event["module"] for event in ended.of("tests") if event["ended"] == "MojoFailed"}
    for event in ended.of("module"):
        if event["ended"] != "ProjectSucceeded" and event["module"] not in tested:
            found.setdefault(event["module"], event["why"].rpartition(" | ")[2] or event["ended"])
    return found
