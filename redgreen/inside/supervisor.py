"""Runs inside the sandbox, outside the test process: prepares the tree, starts the tests, owns the report.

usage: supervisor.py <socket> <tree> <delta folder or -> -- <command ...>

The report goes to a socket on which the host accepts one connection, ours, before any code of the task starts; the
tests write their events to a pipe whose number they are given, and nothing that they print or leave in a file is read.
Written for every Python from 3.6 on, with the standard library alone: it may have to run under an old interpreter.
"""

import ctypes
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys

PR_SET_DUMPABLE = 4
PIPE_BYTES = 1 << 20


def lay_delta(delta, tree):
    """Delete what goes, then lay the new files over the tree. Names are bytes: they need not be UTF-8."""
    delta, tree = os.fsencode(delta), os.fsencode(tree)
    with open(os.path.join(delta, b"deleted"), "rb") as file:
        gone = [name for name in file.read().split(b"\0") if name]
    for name in gone:
        remove(os.path.join(tree, name))
    source = os.path.join(delta, b"files")
    for folder, folders, files in os.walk(source):
        inner = os.path.relpath(folder, source)
        target = tree if inner == b"." else os.path.join(tree, inner)
        make_folder(target, tree)
        for name in files + [name for name in folders if os.path.islink(os.path.join(folder, name))]:
            place = os.path.join(target, name)
            remove(place)
            shutil.copy2(os.path.join(folder, name), place, follow_symlinks=False)
    prune(gone, tree)


def make_folder(target, tree):
    """Make the folders on the way; a file or link that stood there gives way."""
    way = tree
    for part in os.path.relpath(target, tree).split(b"/"):
        if part == b".":
            continue
        way = os.path.join(way, part)
        if os.path.islink(way) or (os.path.exists(way) and not os.path.isdir(way)):
            os.unlink(way)
        if not os.path.isdir(way):
            os.mkdir(way)


def remove(place):
    if os.path.isdir(place) and not os.path.islink(place):
        shutil.rmtree(place, ignore_errors=True)
    elif os.path.lexists(place):
        os.unlink(place)


def prune(gone, tree):
    """Folders that only held what was deleted go too, as in a fresh checkout."""
    for name in gone:
        folder = os.path.dirname(name)
        while folder:
            try:
                os.rmdir(os.path.join(tree, folder))
            except OSError:
                break
            folder = os.path.dirname(folder)


def keep_others_out():
    """Another process of the same user could else read our memory and open our descriptors under /proc."""
    try:
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    except (OSError, AttributeError):
        pass


def supervise(command, connection):
    """Start the command with a pipe for its events, pass them on, and say how it ended."""
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    variables = dict(os.environ, REDGREEN_EVENTS=str(writing))
    try:
        child = subprocess.Popen(command, env=variables, close_fds=False, stdin=subprocess.DEVNULL)
    except OSError as error:
        sys.stderr.write("%s: %s\n" % (command[0], error.strerror))
        return 127
    os.close(writing)
    pass_on(reading, child, connection)
    return child.wait()


def pass_on(reading, child, connection):
    """Until the pipe closes, or the command is gone and what it left in the pipe is read: its orphans may hold that."""
    left = None
    while left is None or left > 0:
        ready, _, _ = select.select([reading], [], [], 0.1 if left is None else 0)
        if not ready:
            if left is not None:
                return
            # its last words may have come since we looked: once more, for as much as a pipe can hold
            left = PIPE_BYTES if child.poll() is not None else None
            continue
        block = os.read(reading, 1 << 16)
        if not block:
            return
        connection.sendall(block)
        left = None if left is None else left - len(block)


def main():
    address, tree, delta = sys.argv[1:4]
    command = sys.argv[5:]
    keep_others_out()
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(address)
    os.set_inheritable(connection.fileno(), False)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if delta != "-":
        lay_delta(delta, tree)
    os.chdir(tree)
    status = supervise(command, connection)
    # a line of its own, whatever half a line the tests left behind
    connection.sendall(("\n" + json.dumps({"event": "exit", "status": status}) + "\n").encode())
    connection.close()


main()
