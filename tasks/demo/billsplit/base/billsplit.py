"""Adds the tip to a bill and splits it. All amounts are whole cents."""


def with_tip(cents, percent):
    """The bill with a tip of `percent` on top."""
    if percent < 0:
        raise ValueError("a tip cannot be negative")
    return int(cents * (100 + percent) / 100)


def shares(cents, people):
    """What each of `people` pays: as equal as whole cents allow, the larger shares first."""
    if people < 1:
        raise ValueError("somebody has to pay")
    share, rest = divmod(cents, people)
    return [share + 1] * rest + [share] * (people - rest)
