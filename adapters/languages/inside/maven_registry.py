"""A Maven repository on the loopback: it serves from the cache, fetches what is missing, and knows what day it is.

Maven resolves against it alone, so its local repository holds exactly what the build asked for. `maven-metadata.xml`
(what ranges and plug-ins without a version are resolved by) lists only what was there on the day of the fix, by the
dates that the registry gives, or else the archives themselves. Where a lock is given, nothing else is served.
"""

import email.utils
import hashlib
import http.server
import io
import os
import re
import tempfile
import threading
import xml.etree.ElementTree as ElementTree
import zipfile

import registry_client

PATH = re.compile(r"/((?:[A-Za-z0-9_+~-][A-Za-z0-9._+~-]*/)+[A-Za-z0-9_+~-][A-Za-z0-9._+~-]*)\Z")
PREVIEW = re.compile(r"alpha|beta|snapshot|preview|ea|[-.](?:rc|cr|m|b)-?\d", re.I)
METADATA = "maven-metadata.xml"


class Registry(object):
    """`upstream` is None offline. `lock` maps paths to sha256, or is None where everything may be asked for."""

    def __init__(self, cache, upstream, as_of, lock):
        self.cache = cache
        self.client = registry_client.Client(upstream) if upstream else None
        self.as_of = as_of
        self.lock = lock
        self.faults = []

    def get(self, path):
        """The content, or None if there is none.

        Raises:
            Unreachable.
        """
        if path.endswith(".sha1"):
            content = self.get(path[: -len(".sha1")])
            return content and hashlib.sha1(content).hexdigest().encode()
        if path.rpartition("/")[2] == METADATA:
            return self.metadata(path)
        if self.lock is not None and path not in self.lock:
            return None
        content = self.file(path)
        if content is not None and self.lock is not None and hashlib.sha256(content).hexdigest() != self.lock[path]:
            return None
        return content

    def file(self, path):
        kept = os.path.join(self.cache, "files", path)
        if os.path.isfile(kept):
            with open(kept, "rb") as file:
                return file.read()
        found = self.fetch(path)
        if found is None:
            return None
        content, headers = found
        told = headers.get("x-checksum-sha1")
        if told and told.lower() != hashlib.sha1(content).hexdigest():
            raise registry_client.Unreachable("502 Bad Gateway: %s arrived damaged" % path)
        keep(kept, content)
        return content

    def fetch(self, path, method="GET"):
        """(content, headers), or None if there is none."""
        return self.client.ask(path, method) if self.client else None

    # ---- what there was on a day -------------------------------------------------------------------------------------

    def metadata(self, path):
        group, _, artifact = os.path.dirname(path).rpartition("/")
        if self.lock is not None:
            start = "%s/%s/" % (group, artifact)
            return listing(
                group, artifact, versions_below([name for name in self.lock if name.startswith(start)], start)
            )
        kept = os.path.join(self.cache, "as-of", self.as_of.replace(":", ""), path)
        if os.path.isfile(kept):
            with open(kept, "rb") as file:
                return file.read()
        found = self.fetch(path)
        if found is None:
            return None
        try:
            named = [one.text or "" for one in ElementTree.fromstring(found[0]).iter("version")]
        except ElementTree.ParseError:
            return None
        content = listing(group, artifact, self.known_then(group, artifact, named))
        if content is not None:
            keep(kept, content)
        return content

    def known_then(self, group, artifact, versions):
        """Those that were there on the day, in their order.

        Asked from the newest down; once one is old enough, all that are listed before it are taken to be so too.
        """
        late = set()
        for index in range(len(versions) - 1, -1, -1):
            day = self.published(group, artifact, versions[index])
            if day is not None and day <= self.as_of and not PREVIEW.search(versions[index]):
                break
            if day is None or day > self.as_of:
                late.add(versions[index])
        return [one for one in versions if one not in late]

    def published(self, group, artifact, version):
        """The day of a version as ISO 8601 in UTC: when the registry says that it arrived, else when it was built.

        None if nothing tells: such a version is not chosen.
        """
        base = "%s/%s/%s/%s-%s" % (group, artifact, version, artifact, version)
        kept = os.path.join(self.cache, "dates", base)
        if os.path.isfile(kept):
            with open(kept, encoding="ascii") as file:
                return file.read()
        answer = self.fetch(base + ".pom", "HEAD")
        if answer and answer[1].get("last-modified"):
            day = email.utils.parsedate_to_datetime(answer[1]["last-modified"]).strftime("%Y-%m-%dT%H:%M:%SZ")
        else:
            day = built(self.file(base + ".jar"))
        if day is not None:
            keep(kept, day.encode())
        return day


def built(jar):
    """The day of the newest file in an archive. One without a believable date has none."""
    if jar is None:
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(jar)) as archive:
            newest = max((entry.date_time for entry in archive.infolist()), default=(0,))
    except zipfile.BadZipFile:
        return None
    return "%04d-%02d-%02dT%02d:%02d:%02dZ" % newest if newest[0] >= 2002 else None


def versions_below(paths, start):
    """Versions of one artifact in the order of their first appearance among sorted paths."""
    return list(dict.fromkeys(path[len(start) :].split("/")[0] for path in sorted(paths)))


def listing(group, artifact, versions):
    """Metadata that names these versions; None if there is none. A release is rather no preview."""
    if not versions:
        return None
    release = [one for one in versions if not PREVIEW.search(one)] or versions
    items = "".join("<version>%s</version>" % version for version in versions)
    return (
        (
            "<metadata><groupId>%s</groupId><artifactId>%s</artifactId><versioning><latest>%s</latest><release>%s</release>"
            "<versions>%s</versions></versioning></metadata>\n"
        )
        .replace("%s", "{}")
        .format(group.replace("/", "."), artifact, versions[-1], release[-1], items)
        .encode()
    )


def keep(path, content):
    """Shown under its name only when it is whole: others install from the same cache."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    handle, made = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".redgreen-")
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    os.replace(made, path)


def serve(registry):
    """Serve on a port of the loopback until the program ends; returns the address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            found = PATH.match(self.path)
            try:
                content = registry.get(found.group(1)) if found else None
            except registry_client.Unreachable as fault:
                registry.faults.append(str(fault))
                self.answer(502, b"")
                return
            self.answer(404, b"") if content is None else self.answer(200, content)

        do_HEAD = do_GET  # noqa: N815

        def answer(self, status, content):
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            if content:
                self.send_header("X-Checksum-SHA1", hashlib.sha1(content).hexdigest())
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "http://127.0.0.1:%d/" % server.server_address[1]
