"""Takes selectors such as `path::group::name[variant]` apart and puts them together again."""

from typing import NamedTuple, Optional, Tuple


class Spec(NamedTuple):
    """A selector: `names` may be empty, and without names there is no variant."""

    path: str
    names: Tuple[str, ...] = ()
    variant: Optional[str] = None


def split(text):
    """Take `text` apart. Raises ValueError if it has no path."""
    path, *names = text.split("::")
    if not path:
        raise ValueError(f"no path in {text!r}")
    variant = None
    if names and names[-1].endswith("]"):
        names[-1], _, variant = names[-1][:-1].rpartition("[")
    return Spec(path, tuple(names), variant)


def join(spec):
    """Put a Spec together again."""
    text = "::".join((spec.path, *spec.names))
    return text if spec.variant is None else f"{text}[{spec.variant}]"
