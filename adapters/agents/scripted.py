"""A list of patches or shell commands by task id (or `*` for every task): stands in where no model is needed."""

from __future__ import annotations

from redgreen.agent import Assignment, Work
from redgreen.documents import Usage
from redgreen.sandbox import BOX, Command, Limits, Mount


class Scripted:
    needs_workspace = True
    needs_gold = False
    needs_model = False
    trusted = True

    def attempt(self, assignment: Assignment) -> Work:
        spec = assignment.spec
        patch = spec.patches.get(assignment.id, spec.patches.get("*"))
        if patch is not None:
            return Work(patch.encode("utf-8", "surrogateescape"))
        trajectory: list[dict[str, object]] = []
        for line in spec.commands.get(assignment.id, spec.commands.get("*", ())):
            finished = assignment.sandbox.run(_command(assignment, line))
            trajectory.append(
                {
                    "command": line,
                    "exit_status": finished.exit_status,
                    "stdout": finished.stdout.decode(errors="replace"),
                    "stderr": finished.stderr.decode(errors="replace"),
                }
            )
            if finished.ended == "timeout":
                return Work(None, "time", Usage(turns=len(trajectory)), trajectory)
        return Work(None, "done", Usage(turns=len(trajectory)), trajectory)


def _command(assignment: Assignment, line: str) -> Command:
    return Command(
        argv=["sh", "-c", line],
        mounts=[Mount(assignment.box, BOX, "overlay", assignment.upper), *assignment.surroundings.mounts],
        variables=assignment.surroundings.variables,
        workdir=f"{BOX}/tree",
        limits=Limits(timeout_s=assignment.timeout_s),
        label=f"run {assignment.box} {assignment.spec.name} {assignment.number}",
    )
