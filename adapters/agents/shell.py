"""The reference agent: one block of shell a turn, the same for every model. The prompt is prompts/shell.md."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from redgreen.agent import Assignment, Work
from redgreen.chat import Request
from redgreen.desk import Desk, Done, WorkspaceGone, desk
from redgreen.faults import BY_NAME, Fault
from redgreen.gateway import Ended, Gateway
from redgreen.sandbox import BOX, Command, Limits, Mount

PROMPT = Path(__file__).with_name("prompts") / "shell.md"
BLOCK = re.compile(
    r"^[ \t]*(?P<fence>```+|~~~+)[ \t]*(?P<kind>\w*)[^\n]*\n(?P<body>.*?)^[ \t]*(?P=fence)[ \t]*$", re.M | re.S
)
SHELLS = {"", "sh", "bash", "shell", "console", "zsh"}
COMMAND_S = 300.0
SHOWN_BYTES = 12 << 10
MALFORMED = 3
"""So many answers in a row without a readable block end the attempt."""
LONGEST_S = 24 * 3600.0
START = """\
command -v git >/dev/null || exit 0
git init -q . && git config user.name agent && git config user.email agent@localhost
printf '%s\\n' {ignored} >>.git/info/exclude
git add -A . >/dev/null 2>&1; git commit -q -m start --no-verify >/dev/null 2>&1 || true
"""


class Shell:
    needs_gold = False
    needs_model = True
    needs_workspace = True
    trusted = False

    def attempt(self, assignment: Assignment) -> Work:
        assert assignment.gateway
        trajectory: list[dict[str, object]] = []
        fault, said = None, None
        try:
            with desk(assignment.sandbox, _command(assignment)) as opened:
                ignored = " ".join(map(shlex.quote, assignment.leaves_behind)) or "''"
                opened.run(["sh", "-c", START.format(ignored=ignored)], timeout_s=COMMAND_S)
                _converse(assignment, assignment.gateway, opened, trajectory)
        except WorkspaceGone as gone:
            fault, said = BY_NAME["time"] if gone.how == "timeout" else None, str(gone)
        except Ended as ended:
            fault, said = ended.fault, ended.said
        return Work(
            None,
            fault.stopped if fault else "done",
            assignment.gateway.usage(),
            trajectory,
            failure=said,
            fault=fault.name if fault else None,
        )


def _converse(assignment: Assignment, gateway: Gateway, opened: Desk, trajectory: list[dict[str, object]]) -> None:
    """Until the model submits. `trajectory` holds every message, as a model is shown it.

    Raises:
        Ended, WorkspaceGone: it came to an end before.
    """
    messages: list[dict[str, object]] = [
        {"role": "system", "content": PROMPT.read_text()},
        {"role": "user", "content": assignment.statement},
    ]
    trajectory.extend(messages)
    malformed = 0
    while True:
        request = Request(
            list(messages),
            max_tokens=assignment.reply_tokens,
            temperature=assignment.temperature,
            seed=assignment.seed,
            timeout_s=min(600.0, max(1.0, gateway.remaining_s())),
        )
        reply = gateway.ask(request)
        messages.append({"role": "assistant", "content": reply.text})
        trajectory.append({**messages[-1], "finish": reply.finish})
        block = block_of(reply.text)
        if block == "submit":
            return
        if block is None:
            malformed += 1
            if malformed == MALFORMED:
                raise Ended(
                    _what_was_wrong(reply.text), f"{MALFORMED} answers in a row without a block that can be run"
                )
            told = mend(reply.text, reply.finish)
            messages.append({"role": "user", "content": told})
            trajectory.append(messages[-1])
            continue
        malformed = 0
        left = gateway.remaining_s()
        done = opened.run(["sh", "-c", block], timeout_s=max(1.0, min(COMMAND_S, left)), keep_bytes=SHOWN_BYTES)
        messages.append({"role": "user", "content": observation(done)})
        trajectory.append(
            {**messages[-1], "command": block, "exit_status": done.status, "seconds": round(done.seconds, 3)}
        )


def block_of(text: str) -> str | None:
    """The one block of shell in an answer; None if there is none, or if several leave open which is meant."""
    found = {
        match["body"].strip()
        for match in BLOCK.finditer(text)
        if match["kind"].lower() in SHELLS and match["body"].strip()
    }
    if len(found) != 1:
        return None
    block = found.pop()
    return None if "\0" in block else block


def mend(text: str, finish: str) -> str:
    """What a model is told whose answer cannot be run."""
    if finish == "length":
        why = "The answer was cut off at its longest length"
    elif not text.strip():
        why = "The answer was empty"
    else:
        count = sum(1 for match in BLOCK.finditer(text) if match["kind"].lower() in SHELLS)
        why = f"The answer holds {count or 'no'} blocks of commands"
    return f"{why}; nothing was run. Answer with exactly one block: ```sh, the commands, ```."


def observation(done: Done) -> str:
    ended = f"stopped after {done.seconds:.0f} s" if done.ended == "timeout" else f"exit status {done.status}"
    return f"{ended}\n{done.text}"


def _what_was_wrong(text: str) -> Fault:
    return BY_NAME["malformed_answer" if text.strip() else "empty_answer"]


def _command(assignment: Assignment) -> Command:
    trusting = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    return Command(
        argv=[],
        mounts=[Mount(assignment.box, BOX, "overlay", assignment.upper), *assignment.surroundings.mounts],
        variables={**assignment.surroundings.variables, **trusting},
        workdir=f"{BOX}/tree",
        limits=Limits(timeout_s=LONGEST_S),
        label=f"run {assignment.box} {assignment.spec.name} {assignment.number}",
    )
