"""The human fix: must be fixed on every task, or the task or the harness is wrong."""

from __future__ import annotations

from redgreen.agent import Assignment, Work


class Oracle:
    needs_workspace = False
    needs_gold = True
    needs_model = False
    trusted = True

    def attempt(self, assignment: Assignment) -> Work:
        return Work(assignment.gold_patch)
