import pytest

from pickspec import Spec, join, split

SPECS = {
    "path alone": ("a.py", Spec("a.py")),
    "path::name": ("a.py::f", Spec("a.py", ("f",))),
    "group - and name": ("a.py::G::f", Spec("a.py", ("G", "f"))),
    "with [variant]": ("a.py::f[x y]", Spec("a.py", ("f",), "x y")),
    "größe": ("größe.py::prüfe[ä]", Spec("größe.py", ("prüfe",), "ä")),
    "path with [brackets]": ("pages/[id].py::f", Spec("pages/[id].py", ("f",))),
    "variant::with colons": ("a.py::f[x::y]", Spec("a.py", ("f",), "x::y")),
    "variant [in brackets]": ("a.py::f[a [b]]", Spec("a.py", ("f",), "a [b]")),
    "[": ("a.py::f[[]", Spec("a.py", ("f",), "[")),
    "größe 🦊::ends with ]": ("größe.py::f[ä::🦊]]", Spec("größe.py", ("f",), "ä::🦊]")),
    "x - y::z": ("a.py::G::f[x - y::z]", Spec("a.py", ("G", "f"), "x - y::z")),
}


@pytest.mark.parametrize(("text", "spec"), SPECS.values(), ids=SPECS)
def test_specs_are_split(text, spec):
    assert split(text) == spec


@pytest.mark.parametrize(
    "text", ["a.py", "a.py::f", "a.py::G::f[x - y]", "a.py::f[]", "größe.py::f[🦊]", "a.py::f[x::y]"]
)
def test_split_and_join_are_inverse(text):
    assert join(split(text)) == text


@pytest.mark.parametrize("text", ["", "::f"], ids=["nothing at all", "::name"])
def test_a_missing_path_is_refused(text):
    with pytest.raises(ValueError, match="no path"):
        split(text)
