"""Events of a test runner, written to the supervisor's pipe: one JSON object a line.

Shared by the pytest plugin, the unittest runner, and the programs that run other languages' tests and translate what
their runners report. Written for every Python from 2.7 on; no dependency.

{"event": "start"}                                  the runner is up
{"event": "collected", "ids": [...]}                what will run
{"event": "broken", "id": ...}                      a file or suite that could not be loaded
{"event": "phase", "id", "when", "outcome", "wasxfail"}
{"event": "canary", "ids": [...]}                   which ids are ours: `…holds` must pass, `…breaks` must fail
{"event": "finish", "status": n}                    the runner's own end
"""

import ctypes
import json
import os

PR_SET_DUMPABLE = 4
PIPE = int(os.environ.pop("REDGREEN_EVENTS", "-1"))


def send(**event):
    if PIPE < 0:
        return
    data = ("\n" + json.dumps(event, sort_keys=True) + "\n").encode("ascii")
    while data:
        data = data[os.write(PIPE, data) :]


def keep_others_out():
    """For a program that is not the test process itself: nobody else of our user may open our pipe under /proc."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    except (OSError, AttributeError):
        pass
