"""Takes selectors such as `path::group::name[variant]` apart and puts them together again."""

from typing import NamedTuple, Optional, Tuple


class Spec(NamedTuple):
    """A selector: `names` may be empty, and without names there is no variant."""

    path: str
    names: Tuple[str, ...] = ()
    variant: Optional[str] = None


def split(text):
    """Take `text` apart. Raises ValueError if it has no path.

    The variant is everything between the first bracket behind the path and a bracket at the very end.
    """
    path, colons, rest = text.partition("::")
    if not path:
        raise ValueError(f"no path in {text!r}")
    variant = None
    if rest.endswith("]") and "[" in rest:
        rest, _, variant = rest[:-1].partition("[")
    return Spec(path, tuple(rest.split("::")) if colons else (), variant)


def join(spec):
    """Put a Spec together again."""
    text = "::".join((spec.path, *spec.names))
    return text if spec.variant is None else f"{text}[{spec.variant}]"
