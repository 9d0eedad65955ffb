"""What the message of a commit says about how it arrived: by a pull request, by a merged branch, alone, or as no fix.

Only the message, the author's name and the number of parents are looked at; all signs are tables of patterns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["pull", "topic", "closing", "fix", "sync", "noise", "plain"]
"""pull: a pull request; topic: a merged branch without a number; closing: a commit that closes an issue; fix: one that
sounds like a fix. sync: two long-lived lines meet. noise: a dependency bump, a revert, a release. plain: the rest."""

_VERSION = r"(?:v?\d+(?:\.\d+)*\.x|v?\d+(?:\.\d+)+|v\d+|\d+x)"
LONG_LIVED = (
    r"(?:[\w.-]+[/:])?(?:main|master|trunk|default|develop(?:ment)?|devel?|next|stable|unstable|upstream|maint(?:enance)?"
    rf"|(?:release|rel|stable|maint(?:enance)?|support)[-/_]?{_VERSION}"
    rf"|{_VERSION}(?:[-_.](?:maint(?:enance)?|line|stable|branch|dev|release|lts|bugfix))?)"
)
_QUOTE = r"[`'\"]?"
SYNC = re.compile(
    rf"(?:merg(?:e|ed|ing)|sync)\b (?:(?:remote-tracking )?branch(?:es)? |with |(?:in )?from |changes from )?"
    rf"{_QUOTE}{LONG_LIVED}{_QUOTE}(?=$|[\s.,:;(])(?: and {_QUOTE}{LONG_LIVED}{_QUOTE})?"
    r"|merge tag '|merge commit '|automat\w+ merge with ",
    re.IGNORECASE,
)
MERGES = tuple(
    re.compile(pattern)
    for pattern in (
        r"Merge (?:pull request|pull-request|PR) #(?P<pull>\d+)"
        r"(?: (?:from|in) (?:(?P<owner>[^/\s:]+)[/:])?(?P<branch>\S+))?",
        r"Auto merge of #(?P<pull>\d+)\b",
        r"Merge #(?P<pull>\d+)\b",
        r"Merge commit from fork$",
        r"Merge pull request from (?P<branch>GHSA-[\w-]+)",
        r"Merged in (?P<branch>\S+) \(pull request #(?P<pull>\d+)\)",
        r"Merged PR (?P<pull>\d+): (?P<title>.+)",
        r"Merge (?:remote-tracking )?branch(?:es)? '(?:pr|pull)[/-](?P<pull>\d+)(?:/head)?'",
        r"Merge (?:remote-tracking )?branch(?:es)? '(?P<branch>[^']+)'",
    )
)
GITLAB = re.compile(r"^See merge request (?:[\w./-]+)?!(\d+)\s*$", re.MULTILINE)
NUMBER = re.compile(r"\((?:#|!|GH-|gh-|PR #)(\d+)\)\s*\.?\s*$")

_ISSUE = r"(?:(?P<slug>[\w.-]+/[\w.-]+)#|#|GH-|https?://[\w.-]+/(?P<path>[\w./-]+?)/(?:-/)?issues/)(?P<number>\d+)\b"
CLOSES = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd]|ing)?|resolve[sd]?)\b:?\s+(?:(?:the\s+)?(?:issue|bug|ticket)s?\s+)?"
    r"(?P<list>(?:REF)(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)(?:REF))*)".replace(
        "REF", re.sub(r"\?P<\w+>", "?:", _ISSUE)
    ),
    re.IGNORECASE,
)
ISSUE = re.compile(_ISSUE, re.IGNORECASE)

BOTS = re.compile(
    r"(?:dependabot|renovate|pyup|pre-commit-ci|greenkeeper|snyk|allcontributors|imgbot|depfu)\b", re.IGNORECASE
)
BOT_BRANCHES = re.compile(r"(?:dependabot|renovate|pyup|pre-commit-ci|greenkeeper|snyk|depfu|all-contributors)[-/]")
NOISE = re.compile(
    r"\[pre-commit\.ci\]|pre-commit autoupdate|lock file maintenance|(?:chore|build|ci)\(deps[\w-]*\)"
    r"|(?:[\w-]+(?:\([^)]*\))?!?: *)?bump (?:\S+.*\b(?:from|to) v?\d|the \S+ group)"
    r"|update dependency |update \S+ requirement from|update \S+ to v?\d[\w.]*( |$)"
    r"|revert\b"
    # a release or a version, and nothing else in the line
    r"|(?:chore(?:\(release\))?: *)?"
    r"(?:prepar\w*|bump\w*|start|begin|tag|cut|set|back to|released?|prep)?\s*(?:for |the |to )?"
    r"(?:new )?(?:release|version|dev\w*)?(?: of)? *v?\d+\.\d+[\w.+-]*( release| dev\w*| final)?\.?( *\(#\d+\))?$"
    r"|(?:bump|increment|update)\w* (?:the )?version\b|back to dev|prepar\w+ (?:for )?(?:the )?(?:next )?release",
    re.IGNORECASE,
)
BACKPORT = re.compile(
    r"\A\[?backport|\A\[PR #\d+/|\A\[v?\d+\.[\w.]+\] |^\(cherry.picked from commit|^\(?backport(?:ed)? (?:of|from) ",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True)
class Signs:
    """The words by which a single commit is taken for a fix. All lower case, each pattern for one whole word."""

    fix: re.Pattern[str] = re.compile(
        r"fix\w*|bug\w*|hotfix\w*|regress\w*|crash\w*|incorrect\w*|wrong\w*|broken?|breaks?|fail(?:s|ed|ing|ures?)?"
        r"|errors?|correct(?:s|ed|ly)?|prevent\w*|avoid\w*|handle[sd]?|ensure[sd]?|proper(?:ly)?|leak\w*|race|deadlocks?"
        r"|hangs?|overflow\w*|underflow|segfaults?|missing|workaround|longer|don't|doesn't|shouldn't|resolve[sd]?|issues?"
        r"|[a-z]+(?:error|exception)|cve|security|invalid|bad|inconsisten\w+|respect\w*|preserve\w*|repair\w*|raises?"
    )
    bare: re.Pattern[str] = re.compile(r"fix\w*|bug\w*|hotfix\w*|issues?|errors?|bad|wrong|broken")
    """Nothing but these says too little to work with, unless the message goes on."""
    dull: re.Pattern[str] = re.compile(
        r"typos?|docs?|documentation|docstrings?|lint(?:ing|er)?|flake8?|ci|travis|appveyor|build|tests?|tox|changelog"
        r"|changes|readme|spelling|grammar|whitespace|format(?:ting)?|style|pep8|mypy|typing|pylint|rst|sphinx|coverage"
        r"|ruff|black|isort|workflows?|pre-commit|config"
    )
    """A fix of nothing but these is none for us."""
    filler: re.Pattern[str] = re.compile(
        r"an?|the|in|of|for|to|on|with|and|some|more|few|minor|small|little|my|our|this|that|its?|up|again|links?|types?"
        r"|annotations?|names?|files?|versions?|py|python|pypy|windows|warnings?"
    )
    hopeless: re.Pattern[str] = re.compile(r"typos?|misspell\w+|spelling|whitespace")
    """One of these in a short subject settles it."""
    other_types: re.Pattern[str] = re.compile(
        r"(?:docs?|style|ci|tests?|chore|build|lint|typo|refactor|release|deps)(?:\([^)]*\))?!?: "
    )
    """Conventional commits' types that are no fix: the beginning of a subject."""


SIGNS = Signs()


@dataclass(frozen=True)
class Told:
    """What a message says. `title` is empty if a merge has no words of its own; `branch` is then its branch's name."""

    kind: Kind
    title: str
    body: str
    pull: int | None = None
    issues: tuple[int, ...] = ()
    branch: str = ""
    backport: bool = False


@dataclass(frozen=True)
class _Form:
    """How a merge is worded: what is left for title and body once the form is taken away."""

    title: str
    body: str
    pull: int | None = None
    branch: str = ""
    owner: str = ""
    merge: bool = field(default=True)


def closed_issues(text: str, repo: str) -> tuple[int, ...]:
    """Issues of `repo` that the text says it closes, in order. Issues of other repositories do not count."""
    found: dict[int, None] = {}
    for closing in CLOSES.finditer(text):
        for issue in ISSUE.finditer(closing["list"]):
            where = issue["slug"] or issue["path"]
            if where is None or where.removesuffix("/-").lower() == repo.lower():
                found[int(issue["number"])] = None
    return tuple(found)


def sounds_like_a_fix(subject: str, body: str = "", signs: Signs = SIGNS) -> bool:
    """Whether a subject has a word of a fix, and is about something else than typos, documents, lint or tests alone."""
    lowered = subject.lower()
    if signs.other_types.match(lowered):
        return False
    words = re.findall(r"[a-z][a-z0-9'-]*", lowered)
    about = [word for word in words if not signs.fix.fullmatch(word)]
    if len(about) == len(words) or (len(words) < 9 and any(map(signs.hopeless.fullmatch, words))):
        return False
    left = [word for word in about if not signs.filler.fullmatch(word)]
    if not left:
        return bool(body.strip()) or not all(map(signs.bare.fullmatch, words))
    return not all(map(signs.dull.fullmatch, left))


def read_message(message: str, *, parents: int = 1, author: str = "", repo: str = "", signs: Signs = SIGNS) -> Told:
    """Classify a commit by its message. `message` has plain newlines; `repo` is owner/name."""
    subject, _, rest = message.strip("\n").partition("\n")
    form = _form(subject.strip(), rest.strip("\n"))
    squashed = NUMBER.search(subject)
    issues = closed_issues(message, repo)
    pull = form.pull
    if pull is None and squashed and int(squashed[1]) not in issues:
        pull = int(squashed[1])
    kind = _kind(subject, form, pull, issues, parents, author, repo, signs)
    kept = tuple(number for number in issues if number != pull)
    backport = bool(BACKPORT.search(message) or BACKPORT.search(form.title))
    return Told(kind, form.title, form.body, pull, kept, form.branch, backport)


def _form(subject: str, rest: str) -> _Form:
    gitlab = GITLAB.search(rest)
    found = next((match for match in (form.match(subject) for form in MERGES) if match), None)
    if found is None:
        return _Form(subject, rest, int(gitlab[1]) if gitlab else None, merge=False)
    named = found.groupdict()
    number = named.get("pull") or (gitlab[1] if gitlab else None)
    title, body = (named.get("title") or "", rest)
    if not title:
        title, _, body = GITLAB.sub("", rest).strip("\n").partition("\n")
    branch = named.get("branch") or ""
    return _Form(title.strip(), body.strip("\n"), int(number) if number else None, branch, named.get("owner") or "")


def _kind(
    subject: str,
    form: _Form,
    pull: int | None,
    issues: tuple[int, ...],
    parents: int,
    author: str,
    repo: str,
    signs: Signs,
) -> Kind:
    if _is_sync(subject, form, repo):
        return "sync" if parents > 1 else "noise"
    if BOTS.match(author) or BOT_BRANCHES.match(form.branch) or NOISE.match(subject) or NOISE.match(form.title):
        return "noise"
    if pull is not None:
        return "pull"
    if form.merge and parents > 1:
        return "topic"
    if issues:
        return "closing"
    if sounds_like_a_fix(subject, form.body, signs):
        return "fix"
    return "sync" if parents > 1 else "plain"


def _is_sync(subject: str, form: _Form, repo: str) -> bool:
    if form.pull is None:
        return SYNC.match(subject) is not None
    own = form.owner.lower() == repo.partition("/")[0].lower()
    return SYNC.match(form.title) is not None or (own and re.fullmatch(LONG_LIVED, form.branch) is not None)
