"""What each line of an ini file is."""

import re

_SEPARATOR = re.compile(r"\s*[=:]\s*")


def section_of(line):
    """The name between brackets, or None if the line does not open a section."""
    bare = line.strip()
    if bare.startswith("[") and bare.endswith("]"):
        return bare[1:-1].strip()
    return None


def entry_of(line):
    """(key, value) of a line, or None for comments, blank lines and sections. Only the first sign separates."""
    bare = line.strip()
    if not bare or bare[0] in "#;" or section_of(line) is not None:
        return None
    parts = _SEPARATOR.split(bare, maxsplit=1)
    return parts[0], parts[1] if len(parts) > 1 else ""


def read(text):
    """Return {section: {key: value}}; keys before the first section are in section ``""``."""
    sections, current = {}, ""
    for line in text.splitlines():
        section, entry = section_of(line), entry_of(line)
        if section is not None:
            current = section
            sections.setdefault(current, {})
        elif entry is not None:
            sections.setdefault(current, {})[entry[0]] = entry[1]
    return sections
