"""The statement: what an agent is told, without the answer.

`cleanse` takes away what points at the fix or holds it: links to pull requests, commits and comparisons, ids of
commits, closing lines, diffs, trailers; and what says nothing: comments and checkboxes of templates, images, mail
quotes. What cannot be cut out of a sentence becomes `[link]` or `[commit]`. Issue numbers, colours, UUIDs and digests
stay.

What is taken for a commit id: 40 hex digits anywhere; 7 to 12 of lower-case letters and digits mixed, standing alone in
prose (not in code blocks, not after `#`, `0x`, `/`, `-` or `.`); 7 to 40 after the word commit, revision or changeset.
Other hex is kept: MD5, SHA-256, object ids of databases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

NOTHING = "(no description)"
"""The statement if there is no word left, not even in the title."""

LINK, COMMIT = "[link]", "[commit]"
_CHAR = r"[^\s<>()\[\]`\"']"
# every repetition has a limit where it can start at many places: no text makes this slow
_FIX_URL = (
    rf"https?://{_CHAR}{{1,200}}/(?:pulls?|pull-requests|merge_requests|commits?|compare|changeset)/"
    rf"{_CHAR}{{0,300}}[^\s<>()\[\]`\"'.,;:!?]|https?://{_CHAR}{{1,300}}\.(?:patch|diff)\b"
)
_ISSUE = r"(?:(?:[\w.-]{1,80}/[\w.-]{1,80})?#\d+|GH-\d+|https?://[^\s<>()]{1,200}/issues/\d+(?:#[\w-]+)?)"
_VERB = r"(?:close[sd]?|fix(?:e[sd]|ing)?|resolve[sd]?)\b:?[ \t]{1,3}(?:the[ \t])?(?:(?:issue|bug|ticket)s?[ \t])?"
_CLOSING = (
    rf"(?:this[ \t](?:(?:pr|commit|change|patch)[ \t])?)?{_VERB}{_ISSUE}"
    rf"(?:[ \t]?(?:,|&|\band\b)[ \t]?(?:and[ \t])?(?:{_VERB})?{_ISSUE})*"
)
_BULLET = r"[ \t>]*(?:[-*+][ \t]+)?"
_POINTER = (
    r"(?:(?:see|also|refs?|references?|related|to|cf|prs?|mrs?|pull|merge|requests?|fix(?:e[sd])?|close[sd]?|resolve[sd]?"
    r"|via|in|by|and|for|on|of|commits?|diff|patch|links?|backport|follow-?up|original|upstream)\b|\[(?:link|commit)\])"
)
_MARK = r"(?:[^\w\n\0\[]|\d|_)*"

_Rule = tuple[re.Pattern[str], str]


def _rules(*table: tuple[str, str]) -> tuple[_Rule, ...]:
    return tuple((re.compile(pattern, re.IGNORECASE | re.MULTILINE), new) for pattern, new in table)


INLINE = _rules(
    (r"!\[[^\]\n]{0,300}\]\([^)\n]{0,600}\)|</?(?:img|video|picture|source)\b[^>\n]{0,900}>", ""),
    (r"https?://[^\s<>()]{1,200}(?:/user-attachments/|/(?:files|assets)/\d)[^\s<>()]*|https?://user-images\.\S+", ""),
    (rf"^[ \t]*\[[^\]\n]+\]:[ \t]*<?(?:{_FIX_URL}).*$", ""),
    (rf"\[([^\]\n]{{1,300}})\]\((?:{_FIX_URL})[^)\n]{{0,300}}\)", r"\1"),
    (rf"^{_BULLET}{_CLOSING}[ \t.!]*$", ""),
    (rf"[ \t]?[(\[]{_CLOSING}[)\]]", ""),
    (rf"^({_BULLET}){_CLOSING}[ \t]?[:.,;–—-]+[ \t]*(?=\w)", r"\1"),
    (rf"(?:(?<=[.!?])[ \t]{{1,3}}|[ \t]?[,;:–—-]{{1,3}}[ \t]{{1,3}}){_CLOSING}[ \t.!]*$", ""),
    (rf"<?(?:{_FIX_URL})>?", LINK),
    (r"[ \t]{0,2}\((?:#\d+|!\d+|GH-\d+|\[link\])\)(?=[ \t.]*$)", ""),
    (r"(?<![\w.])[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}\b", COMMIT),
    (r"\b(commits?|revision|changeset)\b([:\s`'\"(]{1,3})[0-9a-f]{7,40}\b(?!-)", rf"\1\2{COMMIT}"),
)
LINES = _rules(
    (rf"^(?=.*\[(?:link|commit)\]){_MARK}(?:{_POINTER}{_MARK})+$", ""),
    (r"^[ \t]*(?:[a-z][\w-]*-by|change-id|reviewed-on|pr-url|piperorigin-revid|git-svn-id)[ \t]*:.*$", ""),
    (r"^[ \t]*cc:.*@.*$|^[ \t]*\(?cherry.picked from commit.*$|^[ \t]*See merge request .*!\d+.*$", ""),
    (
        r"^[ \t]*(?:merge pull request #\d+ from .*|pull request resolved:.*|differential revision:.*|_no response_)$",
        "",
    ),
    (r"^[ \t>]*[-*+][ \t]+\[[ \tx]\][ \t].*$", ""),
    (
        r"^[ \t>]*(?:@dependabot|you are receiving this|reply to this email|\W{0,4}generated (?:with|by) \[).*$",
        "",
    ),
    (r"^On .{1,200} wrote:[ \t]*$(?:\n[ \t]*>.*$|\n[ \t]*$(?=\n[ \t]*>))*", ""),
    (r"^(#{1,6})[ \t]+Summary by .*$(?:\n(?!(?!\1#)#{1,6}[ \t]).*$)*", ""),
    (r"(?:^-{3,}\s*)+\Z", ""),
    # a heading with nothing below it
    (r"^(#{2,6})[ \t].*$(?=\s*(?:\Z|^(?!\1#)#{1,6}[ \t]))", ""),
)
_ID = re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{40}(?![0-9a-fA-F])")
_SHORT_ID = re.compile(
    r"(?<![\w#./\\%&=$:-])(?!\d+e\d+\b|0b[01]+\b)(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,12}(?![\w-]|[./]\w)"
)
_BLOCK = re.compile(
    r"^[ \t>]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)(?:\n(?P<code>.*?))??(?:^[ \t>]*(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|(?<!`)<!--.{0,10000}?-->|^[ \t]{0,3}<!--.*\Z",
    re.DOTALL | re.MULTILINE,
)
_HEREDOC = re.compile(
    r"^[^\n]*\b(?:git (?:apply|am)|patch)\b[^\n]*<<-?[ \t]*['\"]?(\w+)['\"]?[^\n]*\n.*?^[ \t]*\1[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_DIFF_KINDS = frozenset({"diff", "patch", "udiff", "suggestion"})
_HUNK = re.compile(r"([ \t>|]*)@@+ -\d+(?:,(\d{1,6}))?(?: -\d+,\d+)? \+\d+(?:,(\d{1,6}))? @@")
_FILE_PART = re.compile(
    r"[ \t>|]*(?:diff --(?:git|cc|combined) |diff -\w+ \S+ \S|index [0-9a-f]{4,}\.\.|Index: \S+$|GIT binary patch$"
    r"|(?:new|deleted) file mode \d{6}|similarity index \d)"
)
_AFTER_FILE_PART = re.compile(
    r"[ \t>|]*(?:={40,}$|(?:old|new) mode \d|(?:rename|copy) (?:from|to) \S|Binary files .* differ$)"
)
_OLD_NAME, _NEW_NAME = re.compile(r"[ \t>|]*--- \S"), re.compile(r"[ \t>|]*\+\+\+ \S")
_TRIVIAL = re.compile(
    r"(?:import|from|use|using|package|require|include|#\s*include|export \* from)\b|(?:const|let|var)\s.*=\s*require\("
    r"|[\W\d_]*$"
)


def cleanse(title: str, body: str, *, pull: int | None = None) -> str:
    """Title, an empty line, body, made fit for an agent; ends with a newline and is never empty.

    `pull` is the number of the fix's own pull request; without it, the number in brackets at the title's end is taken.
    Cleansing a statement again changes nothing.
    """
    text = _plain(f"{title.strip()}\n\n{body}")
    first = text.partition("\n")[0].strip()
    suffix = re.search(r"\((?:#|!|GH-)(\d{1,18})\)$", first)
    numbers = {str(pull)} if pull is not None else {suffix[1]} if suffix else set()
    return (_settled(text, numbers) or _fallback(first)) + "\n"


def leaks(statement: str, added_lines: Iterable[str]) -> tuple[str, ...]:
    """Lines that the fix adds and the statement quotes: at least 20 characters, no import, no mere punctuation.

    Compared without regard to the width of blanks. In the order of the fix, each once, stripped.
    """
    said = " ".join(statement.split())
    lines = dict.fromkeys(line.strip() for line in added_lines)
    return tuple(
        line for line in lines if len(line) >= 20 and not _TRIVIAL.match(line) and " ".join(line.split()) in said
    )


def _plain(text: str) -> str:
    """Only characters that can be written, plain newlines, nothing at the ends."""
    text = text.encode("utf-8", errors="replace").decode().replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text).strip()


def _settled(text: str, numbers: set[str]) -> str:
    """Cutting one thing out can bring another to light: repeat until nothing changes."""
    for _ in range(100):
        before, text = text, _once(text, numbers)
        if text == before:
            break
    return text


def _once(text: str, numbers: set[str]) -> str:
    text = re.sub(r"\A([^\n]*)…[ \t]*(?:\(#\d+\))?\n+(?:\.\.\.|…)", r"\1", text)
    blocks: list[str] = []

    def put_aside(block: re.Match[str]) -> str:
        kept = _block(block)
        if not kept:
            return ""
        blocks.append(kept)
        return f"\0{len(blocks) - 1}\0"

    text = _without_diffs(_BLOCK.sub(put_aside, _HEREDOC.sub("", text)))
    for pattern, new in INLINE:
        text = pattern.sub(new, text)
    for number in numbers:
        text = re.sub(rf"(?:\b(?:PR|pull request|MR)\s?)?(?:(?<!\w)[#!]|\bGH-){number}\b", LINK, text)
    text = "\n".join(_without_ids(line).rstrip() for line in text.split("\n"))
    for pattern, new in LINES:
        text = pattern.sub(new, text)
    text = _without_echo(re.sub(r"\n{3,}", "\n\n", text).strip())
    return re.sub(r"\0(\d+)\0", lambda mark: blocks[int(mark[1])], text).strip()


def _block(block: re.Match[str]) -> str:
    """A fenced block as it may stay; empty for a comment, a diff, or what has nothing else."""
    code = block["code"]
    kind = (block["info"] or "").strip().lower().split(" ")[0].split(",")[0]
    if not code or kind in _DIFF_KINDS:
        return ""
    code = _without_diffs(code)
    if not code.strip():
        return ""
    start, end = (place - block.start() for place in block.span("code"))
    whole = _ID.sub(COMMIT, block[0][:start] + code + block[0][end:])
    return "\n".join(line.rstrip() for line in whole.split("\n"))


def _without_ids(line: str) -> str:
    line = _ID.sub(COMMIT, line)
    return line if line.startswith(("    ", "\t")) else _SHORT_ID.sub(COMMIT, line)


def _without_echo(text: str) -> str:
    """The message of a squash often begins by saying its title again."""
    first, _, rest = text.partition("\n")
    second, _, after = rest.lstrip("\n").partition("\n")
    echoed = first and second.removeprefix("* ").removeprefix("- ") == first
    return f"{first}\n\n{after}" if echoed else text


def _without_diffs(text: str) -> str:
    lines, kept, at = text.split("\n"), [], 0
    while at < len(lines):
        end = _diff_end(lines, at)
        if end == at:
            kept.append(lines[at])
        at = max(end, at + 1)
    return "\n".join(kept)


def _diff_end(lines: list[str], at: int) -> int:
    """Where the part of a diff that begins at this line ends; `at` itself if none begins here."""
    if hunk := _HUNK.match(lines[at]):
        return _hunk_end(lines, at + 1, hunk[1], int(hunk[2] or 1), int(hunk[3] or 1))
    if _FILE_PART.match(lines[at]):
        end = at + 1
        while end < len(lines) and _AFTER_FILE_PART.match(lines[end]):
            end += 1
        return end
    if _OLD_NAME.match(lines[at]) and at + 1 < len(lines) and _NEW_NAME.match(lines[at + 1]):
        return at + 2
    if lines[at].strip() == "*** Begin Patch":
        return next((end + 1 for end in range(at, len(lines)) if lines[end].strip() == "*** End Patch"), len(lines))
    return at


def _hunk_end(lines: list[str], at: int, prefix: str, old: int, new: int) -> int:
    """The header counts the lines; one without a sign is a line of context that lost its blank."""
    while at < len(lines) and (old > 0 or new > 0):
        sign = lines[at].removeprefix(prefix)[:1]
        old -= sign not in ("+", "\\")
        new -= sign not in ("-", "\\")
        at += 1
    return at + (at < len(lines) and lines[at].strip().startswith("\\ No newline"))


def _fallback(first: str) -> str:
    line = _ID.sub(COMMIT, re.sub(_FIX_URL, LINK, first)).strip()
    return line if line and _diff_end([line], 0) == 0 and _settled(line, set()) in ("", line) else NOTHING
