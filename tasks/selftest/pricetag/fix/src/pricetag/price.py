"""Reading and showing prices."""


def read(text):
    """Cents of a price such as `1.05`, `12` or `-0.50`."""
    whole, _, fraction = text.strip().partition(".")
    cents = abs(int(whole)) * 100 + int((fraction + "00")[:2])
    return -cents if whole.startswith("-") else cents


def show(cents):
    """A price as people write it."""
    sign = "-" if cents < 0 else ""
    return "%s%d.%02d" % (sign, abs(cents) // 100, abs(cents) % 100)


def total(texts):
    """Cents of several prices together."""
    cents = 0
    for text in texts:
        cents += read(text)
    return cents
