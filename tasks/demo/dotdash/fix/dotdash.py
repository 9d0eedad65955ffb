"""Morse code, both ways."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SIGNS = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
).split()
_CODE = dict(zip(_LETTERS, _SIGNS))
_TEXT = dict(zip(_SIGNS, _LETTERS))
_TEXT["/"] = " "


def encode(text):
    """Letters as signs with blanks between them, words with a slash between them."""
    words = text.upper().split()
    try:
        return " / ".join(" ".join(_CODE[letter] for letter in word) for word in words)
    except KeyError as error:
        raise ValueError(f"no sign for {error.args[0]!r}") from None


def decode(code):
    """The text of a code that `encode` made."""
    letters = []
    for sign in code.split():
        if sign not in _TEXT:
            raise ValueError(f"no letter for {sign!r}")
        letters.append(_TEXT[sign])
    return "".join(letters)
