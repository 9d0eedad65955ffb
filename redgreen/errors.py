"""The named exceptions, and the one place that prints them.

Exit statuses of every stage: 0 the contract is met (a negative verdict is an answer too), 1 infrastructure failed and
nothing was written, 2 bad usage or a document that does not match its schema.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redgreen.documents import Reason


class RedgreenError(Exception):
    """`str(error)` is one line for a person; `hint` says what to do about it."""

    exit_status = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class InfrastructureError(RedgreenError):
    """Something that no task and no agent is to blame for: try again later."""


class UsageError(RedgreenError):
    """A wrong option, an unknown id, a document that does not match its schema."""

    exit_status = 2


class Rejected(RedgreenError):  # noqa: N818 (a rejection is an answer, no error)
    """The candidate cannot become a task: a stage turns this into a `failure` in its document, and exits 0.

    `reason` is one of `redgreen.documents.Reason`.
    """

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason: Reason = reason


def print_error(message: str, hint: str = "") -> None:
    print(f"error: {message}", file=sys.stderr)
    if hint:
        print(f"hint: {hint}", file=sys.stderr)


def _told_by_the_system(error: OSError) -> tuple[str, str]:
    """Message and hint."""
    place = f": {error.filename}" if error.filename else ""
    message = f"{error.strerror or error}{place}"
    if error.args and isinstance(error.args[0], list):  # shutil.Error: (source, target, why) of each file
        _, target, why = error.args[0][0]
        message = f"{why}: {target}" if str(target) not in str(why) else str(why)
    if error.errno in (errno.ENOSPC, errno.EDQUOT) or os.strerror(errno.ENOSPC) in message:
        return message, "free some space, then run the same command again"
    return message, "mend that, then run the same command again: finished documents are kept"


@contextmanager
def reported() -> Iterator[None]:
    """Turn what can go wrong into `error:` and `hint:` lines and an exit status. Wraps every `main`."""
    try:
        yield
    except RedgreenError as error:
        print_error(str(error), error.hint)
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        print_error("interrupted", "run the same command again: finished documents are kept")
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(1)
    except OSError as error:
        print_error(*_told_by_the_system(error))
        sys.exit(1)
    except Exception as error:  # the one broad net: a fault of ours reads like any other error
        if os.environ.get("REDGREEN_DEBUG"):
            raise
        print_error(
            f"a fault in redgreen itself: {type(error).__name__}: {error}".replace("\n", " ")[:400],
            "set REDGREEN_DEBUG=1 to see where, and report it",
        )
        sys.exit(1)
