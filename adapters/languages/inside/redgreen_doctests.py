"""Runs the examples in a package's documentation, by `cargo test --doc`, and reports each.

rustdoc names an example by the line where it stands: an id holds the item instead, and a number where an item has more
than one. Examples of a source that the fix itself rewrites are left out, as they come with whoever's patch is tested.
"""

import os
import re

import redgreen_events
from redgreen_libtest import OUTCOMES, SWITCHES, lines_of, read

SILENCE_S = 600
NAME = re.compile(r"(.+?) - (.*?)\s*\(line (\d+)\)(?: - .*)?$", re.DOTALL)


def run(here, package, sources, suite):
    words = ["cargo", "test", "--doc", "--offline", "--quiet", *here.features, "-p", package.id, "--", *SWITCHES]
    variables = dict(os.environ, RUSTDOC=os.path.join(os.path.dirname(os.path.abspath(__file__)), "redgreen_rustdoc"))
    *lines, status = lines_of(words, here.folder, variables, SILENCE_S)
    messages = [read(line) for line in lines]
    suites = [message.get("event") for message in messages if message.get("type") == "suite"]
    began, right = suites.count("started"), suites.count("ok")
    if not began and not package.whole:
        return  # its library does not compile, as has been reported
    results = [m for m in messages if m.get("type") == "test" and m.get("event") in OUTCOMES]
    suite.agreed &= began == len(suites) - began and status == (0 if right == began else 101)
    for test, outcome in named(results, here, sources):
        redgreen_events.send(event="collected", ids=[test])
        suite.tell(test, outcome)


def named(results, here, sources):
    """(id, outcome) of each, in the order of their places."""
    found = []
    for message in results:
        told = NAME.match(message.get("name") or "")
        if told:
            path = os.path.relpath(os.path.normpath(os.path.join(here.root, told[1])), here.tree)
            found.append((path, told[2], int(told[3]), OUTCOMES[message["event"]]))
    seen = {}
    for path, item, _, outcome in sorted(found):
        if path in sources:
            continue
        number = seen[path, item] = seen.get((path, item), 0) + 1
        test = ("%s::doctest %s" % (path, item)).rstrip()
        yield test if number == 1 else "%s #%d" % (test, number), outcome
