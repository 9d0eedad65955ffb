"""Starts one test program built on Rust's libtest and reads its JSON: what ran, how it ended, and whether it said so.

A test is believed only in libtest's own order: it starts, it ends, nothing else between, and the last word counts what
was seen. A test during which the program dies (an abort, an overflow, an exit) or hangs has failed; the tests behind it
get a program of their own.
"""

import json
import os
import select
import signal
import subprocess
import time

SWITCHES = ["-Z", "unstable-options", "--format", "json"]
OUTCOMES = {"ok": "passed", "failed": "failed", "ignored": "skipped"}
LIST_TIMEOUT_S = 120
MAX_LINE = 64 << 20


def lines_of(command, folder, variables, silence_s):
    """Each line that a program writes, then its exit status, or None if it was silent for too long and was ended.

    Its children may keep its output open: the end of the program is the end.
    """
    child = subprocess.Popen(
        command,
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    buffered = b""
    heard = time.monotonic()
    status = None
    gone = False
    try:
        while time.monotonic() - heard <= silence_s:
            ready, _, _ = select.select([child.stdout], [], [], 0.05)
            block = os.read(child.stdout.fileno(), 1 << 16) if ready else b""
            if block:
                *whole, buffered = (buffered + block).split(b"\n")
                buffered = buffered[-MAX_LINE:]
                for line in whole:
                    heard = time.monotonic()
                    yield line
            elif ready or gone:
                status = ended(child, heard + silence_s - time.monotonic())
                break
            gone = child.poll() is not None  # what it wrote at last is read first
    finally:
        end(child)
    if buffered:
        yield buffered
    yield status


def ended(child, seconds):
    """The status of a program that has closed its output."""
    try:
        return child.wait(timeout=max(seconds, 1))
    except subprocess.TimeoutExpired:
        return None


def end(child):
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except OSError:
        pass
    child.wait()
    child.stdout.close()


def read(line):
    """The message of libtest in a line; what a test wrote past libtest may stand before it."""
    start = line.rfind(b'{ "type": "')
    if start < 0:
        return {}
    try:
        message = json.loads(line[start:].decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


class Program:
    """`folder` and `variables` are how cargo would start it."""

    def __init__(self, executable, folder, variables, silence_s):
        self.executable = executable
        self.folder = folder
        self.own_variables = variables
        # for this program's own switches: libtest's JSON is not stable
        self.variables = dict(variables, RUSTC_BOOTSTRAP="1")
        self.silence_s = silence_s

    def list(self):
        """{test: its source file as the compiler was given it}, in the order of running; None if it cannot tell."""
        names = {}
        whole = False
        *lines, status = lines_of([self.executable, "--list", *SWITCHES], self.folder, self.variables, LIST_TIMEOUT_S)
        for line in lines:
            message = read(line)
            if message.get("type") in ("test", "bench") and message.get("event") == "discovered":
                names[message.get("name")] = message.get("source_path") or ""
            whole |= message.get("type") == "suite" and message.get("event") == "completed"
        return names if status == 0 and whole else None

    def status(self, timeout_s):
        """Of a program with a main function of its own: nothing else can be known of it. None if it hangs."""
        *_, status = lines_of([self.executable], self.folder, self.own_variables, timeout_s)
        return status

    def run(self, names, tell, everything=False):
        """Run tests one after the other and `tell(name, outcome)` of each. True if every report agreed with itself.

        `everything`: the names are all that there are, and need not be said.
        """
        pending = list(names)
        agreed = True
        while pending:
            run = Run(self, pending, [] if everything and len(pending) == len(names) else ["--exact", *pending], tell)
            agreed &= run.agreed
            pending = pending[run.done :]
        return agreed


class Run:
    """One start of a program. `done`: how many of the tests that were asked for have been told of."""

    def __init__(self, program, asked, words, tell):
        self.asked = asked
        self.told = []
        self.counts = dict.fromkeys(OUTCOMES.values(), 0)
        self.running = None
        self.summary = None
        self.disorder = False
        self.tell = tell
        command = [program.executable, *words, *SWITCHES, "--test-threads=1"]
        for item in lines_of(command, program.folder, program.variables, program.silence_s):
            if isinstance(item, bytes):
                self.take(read(item))
            else:
                self.close(item)
        self.done = len(self.told)

    def take(self, message):
        kind, event, name = message.get("type"), message.get("event"), message.get("name")
        if kind == "test" and event == "started":
            self.disorder |= self.running is not None or self.summary is not None or name != self.next()
            if name == self.next():
                self.running = name
        elif kind == "test" and event in OUTCOMES:
            if self.summary is not None or name is None or name != self.running:
                self.disorder = True
                return
            self.result(OUTCOMES[event])
        elif kind == "suite" and event in ("ok", "failed"):
            self.disorder |= self.summary is not None
            self.summary = message

    def next(self):
        return self.asked[len(self.told)] if len(self.told) < len(self.asked) else None

    def result(self, outcome):
        self.counts[outcome] += 1
        self.told.append(self.next())
        self.running = None
        self.tell(self.told[-1], outcome)

    def close(self, status):
        """`status` is None after a hang. A program that ends too early is charged to the test that it was at.

        Ended between two tests, it ended by a test that had been said to be over: libtest does not say so.
        """
        if len(self.told) < len(self.asked):
            self.agreed = not self.disorder and self.summary is None and self.running is not None
            self.result("failed")
            return
        summary = self.summary or {}
        said = {"passed": summary.get("passed"), "failed": summary.get("failed"), "skipped": summary.get("ignored")}
        right = status == (101 if self.counts["failed"] else 0) and summary.get("event") == (
            "failed" if self.counts["failed"] else "ok"
        )
        self.agreed = not self.disorder and said == self.counts and right
