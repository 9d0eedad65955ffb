"""Asks one registry by HTTPS, through the proxy that the sandbox offers, over connections that are kept."""

import http.client
import os
import queue
import ssl
import time
import urllib.parse

TRIES = 4
TIMEOUT_S = 60
GONE = (401, 403, 404, 410)


class Unreachable(Exception):  # noqa: N818
    """The registry did not answer."""


class Client(object):
    """`address` is that of the registry, with a slash at its end. May be used from several threads."""

    def __init__(self, address):
        parts = urllib.parse.urlsplit(address)
        self.host, self.port, self.base = parts.hostname, parts.port or 443, parts.path
        self.idle = queue.LifoQueue()
        self.trust = ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE"))

    def ask(self, path, method="GET"):
        """(content, headers by lower-case name), or None if there is none.

        Raises:
            Unreachable.
        """
        fault = ""
        for number in range(TRIES):
            if number:
                time.sleep(number)
            try:
                connection = self.connection()
                connection.request(method, self.base + path, headers={"User-Agent": "redgreen"})
                answer = connection.getresponse()
                content = answer.read()
            except (OSError, http.client.HTTPException) as error:
                fault = str(error) or type(error).__name__
                continue
            self.idle.put(connection)
            if answer.status == 200:
                return content, {name.lower(): value for name, value in answer.getheaders()}
            if answer.status in GONE:
                return None
            fault = "HTTP status server error %d" % answer.status
        raise Unreachable("502 Bad Gateway: %s" % fault)

    def connection(self):
        try:
            return self.idle.get_nowait()
        except queue.Empty:
            pass
        proxy = urllib.parse.urlsplit(os.environ.get("HTTPS_PROXY", ""))
        if not proxy.hostname:
            return http.client.HTTPSConnection(self.host, self.port, timeout=TIMEOUT_S, context=self.trust)
        made = http.client.HTTPSConnection(proxy.hostname, proxy.port, timeout=TIMEOUT_S, context=self.trust)
        made.set_tunnel(self.host, self.port)
        return made
