"""Keeps Surefire's reports as they were when each was written, and tells whether anybody else touched what we read.

The tests run as our user, so what lies in the folder at the end may be theirs. The kernel tells of every file there
that was closed after writing, so a report that somebody writes over is seen twice; what the first one said stands.
Nothing here rests on a name that is hard to guess.
"""

import ctypes
import os
import select
import struct
import threading

import surefire_reports

MODIFY, OPEN, CLOSE_WRITE, MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x2, 0x20, 0x8, 0x40, 0x80, 0x100, 0x200
OVERFLOW, FOLDER = 0x4000, 0x40000000
HEAD = struct.Struct("iIII")
EVENTS = "events"
REPORTS = MODIFY | OPEN | CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE
"""The kernel tells but once of two events in a row that are alike, so it is asked for what lies between two endings."""


class Watch(object):
    """Of a folder in which `events` and folders below `reports` appear, from now until `end`."""

    def __init__(self, folder):
        self.folder = folder
        self.faults = []
        self.opened = self.written = 0
        self.reports = {}  # folder -> name -> what was in it each time that it was written; None: nobody has seen that
        self.unfinished = set()  # reports that were changed since they were last read
        self.watched = {}
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.queue = self.libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        if self.queue < 0:
            raise OSError(ctypes.get_errno(), "inotify")
        self.ear, self.mouth = os.pipe()
        self.add(folder, OPEN | CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE)
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def add(self, folder, mask=REPORTS):
        number = self.libc.inotify_add_watch(self.queue, os.fsencode(folder), mask)
        if number < 0:
            self.faults.append("%s is gone" % os.path.basename(folder))
            return
        self.watched[number] = folder
        if folder != self.folder:  # what was there before we looked
            for name in os.listdir(folder):
                if self.holds_reports(folder, name) and os.path.isdir(os.path.join(folder, name)):
                    self.add(os.path.join(folder, name))
                elif is_report(name):
                    self.faults.append("%s was there already" % name)

    def holds_reports(self, folder, name):
        return name == "reports" if folder == self.folder else name.isdigit()

    def listen(self):
        try:
            while self.ear not in select.select([self.queue, self.ear], [], [])[0]:
                self.hear()
        except OSError as fault:
            self.faults.append("nobody could watch: %s" % fault)

    def hear(self):
        """Everything that the kernel has to tell by now."""
        while True:
            try:
                told = os.read(self.queue, 1 << 16)
            except BlockingIOError:
                return
            while told:
                number, mask, _, length = HEAD.unpack_from(told)
                name = os.fsdecode(told[HEAD.size : HEAD.size + length].rstrip(b"\0"))
                told = told[HEAD.size + length :]
                self.one(self.watched.get(number), mask, name)

    def one(self, folder, mask, name):
        if mask & OVERFLOW:
            self.faults.append("too much was written to follow")
        elif folder is None or not name:
            pass
        elif mask & FOLDER:
            if not self.holds_reports(folder, name):  # such as Surefire's own, for its settings
                pass
            elif mask & CREATE:
                self.add(os.path.join(folder, name))
            elif mask & (MOVED_FROM | MOVED_TO | DELETE):
                self.faults.append("the folder %s was moved or deleted" % name)
        elif folder == self.folder:
            if name == EVENTS:
                self.opened += bool(mask & OPEN)
                self.written += bool(mask & CLOSE_WRITE)
                if mask & (MOVED_FROM | MOVED_TO | DELETE):
                    self.faults.append("the events were moved or deleted")
        elif is_report(name):
            if mask & MODIFY:
                self.unfinished.add((folder, name))
            if mask & (CLOSE_WRITE | MOVED_TO):
                self.unfinished.discard((folder, name))
                self.keep(folder, name)

    def keep(self, folder, name):
        """What we know already is there a second time: what we were told of was written over before we came."""
        versions = self.reports.setdefault(folder, {}).setdefault(name, [])
        try:
            with open(os.path.join(folder, name), "rb") as file:
                content = file.read()
        except OSError:
            content = None
        versions.append(None if content in versions else content)

    def end(self):
        """To be called when `events` has been read, once."""
        os.write(self.mouth, b".")
        self.thread.join()
        self.hear()
        for number in (self.queue, self.ear, self.mouth):
            os.close(number)
        if self.unfinished:
            self.faults.append("somebody still writes %s" % min(self.unfinished)[1])
        if self.opened > 2 or self.written > 1:  # Maven and we
            self.faults.append("somebody else opened the events")

    def written_to(self, folder):
        """Name -> contents of each report of a folder.

        Raises:
            Refused: somebody else wrote there too.
        """
        if self.faults:
            raise surefire_reports.Refused(self.faults[0])
        return self.reports.get(os.path.normpath(folder), {})


def is_report(name):
    return name.startswith("TEST-") and name.endswith(".xml")
