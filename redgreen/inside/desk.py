"""Runs inside the sandbox for as long as an agent works: starts the commands that the host asks for, one after another.

usage: desk.py <socket> <tree>

Asked on the socket, a JSON object a line: {"argv", "stdin", "timeout_s", "keep_bytes"}; answers one: {"status",
"output", "dropped", "ended", "seconds"}, bytes as base64. Of an output that is too long the middle is dropped. What a
command leaves in the background goes on until the attempt ends. Written for every Python from 3.6 on, with the standard
library alone.
"""

import base64
import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

BLOCK = 1 << 16
PR_SET_DUMPABLE = 4


class Kept:
    """The first and the last bytes of an output, half of `limit` each."""

    def __init__(self, limit):
        self.half = max(1, limit // 2)
        self.head = b""
        self.tail = b""
        self.dropped = 0

    def add(self, block):
        room = self.half - len(self.head)
        self.head += block[:room]
        self.tail += block[room:] if room > 0 else block
        over = len(self.tail) - self.half
        if over > 0:
            self.dropped += over
            self.tail = self.tail[over:]

    def text(self):
        middle = b"\n[%d bytes left out]\n" % self.dropped if self.dropped else b""
        return self.head + middle + self.tail


def collect(reading, child, kept, deadline):
    """Until the command has ended and what it wrote is read; a process that it left behind may hold the pipe.

    False: too late.
    """
    while True:
        ready, _, _ = select.select([reading], [], [], 0.02 if child.poll() is None else 0)
        if ready:
            block = os.read(reading, BLOCK)
            if not block:
                break
            kept.add(block)
        elif child.poll() is not None:
            return True
        if time.monotonic() > deadline:
            return False
    while child.poll() is None and time.monotonic() < deadline:  # it closed its output and works on
        time.sleep(0.005)
    return child.poll() is not None


def end(child):
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except OSError:
        pass
    child.wait()


def perform(asked):
    began = time.monotonic()
    kept = Kept(asked["keep_bytes"])
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as given:
        given.write(base64.b64decode(asked["stdin"]))
        given.seek(0)
        try:
            child = subprocess.Popen(
                asked["argv"], stdin=given, stdout=writing, stderr=writing, start_new_session=True, close_fds=True
            )
        except OSError as error:
            os.close(writing)
            os.close(reading)
            kept.add(("%s: %s\n" % (asked["argv"][0], error.strerror)).encode())
            return answer(127, kept, "exited", began)
    os.close(writing)
    in_time = collect(reading, child, kept, began + asked["timeout_s"])
    if not in_time:
        end(child)
    os.close(reading)
    status = child.wait()
    return answer(status if status >= 0 else 128 - status, kept, "exited" if in_time else "timeout", began)


def answer(status, kept, ended, began):
    return {
        "status": status,
        "output": base64.b64encode(kept.text()).decode(),
        "dropped": kept.dropped,
        "ended": ended,
        "seconds": time.monotonic() - began,
    }


def keep_others_out():
    """Another process of the same user could else read our memory and take our socket."""
    try:
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    except (OSError, AttributeError):
        pass


def main():
    keep_others_out()
    address, tree = sys.argv[1:3]
    os.chdir(tree)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(address)
    os.set_inheritable(connection.fileno(), False)
    with connection.makefile("rwb") as lines:
        for line in lines:
            lines.write(json.dumps(perform(json.loads(line.decode()))).encode() + b"\n")
            lines.flush()


main()
