"""Change one value and nothing else."""

from inikeep.lines import entry_of, section_of


def put(text, section, key, value):
    """Return `text` with the value of `key` in `section` replaced. Raises KeyError if there is no such entry."""
    current, lines = "", text.splitlines(keepends=True)
    for index, line in enumerate(lines):
        opened = section_of(line)
        current = current if opened is None else opened
        entry = entry_of(line)
        if current == section and entry is not None and entry[0] == key:
            start = line.index(key) + len(key)
            sign = next((position for position in range(start, len(line)) if line[position] in "=:"), None)
            head = line[: sign + 1] + " " if sign is not None else line.rstrip() + " = "
            lines[index] = head + value + line[len(line.rstrip("\r\n")) :]
            return "".join(lines)
    raise KeyError((section, key))
