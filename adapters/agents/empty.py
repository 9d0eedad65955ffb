"""Does nothing: must be fixed on no task, or the task's tests prove nothing."""

from __future__ import annotations

from redgreen.agent import Assignment, Work


class Empty:
    needs_workspace = False
    needs_gold = False
    needs_model = False
    trusted = True

    def attempt(self, assignment: Assignment) -> Work:
        return Work(b"")
