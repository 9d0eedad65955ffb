"""Ends what a build or a test program left running: it could change what is tested next. Only our own descendants."""

import ctypes
import os
import signal
import time

PR_SET_CHILD_SUBREAPER = 36


def adopt():
    """From now on a process whose parent has gone is our child."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass


def parents():
    """{process: its parent} of all that live."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name, "rb") as file:
                    state, parent = file.read().rpartition(b")")[2].split()[:2]
            except (OSError, ValueError):
                continue
            if state != b"Z":
                found[int(name)] = int(parent)
    return found


def descendants():
    known = parents()
    ours = {os.getpid()}
    while True:
        more = {process for process, parent in known.items() if parent in ours} - ours
        if not more:
            return ours - {os.getpid()}
        ours |= more


def end(patience_s=10):
    """End them, and those that they start meanwhile. Call it while no program of ours is meant to run."""
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        left = descendants()
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except OSError:
            pass
        if not left:
            return
        time.sleep(0.01)
